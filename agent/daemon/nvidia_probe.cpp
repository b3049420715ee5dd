#include <fmt/core.h>

#include <string>

#include "agent/daemon/own_process.h"
#include "agent/daemon/probe.h"
#include "kernels/gpu/nvml.h"

namespace tunehub::agent::daemon {
namespace {

class Nvidia : public Probe {
 public:
  Nvidia(int index, const std::string& address) : nvml_(kernels::gpu::Nvml::Open(index, address)) {}

  std::string Busy(const OwnWork& own) override {
    if (!nvml_.ok()) return "whether others use the GPU is unknown: " + nvml_.error().detail;
    for (const int pid : nvml_->Processes()) {
      if (!IsOurs("/", pid, own)) return fmt::format("process {} uses the GPU", pid);
    }
    if (own.worker != 0) return "";  // load and memory are our own
    if (const int busy = nvml_->BusyPercent(); busy > kBusyPercent) {
      return fmt::format("the GPU is {} % busy", busy);
    }
    if (const auto free = nvml_->FreeBytes(); free < kLeastFreeMemory) {
      return fmt::format("only {} MiB of the GPU's memory are free", free >> 20);
    }
    return "";
  }

 private:
  core::Result<kernels::gpu::Nvml> nvml_;
};

}  // namespace

std::unique_ptr<Probe> NvidiaProbe(int index, const std::string& address) {
  return std::make_unique<Nvidia>(index, address);
}

}  // namespace tunehub::agent::daemon
