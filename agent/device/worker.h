// Answers the tuner's requests (agent/device/worker_device.h has them) by the kernels of
// this build. Beside those, {"do":"device"} asks what runs them.
#pragma once

#include <iosfwd>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "agent/base/command.h"
#include "agent/device/runner.h"
#include "core/base/result.h"
#include "core/family/families.h"
#include "kernels/config.h"

namespace tunehub::agent {

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

// tunehub-agent worker CONFIGS [gpu INDEX]: on the CPU, or on that GPU; one line of JSON in, one
// line of JSON out, until its input ends. CONFIGS is a folder, or "" for the configuration that the
// program carries. `tunehub-agent tune` starts it, no person does.
inline constexpr char kWorkerCommand[] = "worker";

// Answers std::cin on `console`. Returns the exit code.
int Serve(const std::string& configs, Runner& runner, Console& console);

int RunWorker(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
