#include "kernels/gpu/sm_clock.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tunehub::kernels::gpu {
namespace {

// One thread stores a Reading.
constexpr char kCode[] = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry tk_clock(.param .u64 to) {
  .reg .b64 %rd<5>;
  .reg .b32 %r1;
  ld.param.u64 %rd1, [to];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u64 %rd2, %globaltimer;
  mov.u64 %rd3, %clock64;
  mov.u32 %r1, %smid;
  cvt.u64.u32 %rd4, %r1;
  st.global.u64 [%rd1], %rd2;
  st.global.u64 [%rd1+8], %rd3;
  st.global.u64 [%rd1+16], %rd4;
  ret;
}
)";

struct Reading {
  std::uint64_t ns, cycles, processor;
};

// The device's timer has steps of up to 1 us, which must not matter.
constexpr std::uint64_t kLeastNs = 300'000;
constexpr double kKilo = 1000;  // cycles per ns in MHz

}  // namespace

core::Result<SmClock> SmClock::Make(const Driver& driver) {
  SmClock clock;
  if (driver.api != Api::kCuda) return clock;
  auto memory = Memory::Make(driver, 2 * sizeof(Reading));
  if (!memory.ok()) return memory.error();
  clock.readings_ = *std::move(memory);
  return clock;
}

core::Status SmClock::Read(Modules& modules, hipStream_t stream, std::size_t at) {
  if (readings_.size() == 0) return core::Ok();
  const void* const to = static_cast<std::byte*>(readings_.data()) + at * sizeof(Reading);
  Launch launch;
  launch.code = {kCode, sizeof(kCode)};
  launch.function = "tk_clock";
  launch.arguments.resize(sizeof(to));
  std::memcpy(launch.arguments.data(), static_cast<const void*>(&to), sizeof(to));
  return modules.Run(launch, stream);
}

core::Status SmClock::Begin(Modules& modules, hipStream_t stream) {
  return Read(modules, stream, 0);
}

core::Result<double> SmClock::End(Modules& modules, hipStream_t stream) {
  std::array<Reading, 2> readings{};
  auto status = Read(modules, stream, 1);
  if (status.ok()) status = readings_.Read(readings.data(), readings_.size());
  if (!status.ok()) return status.error();
  const auto& [first, last] = readings;
  const std::uint64_t ns = last.ns - first.ns;
  if (first.processor != last.processor || ns < kLeastNs) return 0.0;
  return static_cast<double>(last.cycles - first.cycles) / static_cast<double>(ns) * kKilo;
}

}  // namespace tunehub::kernels::gpu
