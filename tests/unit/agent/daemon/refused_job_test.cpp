// The daemon's pause after a job without a measurement, on a fake clock.
#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/daemon/daemon.h"
#include "agent/daemon/job_tuner.h"
#include "agent/daemon/script_job_tuner.h"
#include "build_info.h"
#include "tests/support/result.h"
#include "tests/unit/agent/agent_support.h"
#include "tests/unit/agent/daemon/engine_job_support.h"

namespace tunehub::agent {
namespace {

using std::chrono::seconds;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

constexpr seconds kPoll{10};
constexpr int kOffers = 20;

struct FixedTuner : JobTuner {
  core::Result<Summary> Tune(const TuneTask& task, IdlePace&, Outbox&, Observer&) override {
    if (outlasts_lease) {
      journal = task.journal;
      std::ofstream(journal) << "{}";
      while (!task.search.stop()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!thrown.empty()) throw std::runtime_error(thrown);
    return outcome;
  }
  void GiveUp() override {}
  OwnWork own() const override { return {}; }

  core::Result<Summary> outcome = Summary{};
  std::string thrown;
  bool outlasts_lease = false;
  std::filesystem::path journal;
};

class RefusedJobs : public testing::Test {
 protected:
  RefusedJobs() {
    hub_.on_request = [this](const Request& request) {
      const bool claim = request.target == "/jobs/claim";
      if (claim) claims_.push_back(now_);
      hub_.answers = {claim ? Offer() : Answer{200, {}, "{}"}};
    };
  }
  // Offers the same job repeatedly, then refuses the key.
  Answer Offer() const {
    if (claims_.size() > kOffers) return {403, {}, R"({"status":403,"code":"wrong_scope"})"};
    return {200,
            {},
            fmt::format(R"({{"id":7,"family":"{}","lease":{{"epoch":1,"seconds":{}}},)"
                        R"("shapes":[{{"M":"16","N":"1280","K":"8192"}}]}})",
                        family_, tuner_.outlasts_lease ? 0.1 : 3600.0)};
  }
  // Runs the daemon and returns the times between its claims.
  std::vector<HubWatch::Clock::duration> Run() {
    claims_.clear();
    const auto spool = Spool::Open(folder_ / "spool");
    JobQueue queue(hub_, {}, {.tries = 1}), heartbeats(unheard_, {}, {.tries = 1});
    StatusFile status(folder_ / "status.json", {});
    DaemonOptions options;
    options.poll = kPoll;
    options.json = json_;
    options.state = folder_.path();
    options.now = [this] { return now_; };
    options.nap = [this](HubWatch::Clock::duration time) { now_ += time; };
    Daemon daemon({configuration_, info_, *spool, hub_, queue, heartbeats, tuner_, status, out_},
                  options);
    IdlePace pace(
        std::make_unique<test::NeverBusy>(), test::Always(), [] { return OwnWork{}; }, [] {},
        [] { return false; });
    EXPECT_TRUE(pace.Await().ok());
    const auto ended = daemon.Run(pace);
    EXPECT_FALSE(ended.ok());
    EXPECT_THAT(claims_, SizeIs(kOffers + 1)) << out_.str();
    std::vector<HubWatch::Clock::duration> between;
    for (std::size_t i = 1; i < claims_.size(); ++i) between.push_back(claims_[i] - claims_[i - 1]);
    return between;
  }

