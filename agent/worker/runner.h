// What runs candidates inside the worker: the CPU or one GPU.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "kernels/candidate.h"
#include "kernels/check.h"
#include "kernels/gpu/cache.h"
#include "kernels/problem.h"

namespace tunehub::agent::worker {

// An error of this code leaves nothing behind that could run another candidate: the worker says so
// and ends.
inline constexpr char kLost[] = "runtime";
inline constexpr char kUnsupportedShape[] = "unsupported_shape";

struct Offered {
  std::vector<kernels::Candidate> candidates;
  std::size_t fallback = 0;
  bool caches = false;  // Sample takes every kind of Cache
};

class Runner {
 public:
  virtual ~Runner() = default;
  // What it runs on: kind, name, gfx, cu_num, memory, driver, clocks. Errors: no_device and the
  // like.
  virtual core::Result<nlohmann::json> Device() = 0;
  // Every kernel of the family that it has, whatever the shape. Errors: those of Device.
  virtual core::Result<std::vector<std::string>> Kernels(const std::string& family) = 0;
  // Makes the problem the one that the following calls are about. Errors: unsupported_shape (also
  // one that the device's memory does not hold), kLost, those of Device.
  virtual core::Result<Offered> Prepare(const kernels::Problem& problem, std::uint64_t seed) = 0;
  virtual core::Result<kernels::Check> Verify(std::size_t candidate) = 0;
  // Errors of a runner without the kind of Cache: bad_request.
  virtual core::Result<double> Sample(std::size_t candidate, int calls,
                                      kernels::gpu::Cache cache) = 0;
  virtual core::Result<double> Pulse() = 0;
};

}  // namespace tunehub::agent::worker
