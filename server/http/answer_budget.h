// The memory of answers that are on their way: each body once, however many connections send it,
// for as long as one of them does. A client that takes slowly must not hold what the server needs.
#pragma once

#include <cstddef>
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
  // its share. `cached`: counted and never refused, since a cache that holds it has its own limit.
  bool Take(const std::string& client, const Body& body, bool cached);
  void Return(const Body& body);
  // Whether answers to this client are to end: more is on its way than may be, and nobody has more.
  bool Sheds(const std::string& client) const;

 private:
  struct Entry {
    std::string client;  // the first one that took it
    std::size_t taken = 0;
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

  bool Take(const std::string& client, const AnswerBudget::Body& body, bool cached) {
    Release();
    if (!body || body->size() < AnswerBudget::kLeastCounted) return true;
    if (!budget_.Take(client, body, cached)) return false;
    client_ = client;
    body_ = body;
    return true;
  }
  bool Sheds() const { return body_ && budget_.Sheds(client_); }
  void Release() {
    if (!body_) return;
    budget_.Return(body_);
    body_.reset();
  }

 private:
  AnswerBudget& budget_;
  std::string client_;
  AnswerBudget::Body body_;
};

}  // namespace tunehub::http
