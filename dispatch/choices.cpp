#include "dispatch/choices.h"

#include <fmt/core.h>

#include <mutex>
#include <utility>

namespace tunehub::th {
namespace {

// An engine that meets every M there is must not fill the memory: beyond, all is asked anew.
constexpr std::size_t kMostRemembered = 8192;

}  // namespace

Choices::Choices(kernels::Problem problem, kernels::gpu::DeviceProperties device,
                 const kernels::gpu::KernelSet& kernels)
    : problem_(std::move(problem)), device_(std::move(device)), kernels_(kernels) {}

kernels::Problem Choices::ProblemAt(int m) const {
  kernels::Problem problem = problem_;
  problem.m = m;
  return problem;
}

core::Error Choices::NoKernel(int m, const std::string& what) const {
  return {"unknown_kernel", fmt::format("{} of {} for {} at M={} N={} K={}", what, problem_.family,
                                        device_.target.gfx, m, problem_.n, problem_.k)};
}

core::Result<Choice> Choices::Search(int m, std::string_view kernel_name, int split_k) const {
  const kernels::Problem problem = ProblemAt(m);
  for (kernels::Candidate& it : kernels_.Candidates(problem, device_)) {
    if (it.kernel_name != kernel_name || it.split_k != split_k) continue;
    const std::size_t bytes = kernels_.WorkspaceBytes(problem, it, device_);
    return Choice{std::move(it), bytes};
  }
  return NoKernel(
      m, fmt::format("'{}' with splitK {} is no kernel of tunehub's own", kernel_name, split_k));
}

core::Result<Choice> Choices::Find(int m, std::string_view kernel_name, int split_k) {
  {
    const std::shared_lock lock(mutex_);
    const auto found = found_.find(std::tuple(m, split_k, kernel_name));
    if (found != found_.end()) return found->second;
  }
  auto choice = Search(m, kernel_name, split_k);
  if (!choice.ok()) return choice;
  const std::unique_lock lock(mutex_);
  if (found_.size() >= kMostRemembered) found_.clear();
  found_.emplace(std::tuple(m, split_k, std::string(kernel_name)), *choice);
  return choice;
}

core::Result<DefaultKernel> Choices::Default(int m) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = defaults_.find(m); found != defaults_.end()) return found->second;
  }
  const auto candidates = kernels_.Candidates(ProblemAt(m), device_);
  if (candidates.empty()) return NoKernel(m, "there is no kernel of tunehub's own");
  const std::unique_lock lock(mutex_);
  const auto name = names_.insert(candidates.front().kernel_name).first;
  if (defaults_.size() >= kMostRemembered) defaults_.clear();
  return defaults_[m] = DefaultKernel{name->c_str(), candidates.front().split_k};
}

}  // namespace tunehub::th
