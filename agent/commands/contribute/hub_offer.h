// What a hub serves, to be given back: its tables, and of the rows that are chosen what the hub
// knows of how they were measured.
#pragma once

#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/commands/contribute/contribution.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"
#include "core/base/result.h"

namespace tunehub::agent {

struct HubAsked {
  std::vector<const core::Family*> families;
  // By the user. Of others it is no error that the model has no shape of them.
  bool named = false;
  Parameters filters;              // of GET /tuned: gfx, cu_num, model, tp, a device
  std::string provider = "aiter";  // whose kernels
};

// A hub is asked for the measurements of so many rows, one request each; more have no times before
// and no run in the text, which says so.
inline constexpr std::size_t kMostAskedRows = 2'000;

class HubOffer {
 public:
  // All must outlive it.
  HubOffer(const Configuration& configuration, HubClient& hub, const RetryPolicy& retry,
           const Pauses& pauses)
      : configuration_(configuration), hub_(hub), retry_(retry), pauses_(pauses) {}

  // Rows of the provider's kernels that were measured and are no mere baseline. Errors: what the
  // hub answered; those of ReadTunedTable.
  core::Result<Offer> Read(const HubAsked& asked, const std::string& address);

  // Adds to the rows the run that measured each and the time of what ran untuned, and to `runs`
  // what the hub knows of those runs. Errors: what the hub answered; bad_answer.
  core::Status AddEvidence(Contribution& contribution, std::vector<nlohmann::ordered_json>& runs);

 private:
  core::Result<std::string> Get(const std::string& path, const Parameters& parameters);
  core::Result<nlohmann::ordered_json> GetJson(const std::string& path,
                                               const Parameters& parameters);

  const Configuration& configuration_;
  std::string provider_;  // of the last Read
  HubClient& hub_;
  const RetryPolicy& retry_;
  const Pauses& pauses_;
};

}  // namespace tunehub::agent
