// If a worker crashes, hangs or answers nonsense, the tuner loses one candidate. A script replaces
// the worker.
#include "agent/device/worker_device.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "agent/device/worker.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/unit/agent/agent_support.h"
#include "tests/unit/agent/search/tuning_support.h"

namespace tunehub::agent {
namespace {

using agent::test::ReadText;
using agent::test::TempFolder;
using std::chrono::milliseconds;
using test::Shape;
using testing::HasSubstr;

// Each candidate does what its name says. Each start adds a line to the file in the worker's
// argument.
constexpr char kStandIn[] = R"(
import json, os, sys, time
open(sys.argv[1], "a").write("start\n")
names = ["good", "crash", "hang", "garbage", "refused", "half", "good_too", "lost"]
for line in sys.stdin:
    ask = json.loads(line)
    if ask["do"] == "prepare":
        starts = open(sys.argv[1]).read().count("start")
        if ask["shape"]["M"] == "14" or (ask["shape"]["M"] == "15" and starts == 1):
            print(json.dumps({"failed": "runtime", "detail": "the context is lost", "ends": True}))
        elif ask["shape"]["M"] == "13":
            print(json.dumps({"failed": "unsupported_shape", "detail": "M must not be 13"}))
        else:
            print(json.dumps({"candidates": [{"kernelName": n} for n in names], "fallback": 0, "caches": True}))
        sys.stdout.flush()
        continue
    if ask["do"] == "pulse":
        pulses = globals().get("pulses", 0) + 1
        print(json.dumps([{"us": 800}, {"us": 900, "capped": True, "clocks": [1980, 3201, 48, 412.5, 4]},
                          {"us": 900, "clocks": [1980]}][pulses - 1]))
        sys.stdout.flush()
        continue
    if ask["do"] == "kernels":
        print(json.dumps({"kernels": ["tk_a8w8_x", "tk_a8w8_y"]} if ask["family"] == "a8w8" else
                         {"failed": "no_device", "detail": "the driver sees no GPU"}))
        sys.stdout.flush()
        continue
    if "cache" in ask: print(json.dumps({"us": {"hot": 3, "cold": 4}[ask["cache"]]})); sys.stdout.flush(); continue
    name = names[ask["candidate"]]
    if name == "crash": os.abort()
    if name == "hang": time.sleep(60)
    if name == "garbage": print("Segmentation fault? No: nonsense"); sys.stdout.flush(); continue
    if name == "refused": print(json.dumps({"failed": "kernel_not_valid", "detail": "too many threads"})); sys.stdout.flush(); continue
    if name == "lost": print(json.dumps({"failed": "runtime", "detail": "runtime: the context is lost", "ends": True})); sys.stdout.flush(); continue
    if name == "half": print("{\"error\":", end=""); sys.stdout.flush(); os._exit(3)
    print(json.dumps({"error": 0.25, "wrong": ""} if ask["do"] == "verify" else {"us": 12.5 * ask["calls"]}))
    sys.stdout.flush()
)";
enum { kGoodOne, kCrash, kHang, kGarbage, kRefused, kHalf, kGoodToo, kNoContext };

class TuningWorker : public testing::Test {
 protected:
  TuningWorker() {
    const std::string script = folder_.Write("worker.py", kStandIn);
    options_.command = {"/usr/bin/python3", script, folder_ / "starts"};
    options_.candidate = milliseconds(700);
    options_.prepare = milliseconds(20'000);
  }
  std::size_t Starts() const {
    const std::string text = ReadText(folder_ / "starts");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  static std::string Failure(const core::Result<Verdict>& verdict) {
    return verdict.ok() ? "none" : verdict.error().code + ": " + verdict.error().detail;
  }

  TempFolder folder_;
  WorkerOptions options_;
};

TEST_F(TuningWorker, good_candidates_are_answered_by_one_process) {
  WorkerDevice device(options_);
  EXPECT_EQ(Must(device.Prepare("a8w8", Shape(16))).candidates.size(), 8U);
  EXPECT_EQ(device.Verify(kGoodOne)->error, 0.25);
  EXPECT_EQ(*device.Sample(kGoodToo, 4, Cache::kRotating), 50.0);
  EXPECT_EQ(Must(device.FeelPulse()).us, 800);
  const Pulse pulse = Must(device.FeelPulse());
  EXPECT_TRUE(pulse.capped);
  EXPECT_EQ(pulse.clocks.value_or(ClockState()).watts, 412.5);
  EXPECT_EQ(pulse.clocks.value_or(ClockState()).throttle, 4U);
  EXPECT_EQ(ErrorCode(device.FeelPulse()), kNoDevice) << "the clocks are invalid";
  EXPECT_EQ(Starts(), 1U);
}

TEST_F(TuningWorker, each_way_to_fail_costs_that_candidate_and_a_restart) {
  WorkerDevice device(options_);
  ASSERT_TRUE(device.Prepare("a8w8", Shape(16)).ok());
  EXPECT_THAT(Failure(device.Verify(kCrash)),
              HasSubstr("candidate_failed: worker_crashed: the worker ended with signal 6"));
  EXPECT_TRUE(device.Verify(kGoodOne).ok());
  EXPECT_THAT(Failure(device.Verify(kHang)), HasSubstr("worker_hung"));
  EXPECT_TRUE(device.Verify(kGoodOne).ok());
  EXPECT_THAT(
      Failure(device.Verify(kGarbage)),
      HasSubstr("worker_garbage: expected a JSON object; the worker answered: Segmentation"));
  EXPECT_TRUE(device.Verify(kGoodOne).ok());
  EXPECT_THAT(Failure(device.Verify(kHalf)), HasSubstr("the worker ended with status 3"));
  EXPECT_TRUE(device.Verify(kGoodOne).ok());
  EXPECT_EQ(Starts(), 5U);
}

TEST_F(TuningWorker, a_refusal_needs_no_restart) {
  WorkerDevice device(options_);
  ASSERT_TRUE(device.Prepare("a8w8", Shape(16)).ok());
  EXPECT_EQ(Failure(device.Verify(kRefused)), "candidate_failed: too many threads");
  EXPECT_TRUE(device.Verify(kGoodOne).ok());
  EXPECT_EQ(Starts(), 1U);
}

TEST_F(TuningWorker, a_candidate_that_loses_the_gpu_costs_a_restart) {
  WorkerDevice device(options_);
  ASSERT_TRUE(device.Prepare("a8w8", Shape(16)).ok());
  EXPECT_EQ(Failure(device.Verify(kNoContext)), "candidate_failed: runtime: the context is lost");
  EXPECT_TRUE(device.Verify(kGoodOne).ok());
  EXPECT_EQ(Starts(), 2U);
}

TEST_F(TuningWorker, a_shape_that_no_kernel_runs_is_said_so) {
  WorkerDevice device(options_);
  const auto offer = device.Prepare("a8w8", Shape(13));
  EXPECT_EQ(ErrorCode(offer), kUnsupported);
  EXPECT_EQ(offer.error().detail, "M must not be 13");
}

TEST_F(TuningWorker, a_gpu_that_was_lost_before_a_shape_is_given_a_new_process_once) {
  WorkerDevice device(options_);
  EXPECT_TRUE(device.Prepare("a8w8", Shape(15)).ok());
  EXPECT_EQ(Starts(), 2U);
  const auto lost = device.Prepare("a8w8", Shape(14));
  EXPECT_EQ(ErrorCode(lost), kNoDevice) << "the shape did not cause the loss";
  EXPECT_EQ(lost.error().detail, "the context is lost");
}

TEST_F(TuningWorker, it_says_which_kernels_it_has) {
  WorkerDevice device(options_);
  EXPECT_EQ(*device.Kernels("a8w8"), (std::vector<std::string>{"tk_a8w8_x", "tk_a8w8_y"}));
  const auto none = device.Kernels("fmoe");
  EXPECT_EQ(ErrorCode(none), kNoDevice);
  EXPECT_EQ(none.error().detail, "the driver sees no GPU");
}

TEST_F(TuningWorker, times_hot_and_cold_are_asked_of_a_worker_that_offers_them) {
  WorkerDevice device(options_);
  EXPECT_TRUE(device.Prepare("a8w8", Shape(16))->on_gpu);
  EXPECT_EQ(*device.Sample(kGoodOne, 2, Cache::kHot), 3.0);
  EXPECT_EQ(*device.Sample(kGoodOne, 2, Cache::kCold), 4.0);
}

TEST_F(TuningWorker, a_program_that_is_not_there_is_no_device) {
  options_.command = {folder_ / "no such program"};
  WorkerDevice device(options_);
  EXPECT_EQ(ErrorCode(device.Prepare("a8w8", Shape(16))), kNoDevice);
}

// A write to a dead worker must not end a program that does not ignore SIGPIPE.
TEST(TuningWorkerProcess, a_worker_that_is_gone_before_it_is_asked_is_an_error_of_the_call) {
  WorkerProcess worker({"/bin/sh", "-c", "read request; echo {}"});
  ASSERT_TRUE(worker.Ask({{"a", 1}}, milliseconds(10'000)).ok());
  siginfo_t end{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(worker.pid()), &end, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(ErrorText(worker.Ask({{"b", 2}}, milliseconds(10'000))),
            "worker_crashed: the worker ended with status 0");
  EXPECT_FALSE(worker.Runs());
}

TEST_F(TuningWorker, an_interrupt_ends_the_call_at_once_and_blames_nobody) {
  options_.candidate = milliseconds(60'000);
  WorkerDevice device(options_);
  ASSERT_TRUE(device.Prepare("a8w8", Shape(16)).ok());
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(100));
    device.Interrupt();
  });
  EXPECT_THAT(Failure(device.Verify(kHang)), HasSubstr("interrupted"));
  other.join();
  EXPECT_EQ(device.pid(), 0) << "the worker has left the device";
  EXPECT_TRUE(device.Verify(kGoodOne).ok()) << "the device continues with the same shape";
}

TEST_F(TuningWorker, an_interrupt_between_two_calls_blames_nobody_either) {
  WorkerDevice device(options_);
  ASSERT_TRUE(device.Prepare("a8w8", Shape(16)).ok());
  device.Interrupt();
  const auto verdict = device.Verify(kGoodOne);
  EXPECT_TRUE(verdict.ok()) << Failure(verdict);
}

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
  core::Result<Pulse> FeelPulse() override { return Pulse{500}; }

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
  EXPECT_EQ(warm["detail"], "`cache` is 'warm'; expected rotating, hot or cold");
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
