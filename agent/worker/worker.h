// Answers the tuner's requests (agent/tuning/worker_device.h has them) by the kernels of this
// build.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/families.h"
#include "core/result.h"
#include "kernels/candidate.h"
#include "kernels/workbench.h"

namespace tunehub::agent::worker {

class Worker {
 public:
  explicit Worker(const core::Families& families) : families_(families) {}

  // Always an answer: what cannot be done is {"failed": code, "detail": ...}.
  nlohmann::json Answer(const nlohmann::json& request);

 private:
  core::Result<nlohmann::json> Prepare(const nlohmann::json& request);
  core::Result<nlohmann::json> Verify(const kernels::Candidate& candidate);
  core::Result<nlohmann::json> Sample(const kernels::Candidate& candidate, int calls);
  core::Result<nlohmann::json> Do(const nlohmann::json& request);

  const core::Families& families_;
  std::optional<kernels::Workbench> bench_;
  std::vector<kernels::Candidate> candidates_;
};

// The cells by which a row of `family` names the candidate.
std::map<std::string, std::string> CellsOf(const core::Family& family,
                                           const kernels::Problem& problem,
                                           const kernels::Candidate& candidate);

}  // namespace tunehub::agent::worker
