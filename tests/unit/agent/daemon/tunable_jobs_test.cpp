// Jobs of TunableOp that name validators, with a stand-in for PyTorch
// (tests/support/torch_standin).
#include "agent/daemon/engine_jobs.h"
#include "build_info.h"
#include "tests/unit/agent/daemon/engine_job_support.h"

namespace tunehub::agent {
namespace {

using testing::HasSubstr;
using tunehub::test::ShippedTargets;

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
  EXPECT_EQ(spool_.Waiting().size(), 1U) << "the GEMM that told them is not tuned again";
}

TEST_F(TunableJob, of_other_validators_is_left_with_what_pytorch_has) {
  const auto tuner = Tuner();
  for (int i = 0; i < 2; ++i) {
    const auto summary = Tune(*tuner, {Gemm("PT_VERSION=1.0.0")});
    EXPECT_EQ(summary.tuned + summary.failed, 0U);
    EXPECT_THAT(summary.left, HasSubstr("it is for the validators PT_VERSION=1.0.0; PyTorch here "
                                        "has GCN_ARCH_NAME"));
  }
  EXPECT_EQ(spool_.Waiting().size(), 1U) << "it is asked once, and what it found is kept";
}

TEST_F(TunableJob, where_pytorch_tells_nothing_that_is_said) {
  EXPECT_THAT(Tune(*Tuner("nothing"), {Gemm(kOwn)}).left, HasSubstr("did not tell its own"));
}

}  // namespace
}  // namespace tunehub::agent
