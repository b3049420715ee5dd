#include "core/family/targets.h"

#include <gtest/gtest.h>

#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

std::string ErrorOf(std::string_view json) {
  const Result<Targets> targets = Targets::Parse("targets.json", json);
  return targets.ok() ? "accepted" : targets.error().code + ": " + targets.error().detail;
}

std::string WithArch(const std::string& arch) {
  return R"({"archs": {"gfx942": )" + arch + R"(}, "legacy_gfx": {}})";
}

TEST(Targets, peaks_are_those_of_the_data_sheets) {
  const Targets& targets = test::ShippedTargets();
  EXPECT_NEAR(*targets.PeakTflops("gfx942", 304, "fp8"), 2614.9, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx942", 304, "int8"), 2614.9, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx942", 304, "bf16"), 1307.4, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx942", 80, "fp8"), 688.1, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx950", 256, "bf16"), 2516.6, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx950", 256, "fp8"), 5033.2, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx950", 256, "int8"), 5033.2, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("gfx950", 256, "fp4"), 10066.3, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("sm_90", 132, "bf16"), 989.4, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("sm_90", 132, "fp8"), 1978.9, 0.05);
  EXPECT_NEAR(*targets.PeakTflops("sm_90", 132, "int8"), 1978.9, 0.05);
}

TEST(Targets, no_peak_where_a_factor_is_unknown) {
  const Targets& targets = test::ShippedTargets();
  EXPECT_EQ(targets.PeakTflops("gfx942", 304, "fp4"), std::nullopt);  // no such instruction
  EXPECT_EQ(targets.PeakTflops("gfx942", 304, ""), std::nullopt);
  EXPECT_EQ(targets.PeakTflops("gfx942", 0, "fp8"), std::nullopt);
  EXPECT_EQ(targets.PeakTflops("gfx1250", 256, "fp8"), std::nullopt);
  EXPECT_EQ(targets.PeakTflops("gfx90a", 104, "bf16"), std::nullopt);
}

TEST(Targets, know_what_aiter_assumes) {
  const Targets& targets = test::ShippedTargets();
  EXPECT_EQ(targets.Find("gfx942")->default_cu_num, 304);
  EXPECT_EQ(targets.Find("gfx950")->default_cu_num, 256);
  EXPECT_EQ(targets.Find("gfx1250")->default_cu_num, 256);
  EXPECT_TRUE(targets.Find("gfx942")->fnuz);
  EXPECT_FALSE(targets.Find("gfx950")->fnuz);
  EXPECT_FALSE(targets.Find("gfx1250")->fnuz);
  EXPECT_EQ(targets.Find("sm_90")->default_cu_num, 0) << "it does not run there";
  EXPECT_FALSE(targets.Find("sm_90")->fnuz);
  EXPECT_EQ(targets.Find("gfx90a"), nullptr);
}

TEST(Targets, backfill_the_gfx_of_old_rows_as_aiter_does) {
  const Targets& targets = test::ShippedTargets();
  EXPECT_EQ(targets.LegacyGfx(256), "gfx950");
  EXPECT_EQ(targets.LegacyGfx(80), "gfx942");
  EXPECT_EQ(targets.LegacyGfx(304), "gfx942");
  EXPECT_EQ(targets.LegacyGfx(128), std::nullopt);
  EXPECT_EQ(targets.LegacyGfx(0), std::nullopt);
}

TEST(Targets, carry_their_text_and_its_hash) {
  const Targets targets = Must(Targets::Parse("t", R"({"archs": {}, "legacy_gfx": {}})"));
  EXPECT_EQ(targets.source(), R"({"archs": {}, "legacy_gfx": {}})");
  EXPECT_EQ(targets.Sha256().size(), 64U);
}

TEST(Targets, reject_a_wrong_file_with_place_and_reason) {
  EXPECT_EQ(ErrorOf(R"({"archs": {}})"), "bad_targets: targets.json: /legacy_gfx: is missing");
  EXPECT_EQ(ErrorOf(R"({"archs": {}, "legacy_gfx": {}, "extra": 1})"),
            "bad_targets: targets.json: /extra: is no member that this file may have");
  EXPECT_EQ(ErrorOf(WithArch(R"({"clock": 1, "source": "s"})")),
            "bad_targets: targets.json: /archs/gfx942/clock: is no member that this file may have");
  EXPECT_EQ(ErrorOf(WithArch(R"({"default_cu_num": 4097, "source": "s"})")),
            "bad_targets: targets.json: /archs/gfx942/default_cu_num: must be an integer from 0 "
            "to 4096");
  EXPECT_EQ(ErrorOf(WithArch(R"({})")),
            "bad_targets: targets.json: /archs/gfx942/source: is missing");
  EXPECT_EQ(ErrorOf(WithArch(R"({"source": "s", "flops_per_cu_clock": {"fp8": 4096}})")),
            "bad_targets: targets.json: /archs/gfx942/clock_mhz: is needed beside "
            "flops_per_cu_clock");
  EXPECT_EQ(ErrorOf(WithArch(R"({"source": "s", "clock_mhz": 1,
                                 "flops_per_cu_clock": {"fp8": "many"}})")),
            "bad_targets: targets.json: /archs/gfx942/flops_per_cu_clock/fp8: must be a number, "
            "not string");
  EXPECT_EQ(ErrorOf(R"({"archs": {}, "legacy_gfx": {"256": "gfx950"}})"),
            "bad_targets: targets.json: /legacy_gfx/256: names no gfx of /archs");
  EXPECT_EQ(ErrorOf(WithArch(R"({"source": "s"})")), "accepted");
}

TEST(Targets, a_missing_file_is_an_error) {
  const Result<Targets> targets = Targets::Load("/nonexistent/targets.json");
  ASSERT_FALSE(targets.ok());
  EXPECT_EQ(targets.error().detail, "/nonexistent/targets.json: cannot be read");
}

TEST(Targets, dtypes_have_the_precision_of_their_peak) {
  EXPECT_EQ(PrecisionOfDtype("torch.bfloat16"), "bf16");
  EXPECT_EQ(PrecisionOfDtype("torch.float16"), "fp16");
  EXPECT_EQ(PrecisionOfDtype("torch.float8_e4m3fn"), "fp8");
  EXPECT_EQ(PrecisionOfDtype("torch.float8_e4m3fnuz"), "fp8");
  EXPECT_EQ(PrecisionOfDtype("dtypes.fp8"), "fp8");
  EXPECT_EQ(PrecisionOfDtype("torch.int8"), "int8");
  EXPECT_EQ(PrecisionOfDtype("torch.float4_e2m1fn_x2"), "fp4");
  EXPECT_EQ(PrecisionOfDtype("torch.float32"), "");
  EXPECT_EQ(PrecisionOfDtype(""), "");
}

}  // namespace
}  // namespace tunehub::core
