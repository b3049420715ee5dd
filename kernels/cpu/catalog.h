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

// Every valid candidate for the problem, in the order of the family's table. Lists each instance
// with its thread counts and split-K alternatives, one after another.
std::vector<Candidate> Candidates(const Problem& problem, const Machine& machine = ThisMachine());

// The names of a family's kernels for any shape, with all cores of the machine. Includes kernels
// whose tile needs more registers than the machine has.
std::vector<std::string> Names(std::string_view family, const Machine& machine = ThisMachine());

// The untuned kernel for any shape: the table's first row with all cores and without split K. It
// runs if there is no tuned row.
Candidate DefaultCandidate(const Problem& problem, const Machine& machine = ThisMachine());

// The config of a candidate. Errors:
// * unknown_kernel: the family's table does not contain this name or id.
// * kernel_not_valid: the kernel needs more threads or registers than this machine has, or the
//   problem does not allow this split of K.
core::Result<Config> ConfigOf(const Problem& problem, const Candidate& candidate,
                              const Machine& machine = ThisMachine());

}  // namespace tunehub::kernels
