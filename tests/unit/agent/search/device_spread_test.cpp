// The width of a time's range, and what a device's earlier runs tell about it.
#include "agent/search/device_spread.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "agent/search/tuning_bench.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"
#include "tests/unit/agent/search/tuning_support.h"

namespace tunehub::agent {
namespace {

using agent::test::ReadText;
using agent::test::RealConfiguration;
using agent::test::TempFolder;
using test::FakeDevice;
using test::Kernel;
using test::Shape;

std::string Text(const std::vector<double>& samples, double spread) {
  const auto range = RangeOf(samples, spread);
  return range ? fmt::format("{:.6g} to {:.6g} by {}", range->low, range->high, range->bound) : "-";
}

TEST(TimeRanges, are_as_wide_as_the_samples_or_the_least_that_the_device_allows) {
  EXPECT_EQ(Text({100, 100}, 0), "-");
  EXPECT_EQ(Text({100, 100, 101}, 0), "95 to 105 by 5 %, few samples");
  EXPECT_EQ(Text({100, 100, 101}, 0.08), "92 to 108 by 8 %, this device");
  EXPECT_EQ(Text(std::vector<double>(6, 100), 0), "99 to 101 by 1 %, default");
  EXPECT_EQ(Text(std::vector<double>(6, 100), 0.004), "99.6 to 100.4 by 0.4 %, this device");
  EXPECT_EQ(Text({97, 98, 99, 101, 102, 103}, 0.02), "97 to 103 by samples");
  EXPECT_EQ(Text({97, 100, 100, 100, 100, 100.2}, 0.02), "97 to 102 by 2 %, this device");
  EXPECT_EQ(Text({99.8, 100, 100, 100, 100, 103}, 0.02), "98 to 103 by 2 %, this device")
      << "the range contains all samples";
}

class DeviceSpreads : public testing::Test {
 protected:
  // Simulates a run over `count` shapes. The default of shape M takes `us` * M.
  void Run(double us, int count = 20, const DeviceInfo& device = H200()) const {
    DeviceSpread spread(folder_.path(), device);
    for (int m = 1; m <= count; ++m) {
      DoneShape done;
      done.shape = Shape(m);
      done.measurements.resize(2);
      done.measurements[1].us_reference = us * m;
      done.measurements[1].clock = clock_;
      spread.Add("a8w8", done);
    }
    EXPECT_TRUE(spread.Save().ok());
  }
  double Share(const DeviceInfo& device = H200()) const {
    return DeviceSpread(folder_.path(), device).share();
  }
  static DeviceInfo H200() {
    DeviceInfo device{"nvidia", "NVIDIA H200", "sm_90", {"sm_90", 132}};
    device.driver = "580.159.04";
    device.address = "0000:c1:00.0";
    return device;
  }

  TempFolder folder_;
  std::string clock_ = "steady";
};

TEST_F(DeviceSpreads, references_that_come_again_tell_it) {
  Run(100);
  EXPECT_EQ(Share(), 0) << "only one run";
  Run(102, 19);
  EXPECT_EQ(Share(), 0) << "too few repeated shapes";
  Run(102);
  EXPECT_NEAR(Share(), 0.02, 1e-9) << "19 of the times repeat the second run's";
  for (int i = 0; i < 10; ++i) Run(i % 2 == 0 ? 102.102 : 102);
  EXPECT_NEAR(Share(), 0.001, 1e-5) << "only the latest repetitions count";
  clock_ = "capped";
  for (int i = 1; i < 10; ++i) Run(110 * i);
  EXPECT_NEAR(Share(), 0.001, 1e-5) << "times at an unsteady clock do not count";
}

TEST_F(DeviceSpreads, each_device_and_driver_has_its_own) {
  Run(100);
  Run(102);
  DeviceInfo other = H200();
  other.address = "0000:c2:00.0";
  EXPECT_EQ(Share(other), 0);
  Run(1, 1, other);
  EXPECT_NEAR(Share(), 0.02, 1e-9) << "another device changes nothing";
  other.kind = "cpu";
  Run(100, 20, other);
  Run(110, 20, other);
  EXPECT_EQ(Share(other), 0) << "a CPU's reference time is no kernel's";
  DeviceInfo newer = H200();
  newer.driver = "590.1";
  EXPECT_EQ(Share(newer), 0);
}

TEST_F(DeviceSpreads, a_damaged_file_is_begun_anew) {
  Run(100);
  Run(102);
  const auto file = std::filesystem::directory_iterator(folder_.path())->path();
  const std::string text = ReadText(file);
  for (const std::string& damaged : {text.substr(0, text.size() / 2), std::string("[]")}) {
    folder_.Write(file.filename(), damaged);
    EXPECT_EQ(Share(), 0) << damaged;
  }
}

TEST_F(DeviceSpreads, the_rows_of_the_third_run_are_as_wide_as_the_first_two_differ) {
  const Configuration configuration = RealConfiguration();
  FakeDevice device;
  device.kernels = {{Kernel("tk_a"), 90}, {Kernel("tk_b"), 40}};
  TuneTask task;
  task.family = configuration.families.Find("a8w8");
  task.target = {"sm_90", 132};
  task.device = H200();
  task.journal = folder_ / "state/a8w8.journal";
  for (int m = 1; m <= 20; ++m) task.shapes.push_back(Shape(m));
  const auto spool = Must(Spool::Open(folder_.path() / "spool"));
  Outbox outbox(spool, nullptr, {});
  Progress silent(nullptr, {});
  nlohmann::json row;
  for (const double slowdown : {1.0, 1.03, 1.0}) {
    device.slowdown = slowdown;
    const auto summary =
        Must(TuneShapes(configuration, task, device, spool, outbox, nullptr, silent));
    row = nlohmann::json::parse(
        ResultsBody(*task.family, task.target, summary.shapes.front(), true))["rows"][1];
  }
  EXPECT_EQ(row["ended"], "interval; bounds: 3 %, this device") << row;
  EXPECT_EQ(row["us_low"], 38.8);
  EXPECT_EQ(row["us_high"], 41.2);
}

}  // namespace
}  // namespace tunehub::agent
