// The memory of answers that are on their way: each body once, however many connections send it,
// for as long as one of them does. A client that takes slowly must not hold what the server needs.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace tunehub::http {

// What many clients share and none may have alone: connections, the memory of bodies. A client may
// hold a percentage of what the others leave, so that there is always some left for one more.
class Shares {
 public:
  // A client may have one connection wherever there is a place, and `single`, the largest body that
  // is taken at all, where others hold no more than half: it would be refused for ever.
  Shares(std::size_t limit, std::size_t percent, std::size_t single = 1)
      : limit_(limit), percent_(percent), single_(single) {}

  // The client "" stands for many, as a proxy does: all may be its own.
  bool Take(const std::string& client, std::size_t amount);
  // Beyond every limit, too.
  void Force(const std::string& client, std::size_t amount);
  void Return(const std::string& client, std::size_t amount);
  // Whether Take would succeed now; a promise to nobody.
  bool Fits(const std::string& client, std::size_t amount) const;

  std::size_t total() const;
  std::size_t HeldBy(const std::string& client) const;
  // Whoever holds most, "" left out; "" where there is nobody.
  std::string Largest() const;

 private:
  bool FitsLocked(const std::string& client, std::size_t amount) const;
  std::size_t HeldLocked(const std::string& client) const;

  const std::size_t limit_, percent_, single_;
  mutable std::mutex mutex_;  // guards what follows
  std::size_t total_ = 0;
  std::unordered_map<std::string, std::size_t> held_;
};

// What one connection holds of a share, given back when it ends.
class ShareCharge {
 public:
  explicit ShareCharge(Shares& shares, std::string client = {})
      : shares_(&shares), client_(std::move(client)) {}
  ShareCharge(const ShareCharge&) = delete;
  ShareCharge& operator=(const ShareCharge&) = delete;
  ShareCharge(ShareCharge&& other) noexcept
      : shares_(other.shares_),
        client_(std::move(other.client_)),
        amount_(std::exchange(other.amount_, 0)) {}
  ShareCharge& operator=(ShareCharge&& other) noexcept {
    std::swap(shares_, other.shares_);
    std::swap(client_, other.client_);
    std::swap(amount_, other.amount_);
    return *this;
  }
  ~ShareCharge() { Release(); }

  // For whom the next is taken.
  void Begin(const std::string& client) {
    Release();
    client_ = client;
  }
  bool Add(std::size_t amount) {
    if (!shares_->Take(client_, amount)) return false;
    amount_ += amount;
    return true;
  }
  void Force(std::size_t amount) {
    shares_->Force(client_, amount);
    amount_ += amount;
  }
  void Release() { shares_->Return(client_, std::exchange(amount_, 0)); }

 private:
  Shares* shares_;
  std::string client_;
  std::size_t amount_ = 0;
};

class AnswerBudget {
 public:
  using Body = std::shared_ptr<const std::string>;
  // Smaller ones are in the socket at once, and as many as there are connections at most.
  static constexpr std::size_t kLeastCounted = 16 * 1024;

  AnswerBudget(std::size_t limit, std::size_t percent) : limit_(limit), shares_(limit, percent) {}

  // False where there is no room for another body of this client. One at a time may be larger than
  // its share. What is not `refusable` is counted all the same: what a cache holds, which has its
  // own limit, and what a write is told, which would be done twice.
  bool Take(const std::string& client, const Body& body, bool refusable);
  void Return(const std::string& client, const Body& body);
  // Returns what a slow answer holds where more is on its way than may be and nobody has more than
  // this client: the answer is to end then. Of two reactors that ask at once the second one counts
  // without what the first one has given back.
  bool Shed(const std::string& client, const Body& body);
  std::size_t bytes() const { return shares_.total(); }

 private:
  void ReturnLocked(const std::string& client, const Body& body);

  struct Entry {
    std::string pays;  // the first one that took it, or who still does when that one is done
    std::map<std::string, std::size_t> takers;  // how many connections of each
  };

  const std::size_t limit_;
  Shares shares_;
  std::mutex mutex_;
  std::unordered_map<const std::string*, Entry> entries_;  // guarded by mutex_
};

// One connection's part in it.
class AnswerCharge {
 public:
  explicit AnswerCharge(AnswerBudget& budget) : budget_(budget) {}
  ~AnswerCharge() { Release(); }
  AnswerCharge(const AnswerCharge&) = delete;
  AnswerCharge& operator=(const AnswerCharge&) = delete;

  bool Take(const std::string& client, const AnswerBudget::Body& body, bool refusable) {
    Release();
    if (!body || body->size() < AnswerBudget::kLeastCounted) return true;
    if (!budget_.Take(client, body, refusable)) return false;
    client_ = client;
    body_ = body;
    return true;
  }
  bool Shed() {
    if (!body_ || !budget_.Shed(client_, body_)) return false;
    body_.reset();
    return true;
  }
  void Release() {
    if (!body_) return;
    budget_.Return(client_, body_);
    body_.reset();
  }

 private:
  AnswerBudget& budget_;
  std::string client_;
  AnswerBudget::Body body_;
};

}  // namespace tunehub::http
