// The spread of a device's times from run to run, and so the certainty of a measured time.
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
  std::string bound;         // what made it so wide: "samples", or a least share and its origin
};

// The 95 % interval of the samples' median. Samples of one run do not show how runs differ. So the
// interval extends to each side by at least `spread` of the median (DeviceSpread::share; 0: 1 %),
// and by at least 5 % for three to five samples. Empty for fewer samples.
std::optional<TimeRange> RangeOf(const std::vector<double>& samples, double spread);

// The run-to-run spread of one device, learned from the references of shapes that were measured in
// several runs. A file in the agent's folder keeps the references. A CPU's spread is never known,
// since its references are not times of kernels.
class DeviceSpread {
 public:
  // Starts empty if the file is missing, damaged, or of another driver or agent.
  DeviceSpread(const std::filesystem::path& folder, const DeviceInfo& device);

  // In 95 % of cases two runs' times of one kernel differ by less than this share. So one run's
  // range contains the other run's time. 0: too few references were measured twice.
  double share() const;
  // Adds a run's shape. A shape that a restarted run reports again changes nothing.
  void Add(const std::string& family, const DoneShape& done);
  // Errors: file_unwritable.
  core::Status Save() const;

 private:
  void Read();

  std::filesystem::path path_;                // empty: a CPU's
  std::string device_;                        // the device, and the facts that its times depend on
  std::map<std::string, double> references_;  // by family and shape: the last run's microseconds
  std::deque<double> changes_;                // from run to run, as shares; the oldest first
};

}  // namespace tunehub::agent
