// Which of tunehub's own kernels a layer can launch, by name: asked once per M, then remembered.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "core/base/result.h"
#include "kernels/gpu/kernel_set.h"
#include "kernels/problem.h"

namespace tunehub::th {

struct Choice {
  kernels::Candidate candidate;
  std::size_t workspace_bytes = 0;
};

struct DefaultKernel {
  const char* name;  // lives as long as the Choices
  int split_k;
};

class Choices {
 public:
  // `kernels` must outlive it. `problem` at any M.
  Choices(kernels::Problem problem, kernels::gpu::DeviceProperties device,
          const kernels::gpu::KernelSet& kernels);

  // A candidate at m. Those of an M that a lookup pads m to are among them. Errors: unknown_kernel,
  // with name and shape.
  core::Result<Choice> Find(int m, std::string_view kernel_name, int split_k);
  // What runs where nothing was tuned. Errors: unknown_kernel.
  core::Result<DefaultKernel> Default(int m);

  kernels::Problem ProblemAt(int m) const;
  const kernels::gpu::KernelSet& kernels() const { return kernels_; }

 private:
  core::Result<Choice> Search(int m, std::string_view kernel_name, int split_k) const;
  core::Error NoKernel(int m, const std::string& what) const;

  const kernels::Problem problem_;
  const kernels::gpu::DeviceProperties device_;
  const kernels::gpu::KernelSet& kernels_;

  std::shared_mutex mutex_;
  std::map<std::tuple<int, int, std::string>, Choice, std::less<>> found_;  // by M, split-K, name
  std::map<int, DefaultKernel> defaults_;                                   // by M
  std::set<std::string> names_;  // of defaults; never dropped
};

}  // namespace tunehub::th
