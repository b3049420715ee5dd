// Every kernel of a family, run on the test shapes and compared with the float64 reference: whether
// a device computes what it should, not how fast.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "agent/tuning/device/device.h"
#include "agent/tuning/device/measurement.h"

namespace tunehub::agent::tuning {

// One run that went wrong.
struct Fault {
  std::string kernel;  // "": of no kernel in particular
  Columns candidate, shape;
  Outcome outcome = Outcome::kFailed;  // or kWrong
  std::string reason;
};

struct FamilyReport {
  std::string family;
  std::size_t runs = 0;  // verified
  // Kernels, each counted once, by the worst that happened to it: `failed` crashed, hung or was
  // refused by the driver; `not_valid` ran on none of the shapes.
  std::size_t ok = 0, wrong = 0, failed = 0, not_valid = 0;
  std::vector<Fault> faults;

  std::size_t kernels() const { return ok + wrong + failed + not_valid; }
  bool passed() const { return faults.empty(); }
};

// `kernels`: the family's names, not empty. Verifies every candidate of every shape and, where a
// shape's untuned choice is right, also times it, hot and cold where the device can. `limit`: the
// share of wrong elements that is allowed. Fills `report` as far as it comes.
// Errors: no_device, where nothing can run here any more.
core::Status CheckFamily(TuningDevice& device, const std::vector<std::string>& kernels,
                         const std::vector<Columns>& shapes, double limit, FamilyReport& report);

}  // namespace tunehub::agent::tuning
