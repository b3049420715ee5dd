// The memory of answers that are on their way: each body once, however many connections send it,
// for as long as one of them does. A client that takes slowly must not hold what the server needs.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "server/http/shares.h"

namespace tunehub::http {

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
