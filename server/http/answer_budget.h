// Limits the memory of answers in flight, so that slow clients do not occupy memory that the server
// needs. A body counts only once, even if several connections send it. It counts until the last of
// these connections has sent it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace tunehub::http {

// A resource that clients share: connections, or memory of bodies. One client may take only a
// percentage of the amount that other clients leave free. So a part is always free.
class Shares {
 public:
  // Two exceptions, which a small share would never allow:
  // - a client gets its first connection while a place is free
  // - a client gets `single` (the largest allowed body) while other clients have at most half
  Shares(std::size_t limit, std::size_t percent, std::size_t single = 1)
      : limit_(limit), percent_(percent), single_(single) {}

  // The client "" means many clients behind a proxy. It may take everything.
  bool Take(const std::string& client, std::size_t amount);
  // Takes the amount even above every limit.
  void Force(const std::string& client, std::size_t amount);
  void Return(const std::string& client, std::size_t amount);
  // True if Take would succeed now. Another thread may take the amount before the caller does.
  bool Fits(const std::string& client, std::size_t amount) const;

  std::size_t total() const;
  std::size_t HeldBy(const std::string& client) const;
  // Returns the client with the largest amount, except the client "". Returns "" if no client has
  // any amount.
  std::string Largest() const;

 private:
  bool FitsLocked(const std::string& client, std::size_t amount) const;
  std::size_t HeldLocked(const std::string& client) const;

  const std::size_t limit_, percent_, single_;
  mutable std::mutex mutex_;  // guards the members below
  std::size_t total_ = 0;
  std::unordered_map<std::string, std::size_t> held_;
};

// One connection's part of a share. The destructor returns the part.
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

  // Releases the charge. The next Add counts for `client`.
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
  // The budget does not count smaller bodies. They go to the socket at once, at most one per
  // connection.
  static constexpr std::size_t kLeastCounted = 16 * 1024;

  AnswerBudget(std::size_t limit, std::size_t percent) : limit_(limit), shares_(limit, percent) {}

  // Returns false if there is no room for another body of this client. A client's only body may
  // exceed the client's share while half of the memory is free. Two kinds of body always get room
  // (`refusable` is false). One is a cached body, since the cache has its own limit. The other is
  // the answer to a write, since without it the client would write twice.
  bool Take(const std::string& client, const Body& body, bool refusable);
  void Return(const std::string& client, const Body& body);
  // Returns true if the bodies in flight exceed the limit and no other client has more than this
  // client. The caller must then end its slow answer. The budget no longer counts the body, also
  // for other reactors.
  bool Shed(const std::string& client, const Body& body);
  std::size_t bytes() const { return shares_.total(); }

 private:
  void ReturnLocked(const std::string& client, const Body& body);

  struct Entry {
    // the client for which the body counts: the first taker, or later another taker
    std::string pays;
    std::map<std::string, std::size_t> takers;  // connections per client
  };

  const std::size_t limit_;
  Shares shares_;
  std::mutex mutex_;
  std::unordered_map<const std::string*, Entry> entries_;  // guarded by mutex_
};

// One connection's part of the budget.
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
