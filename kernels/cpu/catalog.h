// All that can run a problem on this machine, in a fixed order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "kernels/config.h"
#include "kernels/device.h"
#include "kernels/problem.h"

namespace tunehub::kernels {

// The families that ReadProblem accepts.
const std::vector<std::string_view>& CoveredFamilies();

struct Machine {
  Isa isa = Isa::kV2;
  int cores = 1;
};
Machine ThisMachine();  // precondition: BestIsa()

// Every candidate that is valid for the problem, in the order of the family's table; each
// instance's numbers of threads and split-K alternatives behind one another.
std::vector<Candidate> Candidates(const Problem& problem, const Machine& machine = ThisMachine());

// The kernels of a family with all of the machine's cores, whatever the shape; also those whose
// tiles need more registers than it has.
std::vector<std::string> Names(std::string_view family, const Machine& machine = ThisMachine());

// What runs where nothing was tuned: the table's first row with all cores and no split-K, whatever
// the shape, as an untuned build has it.
Candidate DefaultCandidate(const Problem& problem, const Machine& machine = ThisMachine());

// The config behind a candidate. Errors: unknown_kernel (no such name in the table of the problem's
// family, or another id), kernel_not_valid (another machine's: threads, registers; or a split-K
// that the problem does not allow).
core::Result<Config> ConfigOf(const Problem& problem, const Candidate& candidate,
                              const Machine& machine = ThisMachine());

}  // namespace tunehub::kernels
