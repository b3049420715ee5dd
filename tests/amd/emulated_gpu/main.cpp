// emulated-gpu-worker CONFIGS gpu 0: the agent's worker on an emulated AMD GPU. Environment:
// $EMULATED_GFX is its gfx (default gfx942), $EMULATED_BROKEN a function that writes nothing,
// $EMULATED_FAULTY a function after which the device is lost.
#include <cstdlib>
#include <iostream>

#include "agent/device/worker.h"
#include "tests/amd/emulated_gpu/driver.h"

namespace {

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const tunehub::core::Result<tunehub::kernels::gpu::Driver>& TheDriver() {
  namespace amd = tunehub::kernels::amd;
  static const tunehub::core::Result<tunehub::kernels::gpu::Driver> driver = [] {
    amd::EmulatedGpu gpu;
    gpu.arch = amd::ArchOf(Environment("EMULATED_GFX")).value_or(amd::Arch::kGfx942);
    gpu.broken = Environment("EMULATED_BROKEN");
    gpu.faulty = Environment("EMULATED_FAULTY");
    return amd::EmulatedDriver(gpu);
  }();
  return driver;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  tunehub::agent::GpuRunner runner(0, TheDriver);
  tunehub::agent::Console console{std::cout, std::cerr};
  return tunehub::agent::Serve(argv[1], runner, console);
}
