// Results on their way to the hub: into the spool at once, from there when the hub takes them. A
// hub that is down costs the tuner nothing but the wait of one try now and then.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/hub/hub_client.h"
#include "agent/hub/spool.h"
#include "core/misses/miss_log.h"

namespace tunehub::agent {

struct SendOutcome {
  enum class Kind {
    kAccepted,  // the receipt is here, the batch is gone from the spool
    kRefused,   // the hub will never take it: in refused/
    kWaiting,   // may succeed later: still in the spool
  };
  Kind kind = Kind::kWaiting;
  nlohmann::json receipt;  // kAccepted
  HubProblem problem;      // kRefused
  core::Error error;       // kRefused, kWaiting: for people
};

class BatchSender {
 public:
  // All must outlive it.
  BatchSender(HubClient& hub, const Spool& spool, const RetryPolicy& policy, const Pauses& pauses)
      : hub_(hub), spool_(spool), policy_(policy), pauses_(pauses) {}

  // Errors: file_unwritable (of the spool).
  core::Result<SendOutcome> Send(const HeldBatch& held);

  // The hub's ids of the new runs whose batches were sent, by NewRun::key.
  const std::map<std::string, std::string>& run_ids() const { return run_ids_; }

 private:
  core::Result<Answer> Post(const Batch& batch);
  core::Result<Answer> PostRun(const NewRun& run);
  core::Result<SendOutcome> Settle(const HeldBatch& held, const Answer& answer);

  HubClient& hub_;
  const Spool& spool_;
  const RetryPolicy& policy_;
  const Pauses& pauses_;
  std::map<std::string, std::string> run_ids_;
};

struct DemandSent {
  std::size_t posts = 0, shapes = 0;
  std::uint64_t count = 0, new_shapes = 0;
  std::size_t rejected = 0;       // rows that the hub refused
  std::string first_rejected;     // why
  std::size_t dropped_posts = 0;  // the oldest, while the hub was away for hours
};

// Posts missed shapes to the hub as demand: raw, with their counts. What the hub cannot take now
// waits in memory and is sent again, with the same Idempotency-Key, so that nothing counts twice.
class DemandSender {
 public:
  // All must outlive it.
  DemandSender(HubClient& hub, const RetryPolicy& policy, const Pauses& pauses)
      : hub_(hub), policy_(policy), pauses_(pauses) {}

  // Adds the shapes to what waits; one post per family and target.
  void Add(std::span<const core::MissShape> shapes);
  // Sends what waits, oldest first, up to the first that fails. Errors: hub_unreachable and what
  // the hub answered; a post that the hub will never take is dropped.
  core::Status Send();

  bool waiting() const { return !posts_.empty(); }
  const DemandSent& sent() const { return sent_; }

 private:
  struct Post {
    std::string key, family, body;
    std::size_t shapes = 0;
  };
  void AddPost(std::span<const core::MissShape* const> shapes);
  core::Status Count(const Post& post, const Answer& answer);

  HubClient& hub_;
  const RetryPolicy& policy_;
  const Pauses& pauses_;
  std::deque<Post> posts_;
  DemandSent sent_;
};

struct OutboxOptions {
  int batches_per_push = 1;  // how many wait before a try
  std::chrono::seconds pause_after_failure{30};
  // Before a batch that something between refused for its size is sent again: it may have 60 MB,
  // and goes out beside inference.
  std::chrono::seconds pause_after_too_large{600};
};

class Outbox {
 public:
  // `hub` may be null: then everything stays in the spool. All must outlive it.
  Outbox(const Spool& spool, HubClient* hub, const OutboxOptions& options)
      : spool_(spool), hub_(hub), options_(options) {}

  // In the spool when it returns. Errors: spool_full, file_unwritable.
  core::Status Add(const BatchHeader& header, std::string_view body);
  // Sends what waits, once each, unless the hub failed a moment ago.
  void Push();
  // Sends what waits, with all the policy's tries, and waits for another process of this spool that
  // is sending what was added here. True: nothing waits. What is too large for something between is
  // a failure, too_large_between; of what was added here where waits_own().
  bool Drain(const RetryPolicy& policy);

  std::size_t refused() const { return refused_; }
  // Of those, the ones that were added here: others may lie in the spool, too.
  std::size_t refused_own() const { return refused_own_; }
  // Whether a batch that was added here waits.
  bool waits_own() const { return !own_.empty(); }
  // What waits stays in the spool, and is nobody's own any more.
  void LeaveOwn() { own_.clear(); }
  // Why batches were refused, and files of the spool set aside: the newest kMostMessages.
  const std::vector<std::string>& messages() const { return messages_; }
  // Those since the last call: each is told once.
  std::vector<std::string> TakeNews() { return std::exchange(news_, {}); }
  const std::string& last_error() const { return failure_.detail; }  // "": the hub took all
  const core::Error& failure() const { return failure_; }            // the same, with its code
  // The id at the hub of the run with this key; "" while it does not know it.
  std::string RunId(const std::string& key) const;

 private:
  bool Send(const RetryPolicy& policy);
  core::Status SendAll(BatchSender& sender);
  core::Status PutOff(const std::filesystem::path& path, const SendOutcome& outcome);
  void Settle(const std::string& key, const SendOutcome& outcome);
  core::Status WhatIsLeft();
  void ForgetTooLarge();
  void SetAside(const std::filesystem::path& path, const core::Error& why);
  void Tell(const std::string& message);

  const Spool& spool_;
  HubClient* hub_;
  OutboxOptions options_;
  int unsent_ = 0;
  std::chrono::steady_clock::time_point not_before_{};
  std::size_t refused_ = 0, refused_own_ = 0;
  std::vector<std::string> messages_, news_;
  core::Error failure_;
  std::map<std::string, std::string> run_ids_;
  std::map<std::string, std::filesystem::path> own_;  // by key: added here, and not settled yet
  std::set<std::filesystem::path> unreadable_;        // told already
  struct TooLarge {
    std::chrono::steady_clock::time_point until;  // it is not sent before
    core::Error why;
  };
  std::map<std::filesystem::path, TooLarge> too_large_;
};

inline constexpr std::size_t kMostMessages = 100;  // a daemon runs for months

}  // namespace tunehub::agent
