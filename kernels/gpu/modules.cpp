#include "kernels/gpu/modules.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

namespace tunehub::kernels::gpu {
namespace {

// CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES. A kernel must set it to use more than 48 KiB.
constexpr int kMaxDynamicShared = 8;

// A launch whose blocks run in clusters: a CUlaunchConfig with one CUlaunchAttribute (cuda.h).
class ClusterLaunch {
 public:
  ClusterLaunch(const Launch& launch, unsigned blocks, hipStream_t stream)
      : attribute_{kClusterDimension, 0, {{launch.cluster, 1, 1}}},
        config_{{blocks, launch.grid[1], launch.grid[2]},
                {launch.block[0], launch.block[1], launch.block[2]},
                launch.shared_bytes,
                stream,
                &attribute_,
                1} {}
  ClusterLaunch(const ClusterLaunch&) = delete;
  ClusterLaunch& operator=(const ClusterLaunch&) = delete;
  ~ClusterLaunch() = default;

  const void* get() const { return &config_; }

 private:
  static constexpr int kClusterDimension = 4;  // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
  struct Attribute {
    int id;
    int pad;
    union {
      unsigned cluster[3];
      char room[64];
    } value;
  } attribute_;
  struct Config {
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    hipStream_t stream;
    const Attribute* attributes;
    unsigned attribute_count;
  } config_;
  static_assert(sizeof(Attribute) == 72 && sizeof(Config) == 56);
};

}  // namespace

Modules::~Modules() {
  for (const auto& [code, module] : modules_) static_cast<void>(driver_.unload_module(module));
}

core::Result<Modules::Function> Modules::LoadFunction(const Launch& launch) {
  const char* const code = launch.code.data();
  auto found = modules_.find(code);
  if (found == modules_.end()) {
    const auto begin = std::chrono::steady_clock::now();
    hipModule_t module = nullptr;
    const auto status =
        driver_.Check(driver_.load_module(&module, code), "loading " + launch.function);
    if (!status.ok()) return status.error();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    load_ms_ += took.count();
    found = modules_.emplace(code, module).first;
  }
  Function function;
  auto status =
      driver_.Check(driver_.find_function(&function.handle, found->second, launch.function.c_str()),
                    "finding " + launch.function);
  if (status.ok() && driver_.cuda_function_attribute != nullptr) {
    status = driver_.Check(
        driver_.cuda_function_attribute(function.handle, kMaxDynamicShared,
                                        static_cast<int>(launch.shared_bytes)),
        fmt::format("{} needs {} bytes of shared memory", launch.function, launch.shared_bytes));
  }
  if (status.ok() && launch.cluster > 1 && driver_.cuda_most_clusters != nullptr) {
    int clusters = 0;
    const ClusterLaunch config(launch, launch.cluster, nullptr);
    status = driver_.Check(
        driver_.cuda_most_clusters(&clusters, function.handle, config.get()),
        fmt::format("asking how many clusters of {} can run at the same time", launch.function));
    function.most_blocks = std::max(1U, static_cast<unsigned>(clusters)) * launch.cluster;
  }
  if (!status.ok()) return status.error();
  return function;
}

core::Result<Modules::Function> Modules::Find(const Launch& launch) {
  const auto key = std::pair(launch.code.data(), launch.function);
  if (const auto found = functions_.find(key); found != functions_.end()) return found->second;
  auto function = LoadFunction(launch);
  if (function.ok()) functions_[key] = *function;
  return function;
}

core::Status Modules::Load(const Launch& launch) {
  const auto function = Find(launch);
  return function.ok() ? core::Ok() : core::Status(function.error());
}

core::Status Modules::Run(const Launch& launch, hipStream_t stream) {
  const auto function = Find(launch);
  return function.ok() ? Start(launch, *function, stream) : core::Status(function.error());
}

core::Status Modules::Start(const Launch& launch, const Function& function,
                            hipStream_t stream) const {
  // HIP passes the block of arguments unchanged. CUDA passes it as the kernel's only parameter. A
  // parameter with an alignment above 16 bytes would therefore be misplaced.
  std::size_t bytes = launch.arguments.size();
  void* block_of_arguments = const_cast<std::byte*>(launch.arguments.data());
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, block_of_arguments,
                   HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
  const bool hip = driver_.api == Api::kHip;
  void** const parameters = hip ? nullptr : &block_of_arguments;
  void** const more = hip ? extra : nullptr;
  const auto& grid = launch.grid;
  const auto& block = launch.block;
  const unsigned blocks = launch.any_grid ? std::min(grid[0], function.most_blocks) : grid[0];
  int code = 0;
  if (launch.cluster > 1 && driver_.cuda_launch != nullptr) {
    const ClusterLaunch config(launch, blocks, stream);
    code = driver_.cuda_launch(config.get(), function.handle, parameters, more);
  } else {
    code = driver_.launch(function.handle, blocks, grid[1], grid[2], block[0], block[1], block[2],
                          launch.shared_bytes, stream, parameters, more);
  }
  return code == 0 ? core::Ok() : driver_.Check(code, "launching " + launch.function);
}

}  // namespace tunehub::kernels::gpu
