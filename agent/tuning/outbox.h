// Results on their way to the hub: into the spool at once, from there when the hub takes them. A
// hub that is down costs the tuner nothing but the wait of one try now and then.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "agent/batch_sender.h"
#include "agent/spool.h"

namespace tunehub::agent::tuning {

struct OutboxOptions {
  int batches_per_push = 1;  // how many wait before a try
  std::chrono::seconds pause_after_failure{30};
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
  // Sends what waits, with all the policy's tries. True: nothing of this spool is left.
  bool Drain(const RetryPolicy& policy);

  std::size_t refused() const { return refused_.size(); }
  const std::vector<std::string>& messages() const { return refused_; }  // why batches were refused
  const std::string& last_error() const { return last_error_; }          // "": the hub took all
  // The id at the hub of the run with this key; "" while it does not know it.
  std::string RunId(const std::string& key) const;

 private:
  bool Send(const RetryPolicy& policy);

  const Spool& spool_;
  HubClient* hub_;
  OutboxOptions options_;
  int unsent_ = 0;
  std::chrono::steady_clock::time_point not_before_{};
  std::vector<std::string> refused_;
  std::string last_error_;
  std::map<std::string, std::string> run_ids_;
};

}  // namespace tunehub::agent::tuning
