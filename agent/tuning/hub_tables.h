// What the hub knows of a family, read for the tuner.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"
#include "agent/tuning/neighbours.h"
#include "agent/tuning/tuned_row.h"

namespace tunehub::agent::tuning {

class HubTables {
 public:
  // All must outlive it.
  HubTables(HubClient& hub, const core::Family& family, const core::Targets& targets,
            const RetryPolicy& policy)
      : hub_(hub), family_(family), targets_(targets), policy_(policy) {}

  // The tuned rows of `target`, by `provider` ("aiter", "tunehub"): measured ones, without those
  // keys of which only the default was. Without a target those of all. None where the hub has none.
  // Errors: hub_unreachable, and what the hub refuses.
  core::Result<std::vector<TunedRow>> Tuned(const std::optional<core::Target>& target,
                                            const std::string& provider);
  // Every candidate that was ever measured for the key, the fastest first; empty also where the hub
  // fails: hints are not worth an error.
  Ranking Ranked(const core::Target& target, const Columns& shape);
  // Whether somebody measured what runs untuned; false also where the hub fails.
  bool HasDefault(const core::Target& target, const Columns& shape);

 private:
  // The measurements of a key as the hub lists them; none where it fails.
  nlohmann::json Measured(const core::Target& target, const Columns& shape);
  core::Result<std::string> Get(const std::string& path, const Parameters& parameters);

  HubClient& hub_;
  const core::Family& family_;
  const core::Targets& targets_;
  RetryPolicy policy_;
};

}  // namespace tunehub::agent::tuning
