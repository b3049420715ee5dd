#include "core/row/standing.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/row/winner.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::CellList;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

Timing Took(double us, double error = 0) {
  return {.us = us, .error = error, .error_limit = 0.2};
}

// Returns "standing" or "standing code: detail".
std::string Judged(std::string_view family_name, const Timing& timing, const CellList& cells) {
  const Family& family = test::ShippedFamily(family_name);
  const Judgement judgement =
      Judge(family, test::ShippedTargets(), test::CellsOf(family, cells), timing);
  const std::string standing(Name(judgement.standing));
  return judgement.reason.empty() ? standing : standing + " " + judgement.reason;
}

std::string Gemm(const Timing& timing, std::string_view kernel = "k",
                 std::string_view tflops = "1.5", std::string_view gfx = "gfx942") {
  return Judged("a8w8_blockscale", timing,
                {{"gfx", gfx},
                 {"cu_num", "304"},
                 {"M", "1024"},
                 {"N", "1024"},
                 {"K", "1024"},
                 {"kernelName", kernel},
                 {"tflops", tflops}});
}

TEST(Standing, what_can_be_believed_is_measured_and_what_cannot_is_not) {
  EXPECT_EQ(Gemm(Took(50)), "measured");
  EXPECT_EQ(Gemm(Took(50, kNone)), "measured");
  EXPECT_EQ(Gemm(Took(1.0)), "measured") << "with tflops, a time of 1.0 is no placeholder";
  EXPECT_EQ(Judged("triton_bench", Took(50, kNone), "gfx=gfx942 kernel=batched_gemm_bf16"),
            "compared");
  EXPECT_EQ(Gemm(Took(kNone)), "unmeasured us_missing: the row has no time");
  EXPECT_EQ(Gemm(Took(0)), "unmeasured us_zero: the time is 0");
  EXPECT_EQ(Gemm(Took(kInfinite)), "unmeasured us_infinite: a measurement cannot take inf us");
  EXPECT_EQ(Gemm(Took(1.0), "k", "0"), "unmeasured us_placeholder: the time is 1.0 with 0 tflops");
  EXPECT_EQ(Gemm(Took(1.0), "k", "0.0"),
            "unmeasured us_placeholder: the time is 1.0 with 0 tflops");
  EXPECT_EQ(Gemm(Took(1.0), "k", ""), "measured");
  EXPECT_EQ(Gemm(Took(1.5), "k", "0"), "measured");
  EXPECT_EQ(Gemm(Took(50), ""), "quarantined no_kernel: the row names no kernel");
  EXPECT_EQ(Gemm(Took(50), "Null"), "quarantined no_kernel: the row names no kernel");
  EXPECT_EQ(Gemm(Took(-3.5)),
            "quarantined failed: the time is -3.5 us, with which tuners mark a failed candidate");
  EXPECT_EQ(Gemm(Took(-kInfinite)),
            "quarantined failed: the time is -inf us, with which tuners mark a failed candidate");
  EXPECT_EQ(Gemm(Took(50), "FAILED: timeout"),
            "quarantined failed: the tuner named the kernel 'FAILED: timeout'");
}

TEST(Standing, wrong_failed_and_garbled_are_three_things_with_one_name) {
  const struct {
    const char* reason;
    Standing standing;
    double us, error;
    const char* kernel;
  } kRows[] = {
      {"error_above_limit", Standing::kWrong, 50, 0.9, "k"},
      {"error_above_limit", Standing::kWrong, 0, 0.9, "k"},
      {"error_above_limit", Standing::kWrong, kNone, kInfinite, "k"},
      {"failed", Standing::kFailed, -1, 0, "k"},
      {"failed", Standing::kFailed, -1, 1, "k"},
      {"failed", Standing::kFailed, kInfinite, 1, "k"},
      {"failed", Standing::kFailed, 50, 0, "FAILED: timeout"},
      {"no_kernel", Standing::kGarbled, 50, 0.9, ""},
  };
  const Family& family = test::ShippedFamily("a8w8_blockscale");
  for (const auto& it : kRows) {
    const auto cells = test::CellsOf(family, {{"gfx", "gfx942"}, {"kernelName", it.kernel}});
    const Judgement judged = Judge(family, test::ShippedTargets(), cells, Took(it.us, it.error));
    EXPECT_EQ(judged.standing, it.standing) << it.us << " " << it.error << " " << it.kernel;
    EXPECT_TRUE(judged.reason.starts_with(it.reason)) << judged.reason;
    EXPECT_EQ(Name(judged.standing), "quarantined");
  }
}

