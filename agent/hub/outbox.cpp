#include "agent/hub/outbox.h"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include "agent/hub/hub_client.h"

namespace tunehub::agent {
namespace {

constexpr char kSpoolInUse[] = "spool_in_use";

bool IsGone(const std::filesystem::path& path) {
  std::error_code error;
  return !std::filesystem::exists(path, error);
}

void AddBounded(std::vector<std::string>& messages, const std::string& message) {
  if (messages.size() >= kMostMessages) messages.erase(messages.begin());
  messages.push_back(message);
}

}  // namespace

core::Status Outbox::Add(const BatchHeader& header, std::string_view body) {
  const auto held = spool_.Add(header, body);
  if (!held.ok()) return held.error();
  own_[header.key] = held->path;
  ++unsent_;
  return core::Ok();
}

void Outbox::Push() {
  const auto now = std::chrono::steady_clock::now();
  if (hub_ == nullptr || unsent_ < options_.batches_per_push || now < not_before_) return;
  if (!Send({.tries = 1})) not_before_ = now + options_.pause_after_failure;
}

bool Outbox::Drain(const RetryPolicy& policy) {
  if (hub_ == nullptr) return false;
  auto pause = policy.first_pause;
  // Another process has sent its batch in a moment, or leaves it for this one to send.
  for (int attempt = 1; !Send(policy); ++attempt) {
    const bool again = failure_.code == kSpoolInUse && attempt < policy.tries;
    if (!again || !Rested(pause, policy, Pauses::Real())) return false;
    pause = std::min(pause * 2, policy.longest_pause);
  }
  return true;
}

void Outbox::Tell(const std::string& message) {
  AddBounded(messages_, message);
  AddBounded(news_, message);
}

// What is no batch never becomes one: it must not be met again by every later try. A file that
// cannot be read now may be tomorrow, and stays.
void Outbox::SetAside(const std::filesystem::path& path, const core::Error& why) {
  if (why.code != kBadBatch) {
    if (unreadable_.size() < kMostMessages && unreadable_.insert(path).second) Tell(why.detail);
    return;
  }
  const auto moved = spool_.SetAside(path, why.detail);
  if (moved.ok()) {
    Tell("set aside, no batch: " + why.detail);
  } else if (unreadable_.size() < kMostMessages && unreadable_.insert(path).second) {
    Tell(fmt::format("{}; it cannot be set aside: {}", why.detail, moved.error().detail));
  }
}

void Outbox::ForgetTooLarge() {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(too_large_, [&](const auto& batch) {
    return batch.second.until <= now || IsGone(batch.first);
  });
}

// An error ends the sending. What is too large between is none: those behind it may be smaller.
core::Status Outbox::PutOff(const std::filesystem::path& path, const SendOutcome& outcome) {
  const bool answered = outcome.problem.status != 0;
  core::Error why = answered ? HubErrorOf(outcome.problem) : outcome.error;
  if (why.code != kTooLargeBetween) return why;
  const auto until = std::chrono::steady_clock::now() + options_.pause_after_too_large;
  too_large_[path] = {until, std::move(why)};
  return core::Ok();
}

void Outbox::Settle(const std::string& key, const SendOutcome& outcome) {
  const bool own = own_.erase(key) > 0;
  if (outcome.kind != SendOutcome::Kind::kRefused) return;
  ++refused_;
  refused_own_ += own ? 1 : 0;
  Tell(outcome.error.detail);
}

core::Status Outbox::SendAll(BatchSender& sender) {
  ForgetTooLarge();
  for (const std::filesystem::path& path : spool_.Waiting()) {
    if (too_large_.contains(path)) continue;
    const auto held = spool_.Take(path);
    if (!held.ok()) SetAside(path, held.error());
    if (!held.ok() || !held->has_value()) continue;
    const auto outcome = sender.Send(**held);
    if (!outcome.ok()) return outcome.error();
    if (outcome->kind != SendOutcome::Kind::kWaiting) {
      Settle((*held)->batch.header.key, *outcome);
    } else if (auto off = PutOff(path, *outcome); !off.ok()) {
      return off;
    }
  }
  return WhatIsLeft();
}

// Another process of this spool may have sent some of what was added here, or be about to.
core::Status Outbox::WhatIsLeft() {
  std::erase_if(own_, [](const auto& batch) { return IsGone(batch.second); });
  for (const auto& [key, path] : own_) {
    if (const auto found = too_large_.find(path); found != too_large_.end())
      return found->second.why;
  }
  if (own_.empty()) return too_large_.empty() ? core::Ok() : too_large_.begin()->second.why;
  return core::Error{kSpoolInUse, own_.begin()->second.string() + ": another process sends it"};
}

bool Outbox::Send(const RetryPolicy& policy) {
  const Pauses pauses = Pauses::Real();
  BatchSender sender(*hub_, spool_, policy, pauses);
  const core::Status sent = SendAll(sender);
  run_ids_.insert(sender.run_ids().begin(), sender.run_ids().end());
  failure_ = sent.ok() ? core::Error() : sent.error();
  if (!sent.ok()) return false;
  unsent_ = 0;
  return true;
}

std::string Outbox::RunId(const std::string& key) const {
  const auto found = run_ids_.find(key);
  return found == run_ids_.end() ? "" : found->second;
}

}  // namespace tunehub::agent
