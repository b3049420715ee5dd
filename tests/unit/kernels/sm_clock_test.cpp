// The frequency from two readings of a GPU's counters. A fake driver stores the readings.
#include "kernels/gpu/sm_clock.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>

#include "tests/support/result.h"

namespace tunehub::kernels::gpu {
namespace {

using CounterValues = std::array<std::uint64_t, 3>;  // nanoseconds, cycles, multiprocessor
std::deque<CounterValues> next_values;

Driver FakeCuda() {
  Driver driver;
  driver.api = Api::kCuda;
  driver.allocate = [](void** to, std::size_t bytes) {
    *to = std::malloc(bytes);  // NOLINT(cppcoreguidelines-no-malloc): as the driver's C interface
    return hipSuccess;
  };
  driver.release = [](void* memory) {
    std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
    return hipSuccess;
  };
  driver.copy_to_host = [](void* to, void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    return hipSuccess;
  };
  driver.load_module = [](hipModule_t*, const void*) { return hipSuccess; };
  driver.unload_module = [](hipModule_t) { return hipSuccess; };
  driver.find_function = [](hipFunction_t*, hipModule_t, const char*) { return hipSuccess; };
  driver.launch = [](hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     unsigned, hipStream_t, void** parameters, void**) {
    void* to = nullptr;
    std::memcpy(&to, parameters[0], sizeof(to));
    std::memcpy(to, next_values.front().data(), sizeof(CounterValues));
    next_values.pop_front();
    return hipSuccess;
  };
  return driver;
}

double MegahertzBetween(const Driver& driver, const CounterValues& first,
                        const CounterValues& last) {
  next_values = {first, last};
  Modules modules(driver);
  SmClock clock = Must(SmClock::Make(driver));
  EXPECT_TRUE(clock.Begin(modules, nullptr).ok());
  return Must(clock.End(modules, nullptr));
}

TEST(KernelsGpuSmClock, cycles_per_time_are_the_frequency) {
  const Driver driver = FakeCuda();
  EXPECT_NEAR(MegahertzBetween(driver, {5'000'000, 70'000, 0}, {5'600'000, 1'258'000, 0}), 1980,
              0.01);
}

TEST(KernelsGpuSmClock, counters_of_two_multiprocessors_say_nothing) {
  const Driver driver = FakeCuda();
  EXPECT_EQ(MegahertzBetween(driver, {5'000'000, 70'000, 0}, {5'600'000, 1'258'000, 3}), 0);
}

TEST(KernelsGpuSmClock, a_time_that_the_timer_s_steps_would_change_says_nothing) {
  const Driver driver = FakeCuda();
  EXPECT_EQ(MegahertzBetween(driver, {5'000'000, 70'000, 0}, {5'020'000, 109'600, 0}), 0);
}

TEST(KernelsGpuSmClock, hip_launches_nothing) {
  Driver driver = FakeCuda();
  driver.api = Api::kHip;
  EXPECT_EQ(MegahertzBetween(driver, {5'000'000, 70'000, 0}, {5'600'000, 1'258'000, 0}), 0);
  EXPECT_EQ(next_values.size(), 2U);
}

}  // namespace
}  // namespace tunehub::kernels::gpu
