#include "server/http/answer_budget.h"

namespace tunehub::http {

bool AnswerBudget::Take(const std::string& client, const Body& body, bool cached) {
  const std::lock_guard lock(mutex_);
  const auto known = entries_.find(body.get());
  if (known != entries_.end()) {
    ++known->second.taken;
    return true;
  }
  const bool alone = shares_.HeldBy(client) == 0 && shares_.total() <= limit_ / 2;
  if (!shares_.Take(client, body->size())) {
    if (!alone && !cached) return false;
    shares_.Force(client, body->size());
  }
  entries_.emplace(body.get(), Entry{client, 1});
  return true;
}

void AnswerBudget::Return(const Body& body) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(body.get());
  if (--entry->second.taken > 0) return;
  shares_.Return(entry->second.client, body->size());
  entries_.erase(entry);
}

bool AnswerBudget::Sheds(const std::string& client) const {
  return shares_.total() > limit_ && shares_.HeldBy(client) >= shares_.HeldBy(shares_.Largest());
}

}  // namespace tunehub::http
