// Answers the tuner's requests (agent/tuning/device/worker_device.h has them) by the kernels of
// this build. Beside those, {"do":"device"} asks what runs them.
#pragma once

#include <iosfwd>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "agent/worker/runner.h"
#include "core/base/result.h"
#include "core/family/families.h"
#include "kernels/candidate.h"

namespace tunehub::agent::worker {

class Worker {
 public:
  // Both must outlive it.
  Worker(const core::Families& families, Runner& runner) : families_(families), runner_(runner) {}

  // Always an answer: what cannot be done is {"failed": code, "detail": ...}.
  nlohmann::json Answer(const nlohmann::json& request);
  // A line of JSON out for a line of JSON in, until `in` ends.
  void Serve(std::istream& in, std::ostream& out);

 private:
  core::Result<nlohmann::json> Prepare(const nlohmann::json& request);
  core::Result<nlohmann::json> Verify(std::size_t candidate);
  core::Result<nlohmann::json> Kernels(const std::string& family);
  core::Result<nlohmann::json> Sample(std::size_t candidate, const nlohmann::json& request);
  core::Result<nlohmann::json> Pulse();
  core::Result<nlohmann::json> Do(const nlohmann::json& request);

  const core::Families& families_;
  Runner& runner_;
  std::size_t candidates_ = 0;  // of the prepared shape; 0: none is
};

// The cells by which a row of `family` names the candidate.
std::map<std::string, std::string> CellsOf(const core::Family& family,
                                           const kernels::Problem& problem,
                                           const kernels::Candidate& candidate);

}  // namespace tunehub::agent::worker
