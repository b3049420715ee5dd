#include "server/http/answer_budget.h"

namespace tunehub::http {

bool AnswerBudget::Take(const std::string& client, const Body& body, bool refusable) {
  const std::lock_guard lock(mutex_);
  const auto known = entries_.find(body.get());
  if (known != entries_.end()) {
    ++known->second.takers[client];
    return true;
  }
  const bool alone = shares_.HeldBy(client) == 0 && shares_.total() <= limit_ / 2;
  if (!shares_.Take(client, body->size())) {
    if (!alone && refusable) return false;
    shares_.Force(client, body->size());
  }
  entries_.emplace(body.get(), Entry{client, {{client, 1}}});
  return true;
}

void AnswerBudget::Return(const std::string& client, const Body& body) {
  const std::lock_guard lock(mutex_);
  ReturnLocked(client, body);
}

bool AnswerBudget::Shed(const std::string& client, const Body& body) {
  const std::lock_guard lock(mutex_);
  if (shares_.total() <= limit_) return false;
  if (shares_.HeldBy(client) < shares_.HeldBy(shares_.Largest())) return false;
  ReturnLocked(client, body);
  return true;
}

void AnswerBudget::ReturnLocked(const std::string& client, const Body& body) {
  const auto found = entries_.find(body.get());
  Entry& entry = found->second;
  const auto taker = entry.takers.find(client);
  if (--taker->second > 0) return;
  entry.takers.erase(taker);
  if (!entry.takers.empty() && entry.pays != client) return;
  shares_.Return(entry.pays, body->size());
  if (entry.takers.empty()) {
    entries_.erase(found);
    return;
  }
  entry.pays = entry.takers.begin()->first;
  shares_.Force(entry.pays, body->size());
}

}  // namespace tunehub::http
