// Which shapes of a job count as tuned by an engine, and which are another agent's.
#include <nlohmann/json.hpp>

#include "agent/daemon/script_job_tuner.h"
#include "tests/unit/agent/daemon/engine_job_support.h"

namespace tunehub::agent {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using tunehub::test::ShippedTargets;

// Of an engine that calls its device as the test says, and finds a row for every M.
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
  // The devices of the rows that were spooled.
  std::vector<std::string> Pushed() {
    std::vector<std::string> devices;
    for (const auto& path : spool_.Waiting()) {
      const auto held = spool_.Take(path);
      const auto body = nlohmann::json::parse((*held)->batch.body);
      for (const auto& row : body["rows"]) devices.push_back(row["device"]);
    }
    return devices;
  }

  ToldJobs* jobs_ = new ToldJobs({});  // a host that has no PCI id
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
  EXPECT_THAT(summary.left, HasSubstr("it is of AMD_Instinct_MI325X, and this is "
                                      "AMD_Instinct_MI300X"));
  EXPECT_EQ(jobs_->runs, 1);
  summary = Tune("AMD_Instinct_MI325X");
  EXPECT_THAT(summary.left, HasSubstr("1 of 1 shapes are not for this agent"));
  EXPECT_EQ(jobs_->runs, 1);
}

TEST_F(EngineJob, a_name_that_nobody_knows_is_of_what_the_driver_says) {
  jobs_->called = "0x1234";
  EXPECT_EQ(Tune("0x1234").tuned, 1U);
  EXPECT_THAT(Tune("AMD_Instinct_MI325X").left, HasSubstr("and this is 0x1234"));
}

TEST_F(EngineJob, what_an_engine_tuned_has_no_winner_and_did_not_fail) {
  Tune("AMD_Instinct_MI300X");
  ASSERT_EQ(watcher_.finished.size(), 1U);
  EXPECT_EQ(watcher_.finished[0].tuned_by, "vllm benchmark_moe.py");
  EXPECT_EQ(watcher_.finished[0].reason, "");
}

}  // namespace
}  // namespace tunehub::agent