TEST(Standing, the_error_limit_itself_is_allowed_and_an_id_names_a_kernel_too) {
  const Timing good = Took(50);
  EXPECT_EQ(Judged("a8w8", good, "gfx=gfx942 kernelId=7"), "measured");
  EXPECT_EQ(Judged("fmoe", good, "gfx=gfx942 kernelName1=k"), "measured")
      << "only one of two stages has a kernel";
  EXPECT_EQ(Judged("fmoe", good, "gfx=gfx942 block_m=32"),
            "quarantined no_kernel: the row names no kernel");
  EXPECT_EQ(Judged("chunk_gdn_h", good, {{"gfx", "gfx942"}}), "measured")
      << "a family without kernel names";
  EXPECT_EQ(Gemm(Took(50, 0.2)), "measured");
  EXPECT_EQ(Gemm(Took(50, 0.21)),
            "quarantined error_above_limit: the error is 0.21; the limit is 0.2");
  EXPECT_EQ(Gemm({.us = 50, .error = 0.21, .error_limit = 0.5}), "measured");
  EXPECT_EQ(Gemm({.us = 50, .error = kInfinite, .error_limit = 0.5}),
            "quarantined error_above_limit: the error is inf; the limit is 0.5");
  EXPECT_EQ(Gemm({.us = 0, .error = 0.9, .error_limit = 0.5}).substr(0, 11), "quarantined")
      << "the hub never serves a wrong result, even without a time";
}

// The roofline is that of MI325X, the faster of the two products with gfx942:304.
TEST(Standing, a_time_is_believed_down_to_a_share_of_the_roofline_of_the_fastest_product) {
  const auto tall = [](double us) {
    return Judged("a8w8_blockscale", Took(us),
                  "gfx=gfx942 cu_num=304 M=1 N=7168 K=7168 kernelName=k");
  };
  const double roofline = (7168.0 * 7168 + 7168 + 2 * 7168) / 6000 / 1e3;  // of the GPU's memory
  EXPECT_EQ(tall(0.801 * roofline), "measured");
  EXPECT_EQ(tall(0.799 * roofline),
            "unmeasured implausible: 6.845 us, but the roofline of the fastest GPU is 8.567 us");
}

TEST(Standing, an_implausible_time_that_is_not_upstreams_is_never_served) {
  const Timing fast = {.us = 0.9, .error = 0, .error_limit = 0.2, .upstream = false};
  EXPECT_EQ(Gemm(fast), "implausible implausible: 0.9 us, but a launch on a GPU takes 1 us");
  EXPECT_FALSE(Competes(Standing::kImplausible));
}

TEST(Standing, an_nvidia_gpus_peak_is_known_too) {
  const auto judged = [](const char* us) {
    return Judged("batched_bf16", Took(std::stod(us)),
                  "gfx=sm_90 cu_num=132 B=1 M=4096 N=4096 K=4096 kernelName=k");
  };
  EXPECT_EQ(judged("170"), "measured");
  EXPECT_EQ(judged("100"),
            "unmeasured implausible: 100 us, but the roofline of the fastest GPU is 138.9 us");
}

