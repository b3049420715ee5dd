// The candidates for a problem on this machine, in a fixed order.
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

// Every candidate that is valid for the problem, in the order of the family's table; an instance's
// thread counts and split-K alternatives follow one another.
std::vector<Candidate> Candidates(const Problem& problem, const Machine& machine = ThisMachine());

// A family's kernels with all of the machine's cores, for any shape, even if their tiles need more
// registers than it has.
std::vector<std::string> Names(std::string_view family, const Machine& machine = ThisMachine());

// The untuned kernel of any shape: the table's first row with all cores and no split-K, as in an
// untuned build.
Candidate DefaultCandidate(const Problem& problem, const Machine& machine = ThisMachine());

// The config of a candidate. Errors: unknown_kernel (the family's table has no such name or id),
// kernel_not_valid (for another machine's threads or registers, or a split-K that the problem does
// not allow).
core::Result<Config> ConfigOf(const Problem& problem, const Candidate& candidate,
                              const Machine& machine = ThisMachine());

}  // namespace tunehub::kernels
