// The self-test on a device whose kernels are correct, are wrong, crash, or break the device.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/tune/commands.h"
#include "kernels/cpu/catalog.h"
#include "kernels/problem.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/unit/agent/search/tuning_support.h"

namespace tunehub::agent {
namespace {

using test::Kernel;
using test::Shape;

class TuningSelftest : public testing::Test {
 protected:
  TuningSelftest() {
    device_.kernels = {{Kernel("tk_a"), 1}, {Kernel("tk_b"), 1}, {Kernel("tk_b", 4), 1}};
  }
  core::Status Check(const std::vector<Columns>& shapes = {Shape(16), Shape(77)}) {
    report_ = {};
    report_.family = "a8w8";
    return CheckFamily(device_, {"tk_a", "tk_b", "tk_wide"}, shapes, 0.05, report_);
  }
  std::string Counts() const {
    return std::to_string(report_.ok) + " " + std::to_string(report_.wrong) + " " +
           std::to_string(report_.failed) + " " + std::to_string(report_.not_valid);
  }
  std::string Printed() const {
    std::ostringstream out;
    Print(out, report_);
    return out.str();
  }
  // Fails candidate `index` as WorkerDevice does.
  void Fail(std::size_t index, core::Error error) {
    device_.on_verify = [index, error](std::size_t candidate) {
      return candidate == index ? error : core::Error{};
    };
  }

  test::FakeDevice device_;
  FamilyReport report_;
};

TEST_F(TuningSelftest, kernels_that_are_right_pass_and_what_no_shape_is_for_is_counted) {
  ASSERT_TRUE(Check().ok());
  EXPECT_TRUE(report_.passed());
  EXPECT_EQ(report_.runs, 6U) << "all candidates of both shapes";
  EXPECT_EQ(Counts(), "2 0 0 1");
  EXPECT_EQ(Printed(), "a8w8: 3 kernels in 6 runs: 2 ok, 0 wrong, 0 failed, 1 not valid here\n");
  EXPECT_EQ(device_.samples[0], 2) << "the self-test also times the default";
}

TEST_F(TuningSelftest, a_wrong_kernel_is_named_with_its_shape_and_reason) {
  device_.kernels[2].error = 0.25;
  ASSERT_TRUE(Check().ok());
  EXPECT_FALSE(report_.passed());
  EXPECT_EQ(Counts(), "1 1 0 1");
  EXPECT_EQ(Printed(),
            "a8w8: 3 kernels in 6 runs: 1 ok, 1 wrong, 0 failed, 1 not valid here\n  wrong: tk_b "
            "splitK=4 on K=5120 M=16 N=1280 q_dtype_w=torch.int8: the share of wrong elements is "
            "0.250000 (and 1 more of its runs)\n");
  device_.kernels[2].error = 0;
  device_.kernels[2].wrong = "the relative Frobenius error inf is above 0.01";
  ASSERT_TRUE(Check().ok());
  EXPECT_EQ(Counts(), "1 1 0 1") << "the error share does not matter";
  device_.kernels[2].wrong = "";
  device_.kernels[2].error = std::numeric_limits<double>::quiet_NaN();
  ASSERT_TRUE(Check().ok());
  EXPECT_EQ(Counts(), "1 1 0 1") << "a NaN share is not small";
}

TEST_F(TuningSelftest, a_crash_costs_that_kernel_alone) {
  Fail(0, {kCandidateFailed, "worker_crashed: the worker ended with signal 11"});
  ASSERT_TRUE(Check().ok());
  EXPECT_EQ(report_.runs, 6U);
  EXPECT_EQ(Counts(), "1 0 1 1");
  EXPECT_EQ(device_.samples[0], 0) << "the self-test does not time a crashed kernel";
  const auto json = ToJson(report_);
  EXPECT_EQ(json["faults"].size(), 2U) << "each failed run";
  EXPECT_EQ(json["faults"][0]["kernel"], "tk_a");
  EXPECT_EQ(json["faults"][0]["status"], "failed");
  EXPECT_EQ(json["faults"][0]["reason"], "worker_crashed: the worker ended with signal 11");
}

TEST_F(TuningSelftest, a_lost_device_ends_the_test_with_what_was_found) {
  Fail(1, {kNoDevice, "the worker does not start again"});
  EXPECT_EQ(ErrorCode(Check()), kNoDevice);
  EXPECT_EQ(Counts(), "1 0 0 2");
}

TEST_F(TuningSelftest, a_kernel_that_is_right_and_cannot_be_timed_has_failed) {
  device_.on_gpu = true;
  device_.on_sample = [](std::size_t) {
    return core::Error{kCandidateFailed, "runtime: making a graph: error (801)"};
  };
  ASSERT_TRUE(Check({Shape(16)}).ok());
  EXPECT_EQ(Counts(), "1 0 1 1");
  EXPECT_EQ(report_.faults.size(), 3U);
  EXPECT_EQ(report_.faults[2].reason, "timing it (cold): runtime: making a graph: error (801)");
}

TEST_F(TuningSelftest, a_family_of_which_nothing_ran_has_not_passed) {
  device_.unsupported = {TextOf(Shape(16)), TextOf(Shape(77))};
  ASSERT_TRUE(Check().ok());
  EXPECT_FALSE(report_.passed());
  EXPECT_EQ(Counts(), "0 0 0 3");
  EXPECT_NE(Printed().find("  failed: no kernel ran: N must be even\n"), std::string::npos);
}

TEST(TuningSelftestShapes, every_family_with_kernels_has_shapes_that_its_key_can_hold) {
  for (const auto family : kernels::CoveredFamilies()) {
    const auto shapes = SelftestShapes(family, true);
    EXPECT_GE(shapes.size(), 5U) << family;
    EXPECT_GE(shapes.size(), SelftestShapes(family, false).size());
    for (const Columns& shape : shapes) {
      const kernels::ShapeTexts texts(shape.begin(), shape.end());
      const auto problem = kernels::ReadProblem(tunehub::test::ShippedFamily(family), texts);
      EXPECT_TRUE(problem.ok()) << TextOf(shape) << ": " << problem.error().detail;
    }
  }
  EXPECT_TRUE(SelftestShapes("chunk_gdn_h", true).empty());
}

}  // namespace
}  // namespace tunehub::agent
