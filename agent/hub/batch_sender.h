// Sends batches to the hub and says what became of each.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <span>
#include <string>

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

}  // namespace tunehub::agent