  const agent::test::TempFolder folder_;
  const Configuration configuration_ = agent::test::RealConfiguration();
  const DeviceInfo info_;
  agent::test::FakeHub hub_, unheard_;
  FixedTuner tuner_;
  std::string family_ = "a8w8_blockscale";
  bool json_ = false;
  HubWatch::Clock::time_point now_{};
  std::vector<HubWatch::Clock::time_point> claims_;
  std::ostringstream out_;
};

TEST_F(RefusedJobs, a_job_of_which_nothing_was_measured_is_followed_by_a_pause) {
  EXPECT_THAT(Run(), Each(kPoll)) << "the job has no winner";
  tuner_.outcome->left = "it is of another device";
  EXPECT_THAT(Run(), Each(kPoll)) << "the daemon returns the job";
  tuner_.outcome = core::Error{"bad_cell", "a cell that a script would run"};
  EXPECT_THAT(Run(), Each(kPoll)) << "the tuner refuses it";
  family_ = "$(id)";
  EXPECT_THAT(Run(), Each(kPoll)) << "the family is unknown";
}

TEST_F(RefusedJobs, a_job_whose_tuner_throws_is_told_of_and_followed_by_a_pause) {
  tuner_.thrown = "no such \xff\x1b[2J\nthing";
  EXPECT_THAT(Run(), Each(kPoll));
  EXPECT_THAT(out_.str(), HasSubstr("job 7: internal: no such "));
  EXPECT_EQ(out_.str().find('\x1b'), std::string::npos);
  EXPECT_THAT(out_.str(), testing::Not(HasSubstr("\nthing")));
}

TEST_F(RefusedJobs, a_log_of_json_takes_any_bytes) {
  json_ = true;
  tuner_.outcome = core::Error{"bad_cell", "\xff"};
  EXPECT_THAT(Run(), Each(kPoll));
  EXPECT_THAT(out_.str(), HasSubstr("Z\",\"job\":7,\"event\":\"\xEF\xBF\xBD\"}"));
}

TEST_F(RefusedJobs, AJobWhoseLeaseIsLostLeavesNoJournal) {
  tuner_.outlasts_lease = true;
  unheard_.on_request = [this](const Request&) {
    unheard_.answers = {{409, {}, R"({"status":409,"code":"lease_lost"})"}};
  };
  Run();
  EXPECT_THAT(out_.str(), HasSubstr("the job now belongs to another agent"));
  ASSERT_FALSE(tuner_.journal.empty());
  EXPECT_FALSE(std::filesystem::exists(tuner_.journal));
}

TEST_F(RefusedJobs, after_a_job_that_was_tuned_the_next_is_asked_for_at_once) {
  tuner_.outcome->tuned = 1;
  EXPECT_THAT(Run(), Each(seconds(0)));
}

TEST(JobQueue, a_job_with_a_number_that_cannot_be_is_none) {
  const auto code = [](const char* id, const char* epoch, const char* lease) {
    agent::test::FakeHub hub;
    hub.answers = {
        {200,
         {},
         fmt::format(
             R"({{"id":{},"family":"a8w8","shapes":[],"lease":{{"epoch":{},"seconds":{}}}}})", id,
             epoch, lease)}};
    return ErrorCode(JobQueue(hub, {}, {}).Claim({}, false));
  };
  EXPECT_EQ(code("7", "1", "60.5"), "");
  for (const char* number : {"1e300", "-1", "0", "null"}) {
    EXPECT_EQ(code(number, "1", "60"), "bad_answer") << number;
    EXPECT_EQ(code("7", number, "60"), "bad_answer") << number;
    EXPECT_EQ(code("7", "1", number), "bad_answer") << number;
  }
  EXPECT_EQ(code("7.5", "1", "60"), "bad_answer");
}

using testing::ElementsAre;
using tunehub::test::ShippedTargets;

// A fake engine. It names its device `called` and finds a row for every M.
class ToldJobs : public EngineJobs {
 public:
  explicit ToldJobs(DeviceInfo device)
      : EngineJobs(OwnDevice(std::move(device), ShippedTargets().devices())) {}

  core::Result<EngineParts> PartsOf(const TuneTask& task) override {
    EngineParts parts;
    EnginePart part;
    for (const Columns& shape : task.shapes) {
      const std::string why = device().WhyOther(shape.at("device"));
      if (!why.empty()) parts.left.Add(why);
      if (why.empty()) part.shapes.push_back(shape);
    }
    part.run = [this, shapes = part.shapes](const EngineObserver&) {
      ++runs;
      EngineRun run;
      run.family = "triton_fused_moe";
      run.tuner = "vllm benchmark_moe.py";
      run.device = called;
      run.report.ended = "exit code 0";
      nlohmann::json rows = nlohmann::json::array();
      for (const auto& shape : shapes) {
        rows.push_back({{"device", called}, {"M", shape.at("M")}, {"searched", true}, {"us", "1"}});
      }
      run.rows = nlohmann::json{{"rows", rows}}.dump();
      return core::Result<EngineRun>(std::move(run));
    };
    if (!part.shapes.empty()) parts.parts.push_back(std::move(part));
    return parts;
  }

  std::string called = "AMD_Instinct_MI300X";
  int runs = 0;
};

class EngineJob : public test::EngineJobTest {
 protected:
  Summary Tune(const std::string& device) {
    return EngineJobTest::Tune(tuner_, {{{"device", device}, {"M", "16"}}});
  }
  // Returns the device of each row in the spool.
  std::vector<std::string> Pushed() {
    std::vector<std::string> devices;
    for (const auto& path : spool_.Waiting()) {
      const auto held = spool_.Take(path);
      const auto body = nlohmann::json::parse((*held)->batch.body);
      for (const auto& row : body["rows"]) devices.push_back(row["device"]);
    }
    return devices;
  }

