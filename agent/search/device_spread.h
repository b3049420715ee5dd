// Computes how much a device's times differ from run to run, and so how certain a measured time is.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/device/this_device.h"
#include "agent/search/session.h"
#include "core/base/result.h"

namespace tunehub::agent {

struct TimeRange {
  double low = 0, high = 0;  // microseconds
  std::string bound;         // why the range is so wide: "samples", or a least share and its origin
};

// Returns the 95 % confidence interval of the samples' median. Samples of one run do not show how
// runs differ. So the interval extends by at least `spread` of the median in both directions
// (DeviceSpread::share; 0: 1 %). For three to five samples it extends by at least 5 %. Empty for
// fewer samples.
std::optional<TimeRange> RangeOf(const std::vector<double>& samples, double spread);

// The run-to-run spread of one device, learned from the reference times of shapes that were
// measured in several runs. A file in the agent's folder contains the reference times. A CPU's
// spread is never known, since its reference times are not times of kernels.
class DeviceSpread {
 public:
  // Starts empty if the file is missing or damaged, or belongs to another driver or agent.
  DeviceSpread(const std::filesystem::path& folder, const DeviceInfo& device);

  // In 95 % of cases, two runs' times of one kernel differ by less than this share. So the range of
  // one run contains the time of the other run. 0: too few shapes were measured twice.
  double share() const;
  // Adds a run's shape. A shape that a restarted run reports again changes nothing.
  void Add(const std::string& family, const DoneShape& done);
  // Errors: file_unwritable.
  core::Status Save() const;

 private:
  void Read();

  std::filesystem::path path_;                // empty for a CPU
  std::string device_;                        // the device, and the facts that its times depend on
  std::map<std::string, double> references_;  // by family and shape: the last run's microseconds
  std::deque<double> changes_;                // from run to run, as shares; the oldest first
};

}  // namespace tunehub::agent
