// Timed work below a GPU's power limit: which work is followed by rests, and for how long.
#include "agent/device/power_watch.h"

#include <gtest/gtest.h>

#include "agent/device/device.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

// A GPU with its own clock. Large products run at 1600 MHz. The limit slows the GPU once they have
// worked 70 ms longer than it rested.
struct Limited {
  double now_us = 0, worked_us = 0;
  double mhz = 0;  // during the last work
  bool large = true, counts = true;
  void Rest(double us) {
    now_us += us;
    worked_us -= std::min(worked_us, us);
  }
  double Work() {
    const bool slowed = worked_us > 70'000;
    const double us = slowed ? 1100 : 1000;
    mhz = !counts ? 0 : slowed ? 1450 : large ? 1600 : 1900;
    now_us += us;
    if (large) worked_us += us;
    return us;
  }
};

class CountingGauge : public ClockGauge {
 public:
  ClockState Read() override { return {1755, 3201, ++reads_}; }

 private:
  double reads_ = 0;
};

class PowerLimit : public testing::Test {
 protected:
  PowerWatch Watch(double full_mhz) {
    return {std::make_unique<CountingGauge>(), [this] { return gpu_.mhz; }, full_mhz, time_};
  }
  // The time that `count` samples and their rests take, in milliseconds.
  double Take(PowerWatch& watch, int count) {
    const double before = gpu_.now_us;
    for (int i = 0; i < count; ++i) slow_ += Must(watch.Keep(work_)) > 1000 ? 1 : 0;
    return (gpu_.now_us - before) / 1000;
  }

  Limited gpu_;
  int slow_ = 0;
  PowerWatch::Time time_{[this] { return gpu_.now_us; }, [this](double us) { gpu_.Rest(us); }};
  std::function<core::Result<double>()> work_ = [this]() -> core::Result<double> {
    return gpu_.Work();
  };
  PowerWatch watch_ = Watch(1980);
};

TEST_F(PowerLimit, large_products_rest_for_as_long_as_they_work) {
  EXPECT_EQ(Take(watch_, 1000), 1999);
  EXPECT_EQ(slow_, 0);
}

TEST_F(PowerLimit, small_products_do_not_rest) {
  gpu_.large = false;
  EXPECT_EQ(Take(watch_, 1000), 1000);
}

TEST_F(PowerLimit, each_sample_tells_whether_the_next_needs_a_rest) {
  Take(watch_, 1);
  gpu_.large = false;
  EXPECT_EQ(Take(watch_, 2), 3);
  gpu_.large = true;
  EXPECT_EQ(Take(watch_, 2), 3);
}

TEST_F(PowerLimit, a_sample_too_short_for_a_clock_changes_nothing) {
  gpu_.large = false;
  Take(watch_, 1);
  gpu_.counts = false;
  EXPECT_EQ(Take(watch_, 10), 10);
}

TEST_F(PowerLimit, time_that_passes_anyway_is_a_rest) {
  Take(watch_, 1);
  gpu_.Rest(400);
  EXPECT_EQ(Take(watch_, 1), 1.6);
  gpu_.Rest(5000);
  EXPECT_EQ(Take(watch_, 1), 1);
}

TEST_F(PowerLimit, a_gpu_without_known_clocks_always_rests) {
  PowerWatch no_highest = Watch(0);
  EXPECT_EQ(Take(no_highest, 100), 199);
  gpu_.Rest(100'000);
  gpu_.counts = false;
  PowerWatch no_counters = Watch(1980);
  EXPECT_EQ(Take(no_counters, 100), 199);
  EXPECT_EQ(slow_, 0);
}

TEST_F(PowerLimit, clocks_are_not_read_at_every_call) {
  EXPECT_EQ(watch_.Clocks()->celsius, 1);
  EXPECT_EQ(watch_.Clocks()->celsius, 1);
  gpu_.Rest(200'000);
  EXPECT_EQ(watch_.Clocks()->celsius, 2);
}

TEST_F(PowerLimit, clocks_have_the_lowest_frequency_of_the_work_since_the_last) {
  EXPECT_EQ(watch_.Clocks()->sm_mhz, 1755) << "nothing ran: this is the gauge's";
  Take(watch_, 1);
  gpu_.large = false;
  Take(watch_, 2);
  EXPECT_EQ(watch_.Clocks()->sm_mhz, 1600);
  Take(watch_, 1);
  EXPECT_EQ(watch_.Clocks()->sm_mhz, 1900);
}

TEST_F(PowerLimit, without_a_gauge_there_are_rests_but_no_clocks) {
  PowerWatch blind(
      nullptr, [this] { return gpu_.mhz; }, 1980, time_);
  EXPECT_EQ(Take(blind, 2), 3);
  EXPECT_FALSE(blind.Clocks());
  gpu_.counts = false;
  gpu_.mhz = 0;
  PowerWatch emulated(
      nullptr, [this] { return gpu_.mhz; }, 0, time_);
  EXPECT_EQ(Take(emulated, 10), 10);
}

TEST_F(PowerLimit, an_error_is_handed_on) {
  const auto failed = watch_.Keep([]() -> core::Result<double> {
    return core::Error{"gpu_failed", "lost"};
  });
  EXPECT_EQ(ErrorCode(failed), "gpu_failed");
}

TEST(AmdClocks, hwmon_files_tell_them) {
  const test::TempFolder root;
  const std::string folder = "sys/bus/pci/devices/0000:c1:00.0/hwmon/hwmon3/";
  root.Write(folder + "freq1_input", "2100000000\n");
  root.Write(folder + "freq2_input", "1300000000\n");
  root.Write(folder + "temp1_input", "51000\n");
  root.Write(folder + "power1_average", "500000000\n");
  const auto gauge = AmdGauge(root.path().string(), "0000:c1:00.0");
  ASSERT_NE(gauge, nullptr);
  const ClockState state = gauge->Read();
  EXPECT_EQ(state.sm_mhz, 2100);
  EXPECT_EQ(state.memory_mhz, 1300);
  EXPECT_EQ(state.celsius, 51);
  EXPECT_EQ(state.watts, 500);
  EXPECT_EQ(AmdGauge(root.path().string(), "0000:c2:00.0"), nullptr);
}

}  // namespace
}  // namespace tunehub::agent
