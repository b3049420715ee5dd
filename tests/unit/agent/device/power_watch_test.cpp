// Timed work at a GPU's power limit: rests, repeated samples, and the case in which rests do not
// help.
#include "agent/device/power_watch.h"

#include <gtest/gtest.h>

#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

// A GPU with its own clock. The limit slows the GPU once it has worked 70 ms longer than it rested.
struct Limited {
  double now_us = 0, worked_us = 0;
  double capped_ns = 0;
  bool lenient = true;  // false: rests do not help
  double slower = 1.1;  // at the limit
  bool slowed() const { return worked_us > 70'000; }
  void Rest(double us) {
    now_us += us;
    if (slowed()) capped_ns += lenient ? 0 : us * 1000;
    worked_us -= lenient ? std::min(worked_us, us) : 0;
  }
  // One call of a kernel. At the limit it takes 10 % longer.
  double Work() {
    const double us = slowed() ? 1000 * slower : 1000;
    now_us += us;
    worked_us += us;
    if (slowed()) capped_ns += us * 1000;
    return us;
  }
};

class LimitedGauge : public ClockGauge {
 public:
  explicit LimitedGauge(Limited& gpu) : gpu_(gpu) {}
  ClockState Read() override { return {1980, 3201, ++reads}; }
  std::uint64_t CappedNanoseconds() override { return static_cast<std::uint64_t>(gpu_.capped_ns); }

  double reads = 0;

 private:
  Limited& gpu_;
};

class PowerLimit : public testing::Test {
 protected:
  double Keep() { return Must(watch_.Keep(work_)); }

  Limited gpu_;
  PowerWatch::Time time_{[this] { return gpu_.now_us; }, [this](double us) { gpu_.Rest(us); }};
  std::function<core::Result<double>()> work_ = [this]() -> core::Result<double> {
    return gpu_.Work();
  };
  PowerWatch watch_{std::make_unique<LimitedGauge>(gpu_), work_, time_};
};

TEST_F(PowerLimit, rests_keep_a_kernel_below_it) {
  ASSERT_TRUE(watch_.Refer().ok());
  int slow = 0;
  for (int i = 0; i < 1000; ++i) slow += Keep() > 1000 ? 1 : 0;
  EXPECT_LE(slow, 10) << "only samples before the first check are slow";
  EXPECT_FALSE(watch_.capped());
  EXPECT_GT(gpu_.now_us, 1'900'000) << "the watch rests for half of the time";
  watch_.Begin();
  const double before = gpu_.now_us;
  Keep();
  EXPECT_EQ(gpu_.now_us, before + 1000) << "the watch does not suspect the next problem's kernels";
}

// The driver reports the limit for another half second after it ends.
TEST_F(PowerLimit, a_limit_that_makes_nothing_slower_does_not_count) {
  ASSERT_TRUE(watch_.Refer().ok());
  gpu_.slower = 1.005;
  for (int i = 0; i < 200; ++i) Keep();
  EXPECT_LT(gpu_.now_us, 230'000) << "the watch takes pulses but does not rest";
}

TEST_F(PowerLimit, a_kernel_that_rests_do_not_help_is_capped) {
  ASSERT_TRUE(watch_.Refer().ok());
  gpu_.lenient = false;
  for (int i = 0; i < 500; ++i) Keep();
  EXPECT_TRUE(watch_.capped());
  EXPECT_EQ(Keep(), 1100);
}

TEST_F(PowerLimit, a_first_pulse_at_the_limit_does_not_stand_for_the_full_clock) {
  gpu_.worked_us = 100'000;
  ASSERT_TRUE(watch_.Refer().ok());
  EXPECT_EQ(watch_.fastest_us(), 1000) << "the watch rested and took another pulse";
  const double before = gpu_.now_us;
  ASSERT_TRUE(watch_.Refer().ok());
  EXPECT_EQ(gpu_.now_us, before) << "one pulse is enough";
}

TEST_F(PowerLimit, an_earlier_run_s_pulse_shows_that_the_gpu_is_slow) {
  gpu_.worked_us = 100'000;
  watch_.Begin(1000);
  gpu_.now_us = 20'000;  // long enough for a check of the limit
  ASSERT_TRUE(watch_.Refer().ok());
  EXPECT_EQ(Keep(), 1000) << "the watch rested and repeated the sample";
}

// The driver reports too late that the limit slowed the first pulse.
TEST_F(PowerLimit, the_fastest_pulse_counts_and_not_the_first) {
  gpu_.worked_us = 100'000;
  watch_.Begin();
  EXPECT_EQ(Must(watch_.FeelPulse()), 1100);
  EXPECT_EQ(watch_.fastest_us(), 1100);
  gpu_.Rest(200'000);
  EXPECT_EQ(Must(watch_.FeelPulse()), 1000);
  EXPECT_EQ(watch_.fastest_us(), 1000);
  int slow = 0;
  for (int i = 0; i < 200; ++i) slow += Keep() > 1000 ? 1 : 0;
  EXPECT_LE(slow, 10) << "the watch notices the limit";
}

TEST_F(PowerLimit, a_pulse_that_is_faster_by_a_little_is_noise) {
  ASSERT_TRUE(watch_.Refer().ok());
  watch_.Begin(1015);
  EXPECT_EQ(Must(watch_.FeelPulse()), 1000);
  EXPECT_EQ(watch_.fastest_us(), 1015);
}

TEST_F(PowerLimit, clocks_are_not_read_at_every_call) {
  EXPECT_EQ(watch_.Clocks()->celsius, 1);
  EXPECT_EQ(watch_.Clocks()->celsius, 1);
  gpu_.Rest(200'000);
  EXPECT_EQ(watch_.Clocks()->celsius, 2);
}

TEST_F(PowerLimit, without_a_gauge_nothing_is_watched) {
  PowerWatch blind(nullptr, work_, time_);
  EXPECT_TRUE(blind.Refer().ok());
  EXPECT_EQ(Must(blind.Keep([]() -> core::Result<double> { return 7.0; })), 7.0);
  EXPECT_FALSE(blind.Clocks());
  EXPECT_FALSE(blind.capped());
  EXPECT_EQ(gpu_.now_us, 0) << "the watch takes no pulse, either";
}

TEST_F(PowerLimit, an_error_is_handed_on_at_once) {
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
  root.Write(folder + "power1_cap", "750000000\n");
  const auto gauge = AmdGauge(root.path().string(), "0000:c1:00.0");
  ASSERT_NE(gauge, nullptr);
  const ClockState state = gauge->Read();
  EXPECT_EQ(state.sm_mhz, 2100);
  EXPECT_EQ(state.memory_mhz, 1300);
  EXPECT_EQ(state.celsius, 51);
  EXPECT_EQ(state.watts, 500);
  const std::uint64_t before = gauge->CappedNanoseconds();
  EXPECT_EQ(gauge->CappedNanoseconds(), before);
  root.Write(folder + "power1_average", "748000000\n");
  EXPECT_GT(gauge->CappedNanoseconds(), before) << "the value grows at the limit";
  EXPECT_EQ(AmdGauge(root.path().string(), "0000:c2:00.0"), nullptr);
}

}  // namespace
}  // namespace tunehub::agent
