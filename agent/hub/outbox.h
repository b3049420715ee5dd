// Writes results into the spool at once, and sends them when the hub is reachable. While the hub is
// down, the tuner loses only the time of a few tries.
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
    kAccepted,  // the hub sent a receipt; the batch is no longer in the spool
    kRefused,   // the hub will never accept the batch; it is now in refused/
    kWaiting,   // a later try may succeed; the batch is still in the spool
  };
  Kind kind = Kind::kWaiting;
  nlohmann::json receipt;  // only for kAccepted
  HubProblem problem;      // only for kRefused
  core::Error error;       // only for kRefused and kWaiting: a text for people
};

class BatchSender {
 public:
  // All arguments must outlive it.
  BatchSender(HubClient& hub, const Spool& spool, const RetryPolicy& policy, const Pauses& pauses)
      : hub_(hub), spool_(spool), policy_(policy), pauses_(pauses) {}

  // Errors: file_unwritable (the spool).
  core::Result<SendOutcome> Send(const HeldBatch& held);

  // The hub's ids of new runs whose batches were sent, by NewRun::key.
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
  std::string first_rejected;     // why the hub refused the first of them
  std::size_t dropped_posts = 0;  // the oldest posts, dropped while the hub was unreachable
};

// Posts raw missed shapes and their counts to the hub as demand. Failed posts wait in memory. The
// next try has the same Idempotency-Key, so that the hub counts nothing twice.
class DemandSender {
 public:
  // All arguments must outlive it.
  DemandSender(HubClient& hub, const RetryPolicy& policy, const Pauses& pauses)
      : hub_(hub), policy_(policy), pauses_(pauses) {}

  // Queues the shapes, one post per family and target.
  void Add(std::span<const core::MissShape> shapes);
  // Sends queued posts, oldest first, up to the first failure. Drops a post that the hub will never
  // accept. Errors: hub_unreachable, the hub's own.
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
  int batches_per_push = 1;  // number of waiting batches that starts a try
  std::chrono::seconds pause_after_failure{30};
  // The pause before a batch that a proxy refused for its size is sent again. A batch may have 60
  // MB and uses the same network as inference.
  std::chrono::seconds pause_after_too_large{600};
};

class Outbox {
 public:
  // If `hub` is null, everything stays in the spool. All arguments must outlive this object.
  Outbox(const Spool& spool, HubClient* hub, const OutboxOptions& options)
      : spool_(spool), hub_(hub), options_(options) {}

  // The batch is on disk when it returns. Errors: spool_full, file_unwritable.
  core::Status Add(const BatchHeader& header, std::string_view body);
  // Tries each waiting batch once, unless the hub failed a moment ago.
  void Push();
  // Sends waiting batches with all tries of the policy. Waits while another process sends a batch
  // of this outbox. Returns true if no batch of this outbox waits any more and no try failed. For a
  // batch that is too large for a proxy, failure() is too_large_between. If waits_own() is true,
  // the batch belongs to this outbox.
  bool Drain(const RetryPolicy& policy);

  std::size_t refused() const { return refused_; }
  // Refused batches that this outbox added; the spool may contain other processes' batches.
  std::size_t refused_own() const { return refused_own_; }
  // True if a batch of this outbox waits.
  bool waits_own() const { return !own_.empty(); }
  // Waiting batches stay in the spool, but no longer count as this outbox's own.
  void LeaveOwn() { own_.clear(); }
  // Reasons of refused batches and of files set aside: the newest kMostMessages.
  const std::vector<std::string>& messages() const { return messages_; }
  // The messages since the last call.
  std::vector<std::string> TakeNews() { return std::exchange(news_, {}); }
  const std::string& last_error() const { return failure_.detail; }  // "": the hub took all batches
  const core::Error& failure() const { return failure_; }            // the last error with its code
  // The hub's id of the run with this key; "" if not known yet.
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
  // by key: batches that this outbox added and that still wait
  std::map<std::string, std::filesystem::path> own_;
  std::set<std::filesystem::path> unreadable_;  // already reported
  struct TooLarge {
    std::chrono::steady_clock::time_point until;  // the batch is not sent before this time
    core::Error why;
  };
  std::map<std::filesystem::path, TooLarge> too_large_;
};

inline constexpr std::size_t kMostMessages = 100;  // a daemon runs for months

}  // namespace tunehub::agent