TEST(Standing, without_a_roofline_a_launch_bounds_a_time_and_the_others_of_its_key) {
  const Timing fast = Took(0.9), slow = Took(1);
  const auto is_relative = [](std::string_view family_name, const CellList& cells) {
    const Family& family = test::ShippedFamily(family_name);
    return Judge(family, test::ShippedTargets(), test::CellsOf(family, cells), {}).relative;
  };
  for (const char* gfx : {"gfx1250", "gfx9999"}) {
    EXPECT_EQ(Gemm(fast, "k", "1.5", gfx),
              "unmeasured implausible: 0.9 us, but a launch on a GPU takes 1 us");
    EXPECT_EQ(Gemm(slow, "k", "1.5", gfx), "measured");
    EXPECT_TRUE(is_relative("a8w8_blockscale",
                            {{"gfx", gfx}, {"cu_num", "304"}, {"M", "1"}, {"N", "1"}, {"K", "1"}}));
  }
  EXPECT_TRUE(is_relative("chunk_gdn_h", "gfx=gfx942 cu_num=304"));
  EXPECT_FALSE(is_relative("a8w8_blockscale", "gfx=gfx942 cu_num=304 M=1 N=1 K=1"));
  EXPECT_FALSE(is_relative("a8w8_blockscale", "gfx=cpu-x86-64-v3 cu_num=8 M=1 N=1 K=1"));
  EXPECT_EQ(Gemm(Took(0.001), "k", "1.5", "cpu-x86-64-v3"), "measured");
}

std::string Fmoe(double us, const std::string& expert) {
  return Judged("fmoe", {.us = us, .error = 0, .error_limit = 0.5},
                "gfx=gfx950 cu_num=256 token=1 model_dim=7168 inter_dim=2048 topk=8 "
                "dtype=torch.bfloat16 q_dtype_a=torch.float8_e4m3fn q_dtype_w=torch.float8_e4m3fn "
                "use_g1u1=1 kernelName1=k expert=" +
                    expert);
}

TEST(Standing, fmoe_is_judged_by_the_experts_that_its_tokens_reach) {
  // Reading 256 experts' weights in 50 us would take 225 TB/s, but one token reads only 8 experts.
  EXPECT_EQ(Fmoe(50, "256"), "measured");
  EXPECT_EQ(Fmoe(30, "256"),
            "unmeasured implausible: 30 us, but the roofline of the fastest GPU is 44.04 us");
}

TEST(Standing, a_row_without_a_time_is_declared_where_its_family_says_so_or_has_none) {
  EXPECT_EQ(Judged("triton_fused_moe", {kNone, kNone, 0.2}, {{"M", "8"}}), "declared");
  EXPECT_EQ(Judged("triton_fused_moe", {7.5, kNone, 0.2}, {{"M", "8"}}), "measured");
  EXPECT_EQ(Judged("triton_fused_moe", {0, kNone, 0.2}, {{"M", "8"}}),
            "unmeasured us_zero: the time is 0");
  const Timing none = {.us = kNone, .error = kNone, .error_limit = 0.5};
  EXPECT_EQ(Judged("fhmoe", none, "gfx=gfx950 kernelName1=k"), "declared");
  EXPECT_EQ(Judged("fhmoe", none, {{"gfx", "gfx950"}}),
            "quarantined no_kernel: the row names no kernel");
}

Hash128 Hash(unsigned char first) {
  return Hash128{{first}};
}

Contender Measured(double us, double error = 0, unsigned char candidate = 1) {
  return {Standing::kMeasured, us, error, Hash(candidate), 0, Hash(1)};
}

Contender Unmeasured(double us) {
  return {Standing::kUnmeasured, us, 0, Hash(1), 0, Hash(1)};
}

Contender Declared(std::int64_t run_time, unsigned char candidate = 1, unsigned char run = 1) {
  return {Standing::kDeclared, kNone, kNone, Hash(candidate), run_time, Hash(run)};
}

void ExpectBeats(const Contender& better, const Contender& worse, const char* why) {
  EXPECT_TRUE(Beats(better, worse)) << why;
  EXPECT_FALSE(Beats(worse, better)) << why;
}

