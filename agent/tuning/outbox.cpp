#include "agent/tuning/outbox.h"

namespace tunehub::agent::tuning {

core::Status Outbox::Add(const BatchHeader& header, std::string_view body) {
  const auto held = spool_.Add(header, body);
  if (!held.ok()) return held.error();
  ++unsent_;
  return core::Ok();
}

void Outbox::Push() {
  const auto now = std::chrono::steady_clock::now();
  if (hub_ == nullptr || unsent_ < options_.batches_per_push || now < not_before_) return;
  if (!Send({.tries = 1})) not_before_ = now + options_.pause_after_failure;
}

bool Outbox::Drain(const RetryPolicy& policy) {
  return hub_ != nullptr && Send(policy);
}

bool Outbox::Send(const RetryPolicy& policy) {
  const Pauses pauses = Pauses::Real();
  BatchSender sender(*hub_, spool_, policy, pauses);
  for (const std::filesystem::path& path : spool_.Waiting()) {
    const auto held = spool_.Take(path);
    if (!held.ok()) refused_.push_back(held.error().detail);
    if (!held.ok() || !held->has_value()) continue;
    const auto outcome = sender.Send(**held);
    if (!outcome.ok() || outcome->kind == SendOutcome::Kind::kWaiting) {
      last_error_ = outcome.ok() ? outcome->error.detail : outcome.error().detail;
      return false;
    }
    if (outcome->kind == SendOutcome::Kind::kRefused) refused_.push_back(outcome->error.detail);
  }
  run_ids_.insert(sender.run_ids().begin(), sender.run_ids().end());
  last_error_.clear();
  unsent_ = 0;
  return true;
}

std::string Outbox::RunId(const std::string& key) const {
  const auto found = run_ids_.find(key);
  return found == run_ids_.end() ? "" : found->second;
}

}  // namespace tunehub::agent::tuning
