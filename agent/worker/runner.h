// What runs candidates inside the worker: the CPU or one GPU.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/result.h"
#include "kernels/candidate.h"
#include "kernels/check.h"
#include "kernels/problem.h"

namespace tunehub::agent::worker {

// An error of this code leaves nothing behind that could run another candidate: the worker says so
// and ends.
inline constexpr char kLost[] = "runtime";

struct Offered {
  std::vector<kernels::Candidate> candidates;
  std::size_t fallback = 0;
};

class Runner {
 public:
  virtual ~Runner() = default;
  // What it runs on: kind, name, gfx, cu_num, memory, driver, clocks. Errors: no_device and the
  // like.
  virtual core::Result<nlohmann::json> Device() = 0;
  // Makes the problem the one that the following calls are about. Errors: unsupported_shape.
  virtual core::Result<Offered> Prepare(const kernels::Problem& problem, std::uint64_t seed) = 0;
  virtual core::Result<kernels::Check> Verify(std::size_t candidate) = 0;
  virtual core::Result<double> Sample(std::size_t candidate, int calls) = 0;
  virtual core::Result<double> Pulse() = 0;
};

}  // namespace tunehub::agent::worker
