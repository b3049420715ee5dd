#include "server/http/answer_budget.h"

namespace tunehub::http {

bool Shares::Take(const std::string& client, std::size_t amount) {
  const std::lock_guard lock(mutex_);
  if (!FitsLocked(client, amount)) return false;
  total_ += amount;
  held_[client] += amount;
  return true;
}

void Shares::Force(const std::string& client, std::size_t amount) {
  const std::lock_guard lock(mutex_);
  total_ += amount;
  held_[client] += amount;
}

void Shares::Return(const std::string& client, std::size_t amount) {
  if (amount == 0) return;
  const std::lock_guard lock(mutex_);
  total_ -= amount;
  const auto held = held_.find(client);
  held->second -= amount;
  if (held->second == 0) held_.erase(held);
}

bool Shares::Fits(const std::string& client, std::size_t amount) const {
  const std::lock_guard lock(mutex_);
  return FitsLocked(client, amount);
}

std::size_t Shares::total() const {
  const std::lock_guard lock(mutex_);
  return total_;
}

std::size_t Shares::HeldBy(const std::string& client) const {
  const std::lock_guard lock(mutex_);
  return HeldLocked(client);
}

std::string Shares::Largest() const {
  const std::lock_guard lock(mutex_);
  std::string largest;
  std::size_t most = 0;
  for (const auto& [client, held] : held_) {
    if (client.empty() || held <= most) continue;
    most = held;
    largest = client;
  }
  return largest;
}

bool Shares::FitsLocked(const std::string& client, std::size_t amount) const {
  if (total_ > limit_ || amount > limit_ - total_) return false;
  if (client.empty()) return true;
  const std::size_t own = HeldLocked(client), others = total_ - own;
  if (own == 0 && amount == 1) return true;
  if (own + amount <= single_ && others <= limit_ / 2) return true;
  return (own + amount) * 100 <= (limit_ - others) * percent_;
}

std::size_t Shares::HeldLocked(const std::string& client) const {
  const auto held = held_.find(client);
  return held == held_.end() ? 0 : held->second;
}

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