  ToldJobs* jobs_ = new ToldJobs({});  // a host without a PCI id
  EngineJobTuner tuner_{std::unique_ptr<EngineJobs>(jobs_)};
};

TEST_F(EngineJob, a_device_under_another_name_is_tuned_under_that_name) {
  const auto summary = Tune("AMD_Instinct_MI300X_OAM");
  EXPECT_EQ(summary.tuned, 1U);
  EXPECT_EQ(summary.failed, 0U);
  EXPECT_EQ(summary.left, "");
  EXPECT_THAT(Pushed(), ElementsAre("AMD_Instinct_MI300X", "AMD_Instinct_MI300X_OAM"));
}

TEST_F(EngineJob, another_device_is_handed_back_and_the_next_time_before_anything_runs) {
  auto summary = Tune("AMD_Instinct_MI325X");
  EXPECT_EQ(summary.failed, 0U);
  EXPECT_THAT(summary.left, HasSubstr("the shape is for AMD_Instinct_MI325X, but this device is "
                                      "AMD_Instinct_MI300X"));
  EXPECT_EQ(jobs_->runs, 1);
  summary = Tune("AMD_Instinct_MI325X");
  EXPECT_THAT(summary.left, HasSubstr("this agent cannot tune 1 of 1 shapes"));
  EXPECT_EQ(jobs_->runs, 1);
}

TEST_F(EngineJob, a_name_that_nobody_knows_is_of_what_the_driver_says) {
  jobs_->called = "0x1234";
  EXPECT_EQ(Tune("0x1234").tuned, 1U);
  EXPECT_THAT(Tune("AMD_Instinct_MI325X").left, HasSubstr("but this device is 0x1234"));
}

TEST_F(EngineJob, what_an_engine_tuned_has_no_winner_and_did_not_fail) {
  Tune("AMD_Instinct_MI300X");
  ASSERT_EQ(watcher_.finished.size(), 1U);
  EXPECT_EQ(watcher_.finished[0].tuned_by, "vllm benchmark_moe.py");
  EXPECT_EQ(watcher_.finished[0].reason, "");
}

// TunableOp jobs that name validators. tests/support/torch_standin replaces PyTorch.

constexpr char kOwn[] = "GCN_ARCH_NAME=gfx942:sramecc+:xnack-;PT_VERSION=2.11.0";

class TunableJob : public test::EngineJobTest {
 protected:
  std::unique_ptr<EngineJobTuner> Tuner(const std::string& mode = "ok") const {
    TunableSettings settings;
    settings.work = folder_.path() / "work";
    settings.logs = folder_.path() / "logs";
    settings.environment = {{"PYTHONPATH", TUNEHUB_SOURCE_DIR "/tests/support/torch_standin"},
                            {"PYTHONDONTWRITEBYTECODE", "1"},
                            {"STANDIN_MODE", mode}};
    const core::Devices& devices = ShippedTargets().devices();
    return std::make_unique<EngineJobTuner>(
        std::make_unique<TunableJobs>(settings, devices, DeviceInfo()));
  }
  static Columns Gemm(const std::string& validators) {
    return {{"engine", "rocm"},
            {"device", "AMD_Instinct_MI300X"},
            {"validators", validators},
            {"op", "GemmTunableOp_BFloat16_TN"},
            {"params", "tn_1_8_64_ld_64_64_1"}};
  }
};

TEST_F(TunableJob, of_this_pytorchs_validators_is_its_own_without_any_job_before) {
  const auto summary = Tune(*Tuner(), {Gemm(kOwn)});
  EXPECT_EQ(summary.tuned, 1U);
  EXPECT_EQ(summary.left, "");
  EXPECT_EQ(watcher_.finished.size(), 1U);
  EXPECT_EQ(spool_.Waiting().size(), 1U) << "the daemon does not tune the probe's GEMM again";
}

TEST_F(TunableJob, of_other_validators_is_left_with_what_pytorch_has) {
  const auto tuner = Tuner();
  for (int i = 0; i < 2; ++i) {
    const auto summary = Tune(*tuner, {Gemm("PT_VERSION=1.0.0")});
    EXPECT_EQ(summary.tuned + summary.failed, 0U);
    EXPECT_THAT(summary.left, HasSubstr("the shape is for the validators PT_VERSION=1.0.0, but "
                                        "PyTorch here has GCN_ARCH_NAME"));
  }
  EXPECT_EQ(spool_.Waiting().size(), 1U) << "the daemon probes PyTorch once and keeps the result";
}

TEST_F(TunableJob, where_pytorch_tells_nothing_that_is_said) {
  EXPECT_THAT(Tune(*Tuner("nothing"), {Gemm(kOwn)}).left,
              HasSubstr("has not reported its validators"));
}

}  // namespace
}  // namespace tunehub::agent
