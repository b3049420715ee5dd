// Sends batches to the hub and says what became of each.
#pragma once

#include <map>
#include <string>

#include "agent/hub/problem.h"
#include "agent/hub/retry.h"
#include "agent/hub/spool.h"

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

}  // namespace tunehub::agent
