// What the worker answers, by a runner that writes down what it is asked.
#include "agent/device/worker.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::agent {
namespace {

using kernels::gpu::Cache;
using Json = nlohmann::json;

class FakeRunner : public Runner {
 public:
  core::Result<Json> Device() override { return Json{{"kind", "amd"}, {"gfx", "gfx942"}}; }
  core::Result<std::vector<std::string>> Kernels(const std::string& family) override {
    return std::vector<std::string>{"tk_" + family};
  }
  core::Result<Offered> Prepare(const kernels::Problem&, std::uint64_t) override {
    if (!lost.empty()) return core::Error{kLost, lost};
    return Offered{{{"tk_bf16_x", 0, 0}, {"tk_bf16_x", 0, 4}}, 0, true};
  }
  core::Result<kernels::Check> Verify(std::size_t) override {
    return kernels::Check{0.5, infinite, 1};
  }
  core::Result<double> Sample(std::size_t candidate, int calls, Cache cache) override {
    asked =
        std::to_string(candidate) + " " + std::to_string(calls) + " " + std::string(NameOf(cache));
    return 12.5;
  }
  core::Result<double> Pulse() override { return 500.0; }

  std::string asked, lost;
  double infinite = 0.5;
};

class WorkerAnswers : public testing::Test {
 protected:
  Json Ask(const Json& request) { return worker_.Answer(request); }
  Json Prepare() {
    return Ask({{"do", "prepare"},
                {"family", "batched_bf16"},
                {"seed", 1},
                {"shape", {{"B", "2"}, {"M", "16"}, {"N", "64"}, {"K", "64"}}}});
  }

  FakeRunner runner_;
  Worker worker_{tunehub::test::ShippedFamilies(), runner_};
};

TEST_F(WorkerAnswers, an_offer_says_whether_times_hot_and_cold_can_be_taken) {
  const auto offer = Prepare();
  EXPECT_EQ(offer["candidates"].size(), 2U) << offer;
  EXPECT_EQ(offer["candidates"][1]["splitK"], "4");
  EXPECT_EQ(offer["caches"], true);
}

TEST_F(WorkerAnswers, a_sample_is_of_the_cache_that_is_named_or_of_rotating_inputs) {
  Prepare();
  EXPECT_EQ(Ask({{"do", "sample"}, {"candidate", 1}, {"calls", 20}})["us"], 12.5);
  EXPECT_EQ(runner_.asked, "1 20 rotating");
  Ask({{"do", "sample"}, {"candidate", 0}, {"calls", 5}, {"cache", "cold"}});
  EXPECT_EQ(runner_.asked, "0 5 cold");
  Ask({{"do", "sample"}, {"candidate", 0}, {"calls", 7}, {"cache", "hot"}});
  EXPECT_EQ(runner_.asked, "0 7 hot");
  const auto warm = Ask({{"do", "sample"}, {"candidate", 0}, {"calls", 7}, {"cache", "warm"}});
  EXPECT_EQ(warm["failed"], "bad_request");
  EXPECT_EQ(warm["detail"], "'warm' is none of rotating, hot and cold");
}

TEST_F(WorkerAnswers, the_cpu_refuses_times_hot_and_cold) {
  EXPECT_EQ(ErrorCode(CpuRunner().Sample(0, 1, Cache::kHot)), "bad_request");
}

TEST_F(WorkerAnswers, the_kernels_of_a_family_are_named) {
  EXPECT_EQ(Ask({{"do", "kernels"}, {"family", "a8w8"}}), (Json{{"kernels", {"tk_a8w8"}}}));
  EXPECT_FALSE(CpuRunner().Kernels("a8w8")->empty());
}

TEST_F(WorkerAnswers, a_lost_device_ends_the_worker_also_where_it_is_met_by_a_preparation) {
  runner_.lost = "the context is lost";
  const auto answer = Prepare();
  EXPECT_EQ(answer["failed"], "runtime");
  EXPECT_EQ(answer["ends"], true);
  EXPECT_EQ(Ask({{"do", "verify"}, {"candidate", 0}})["failed"], "bad_request");
}

TEST_F(WorkerAnswers, an_output_that_is_no_number_is_wrong) {
  Prepare();
  runner_.infinite = std::numeric_limits<double>::infinity();
  const auto answer = Ask({{"do", "verify"}, {"candidate", 0}});
  EXPECT_EQ(answer["wrong"], "the relative Frobenius error inf is above 0.010000");
}

TEST(WorkerOnAGpu, only_what_is_the_shapes_affair_is_blamed_on_the_shape) {
  EXPECT_EQ(NotPrepared({"unsupported_shape", "no kernel"}).code, kUnsupported);
  EXPECT_EQ(NotPrepared({kernels::gpu::kOutOfMemory, "5 GiB"}).code, kUnsupported);
  EXPECT_EQ(NotPrepared({kernels::gpu::kGpuFailed, "an illegal address"}).code, kLost);
  EXPECT_EQ(NotPrepared({kernels::gpu::kGpuFailed, "an illegal address"}).detail,
            "an illegal address");
}

}  // namespace
}  // namespace tunehub::agent
