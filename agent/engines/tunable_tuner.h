// PyTorch's TunableOp, run offline: torch.cuda.tunable tunes a list of GEMMs in a folder of its
// own.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/engines/engine_run.h"
#include "core/row/tunable_line.h"

namespace tunehub::agent {

// What PyTorch's TunableOp says at verbosity 3 of the candidates that it times; the results file
// has the fastest alone. Pure; every unknown line is passed over.
struct TunableCandidates {
  std::map<std::string, std::string> ms;  // by solution: its least time, as printed
  std::set<std::string> tried;            // solutions, those without a time included
};

class TunableLog {
 public:
  // The lines of the driver ("tunehub: device NVIDIA H200") are read as well.
  void Add(std::string_view line);

  const std::map<core::TunableShape, TunableCandidates>& candidates() const { return candidates_; }
  const std::string& device() const { return device_; }    // "NVIDIA H200"
  const std::string& version() const { return version_; }  // of PyTorch
  // What could not be tuned, and why.
  const std::vector<std::string>& failures() const { return failures_; }
  std::size_t begun() const { return begun_; }  // shapes

 private:
  void AddDriver(std::string_view text);

  std::map<core::TunableShape, TunableCandidates> candidates_;
  TunableCandidates* open_ = nullptr;  // whose candidates are being timed
  std::string device_, version_;
  std::vector<std::string> failures_;
  std::size_t begun_ = 0;
};

struct TunableSettings : EngineSettings {
  std::optional<int> iters, warmup;  // of each candidate; absent: as TunableOp does it
};

// Tunes `shapes`, which are no patterns. Whatever was found is in the run, also after a failure:
// report.outcome says how it ended. Errors: tuner_unstartable, file_unwritable, no_shapes.
core::Result<EngineRun> TuneTunable(const TunableSettings& settings,
                                    const std::vector<core::TunableShape>& shapes,
                                    const EngineObserver& observer);

}  // namespace tunehub::agent