TEST(Winner, TheRulesDecideOneAfterTheOther) {
  ExpectBeats(Measured(900), Unmeasured(0), "measured before unmeasured, whatever the time");
  ExpectBeats(Measured(900), Declared(100), "measured before declared, whatever the run");
  ExpectBeats(Declared(0), Unmeasured(0), "declared before unmeasured");
  ExpectBeats(Measured(1.5, 0.1, 9), Measured(2, 0, 1), "the lower time");
  ExpectBeats(Measured(2, 0.01, 9), Measured(2, 0.02, 1), "the lower error at one time");
  ExpectBeats(Measured(2, 0.9), Measured(2, kNone), "no error given sorts last");
  ExpectBeats(Measured(2, 0, 1), Measured(2, 0, 2), "the candidate's hash");
  Contender run = Measured(2);
  run.run = Hash(2);
  ExpectBeats(Measured(2), run, "the run's hash");
}

TEST(Winner, among_declared_and_unmeasured_rows_there_is_an_order_and_none_wins_by_being_newer) {
  ExpectBeats(Unmeasured(0), Unmeasured(1), "0 before the placeholder");
  ExpectBeats(Unmeasured(1), Unmeasured(kInfinite), "then infinity");
  ExpectBeats(Unmeasured(kInfinite), Unmeasured(kNone), "then no time, as null in PostgreSQL");
  ExpectBeats(Unmeasured(kNone), {Standing::kWrong, 1, 0, Hash(1), 0, Hash(1)},
              "whatever is quarantined comes last");
  Contender newer = Measured(3);
  newer.run_time = 100;
  ExpectBeats(Measured(2), newer, "a time is a time");
  ExpectBeats(Declared(2, 9, 9), Declared(1, 1, 1), "the later run");
  ExpectBeats(Declared(1, 9, 1), Declared(1, 1, 2), "of one time the run's hash");
  ExpectBeats(Declared(1, 1, 1), Declared(1, 2, 1), "of one run the candidate's");
}

TEST(Winner, without_a_time_upstreams_word_is_before_others_and_an_unknown_kernel_last) {
  using enum Standing;
  for (const Standing standing : {kDeclared, kUnmeasured}) {
    const Contender known{standing, 0, 0, Hash(2), 1, Hash(1)};
    Contender other{standing, 1, 1, Hash(1), 1, Hash(1)};
    other.rank = 0;
    ExpectBeats(other, known, "upstream's, whatever its time");
    other.rank = 2;
    ExpectBeats(known, other, "a kernel that a family knows");
  }
}

Contender RandomContender(std::mt19937& random) {
  const auto number = [&] {
    static const double kNumbers[] = {0, -0.0, 0.5, 1, 1, 2, kInfinite, kNone};
    return kNumbers[random() % 8];
  };
  return {static_cast<Standing>(random() % 4),
          number(),
          number(),
          Hash(static_cast<unsigned char>(random() % 3)),
          static_cast<std::int64_t>(random() % 3),
          Hash(static_cast<unsigned char>(random() % 3))};
}

TEST(Winner, beats_is_a_strict_weak_order) {
  std::mt19937 random(5);
  const auto tied = [](const Contender& a, const Contender& b) {
    return !Beats(a, b) && !Beats(b, a);
  };
  for (int round = 0; round < 100'000; ++round) {
    const Contender a = RandomContender(random), b = RandomContender(random),
                    c = RandomContender(random);
    ASSERT_FALSE(Beats(a, a));
    ASSERT_FALSE(Beats(a, b) && Beats(b, a));
    ASSERT_TRUE(!(Beats(a, b) && Beats(b, c)) || Beats(a, c));
    ASSERT_TRUE(!(tied(a, b) && tied(b, c)) || tied(a, c));
  }
}

}  // namespace
}  // namespace tunehub::core
