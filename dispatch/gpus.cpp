#include "dispatch/gpus.h"

#include <map>
#include <memory>
#include <shared_mutex>
#include <utility>

namespace tunehub::th {
namespace {

struct Gpus {
  std::shared_mutex mutex;
  std::map<int, std::unique_ptr<Gpu>> by_id;
};

// Never destroyed: at the end of a process the driver is gone before its modules could be given
// back.
Gpus& AllGpus() {
  static Gpus& all = *new Gpus;
  return all;
}

}  // namespace

Gpu::Gpu(const kernels::gpu::Driver& driver, kernels::gpu::DeviceProperties device)
    : driver_(driver), device_(std::move(device)), modules_(driver) {}

core::Status Gpu::Run(const kernels::gpu::Launches& launches, hipStream_t stream) {
  const std::scoped_lock lock(mutex_);
  for (const kernels::gpu::Launch& launch : launches) {
    if (auto status = modules_.Run(launch, stream); !status.ok()) return status;
  }
  return core::Ok();
}

core::Result<Gpu*> CurrentGpu() {
  const auto& driver = kernels::gpu::ThisDriver();
  if (!driver.ok()) return driver.error();
  const auto id = kernels::gpu::CurrentDevice(*driver);
  if (!id.ok()) return id.error();
  Gpus& all = AllGpus();
  {
    const std::shared_lock lock(all.mutex);
    if (const auto found = all.by_id.find(*id); found != all.by_id.end())
      return found->second.get();
  }
  auto device = kernels::gpu::DescribeDevice(*driver, *id);
  if (!device.ok()) return device.error();
  const std::unique_lock lock(all.mutex);
  auto& gpu = all.by_id[*id];  // another thread may have been first
  if (gpu == nullptr) gpu = std::make_unique<Gpu>(*driver, *std::move(device));
  return gpu.get();
}

}  // namespace tunehub::th
