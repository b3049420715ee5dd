// Every kernel of a family, run on the test shapes and compared with the float64 reference: whether
// a device computes what it should, not how fast.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/command.h"
#include "agent/device/device.h"
#include "agent/device/this_device.h"

namespace tunehub::agent {

// One run that went wrong.
struct Fault {
  std::string kernel;  // "": of no kernel in particular
  Columns candidate, shape;
  Outcome outcome = Outcome::kBroken;  // or kWrong
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

// Of a family, in every format that its key can name: aligned, ending within tiles each way, one
// row, and so few tiles that K is split. `large`: also more tiles than a GPU has processors, in
// parts, so that every order of blocks turns over. Empty: no kernel of tunehub's own is of the
// family.
std::vector<Columns> SelftestShapes(std::string_view family, bool large);

// What was found, for programs and for people.
nlohmann::ordered_json ToJson(const FamilyReport& report);

// A line of counts, and one per kernel that went wrong, with the first reason.
void Print(std::ostream& out, const FamilyReport& report);

// tunehub-agent selftest.
int RunSelftest(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
