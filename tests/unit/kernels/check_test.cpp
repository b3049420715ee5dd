// The check never passes a wrong kernel: slightly wrong, wrong in one place, or without output.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu/workbench.h"
#include "kernels/reference.h"

namespace tunehub::kernels {
namespace {

using Hook = std::function<void(const std::function<void()>& run, std::span<std::byte> output)>;

Problem Bf16(int m, int n, int k) {
  return {.family = "bf16", .m = m, .n = n, .k = k, .moe = {}};
}

Check Verified(const Problem& problem, const Hook& around_run, std::uint64_t work = 1'000'000'000) {
  WorkbenchOptions options = {
      .rotating_bytes = 1, .reference_work = work, .around_run = around_run};
  options.machine.cores = 2;
  auto bench = Workbench::Make(problem, options);
  return *bench->Verify(DefaultCandidate(problem, bench->machine()));
}

std::uint16_t& Element(std::span<std::byte> output, std::size_t index) {
  return reinterpret_cast<std::uint16_t*>(output.data())[index];
}

TEST(KernelCheck, passes_a_kernel_that_is_right) {
  const auto check =
      Verified(Bf16(16, 64, 128), [](const auto& run, std::span<std::byte>) { run(); });
  EXPECT_EQ(check.err_ratio, 0);
  EXPECT_LT(check.frobenius, 0.003);
  EXPECT_TRUE(check.ok(0));
}

TEST(KernelCheck, rejects_a_kernel_that_writes_nothing_as_its_output_is_poisoned) {
  const auto check = Verified(Bf16(16, 64, 128), [](const auto&, std::span<std::byte>) {});
  EXPECT_EQ(check.err_ratio, 1.0);
  EXPECT_FALSE(check.ok(0.5));
}

TEST(KernelCheck, rejects_a_kernel_that_forgets_one_element_of_a_row_without_a_reference) {
  const auto problem = Bf16(64, 64, 128);
  for (std::size_t row = 1; row < 63; row += 7) {
    const auto forget = [row](const auto& run, std::span<std::byte> output) {
      run();
      Element(output, row * 64 + 63) = 0xffff;
    };
    // The check finds an unwritten element even though the reference has only four rows.
    EXPECT_FALSE(Verified(problem, forget, 1).ok(0.5)) << row;
  }
}

TEST(KernelCheck, rejects_a_kernel_with_one_wrong_column_of_its_tiles) {
  const auto check = Verified(Bf16(16, 64, 128), [](const auto& run, std::span<std::byte> output) {
    run();
    for (std::size_t row = 0; row < 16; ++row) Element(output, row * 64 + 15) ^= 0x8000;
  });
  EXPECT_GT(check.err_ratio, 0.01);
  EXPECT_LE(check.err_ratio, 1 / 64.0);
  EXPECT_FALSE(check.ok(0.05)) << "few elements are wrong, but the Frobenius error is large";
}

TEST(KernelCheck, rejects_a_kernel_that_is_two_percent_off_everywhere) {
  const auto check = Verified(Bf16(16, 64, 128), [](const auto& run, std::span<std::byte> output) {
    run();
    for (std::size_t i = 0; i < 16 * 64; ++i) {
      Element(output, i) = ToBf16(FromBf16(Element(output, i)) * 1.02F);
    }
  });
  EXPECT_GT(check.err_ratio, 0.9);
  EXPECT_FALSE(check.ok(0.5));
}

TEST(KernelCheck, counts_wrong_elements_as_aiter_does_and_says_how_far_off_the_worst_is) {
  // An element is wrong if |a - b| > 1e-2 + 1e-2 * |b|.
  const std::vector<double> reference = {0, 1, 100, -100};
  EXPECT_EQ(Compare(std::vector<float>{0.0099F, 1.0199F, 101.0F, -101.0F}, reference).err_ratio, 0);
  EXPECT_EQ(Compare(std::vector<float>{0.0101F, 1.0F, 100.0F, -100.0F}, reference).err_ratio, 0.25);
  EXPECT_EQ(Compare(std::vector<float>{0.0F, 1.0201F, 101.02F, -100.0F}, reference).err_ratio, 0.5);
  const auto check = Compare(std::vector<float>{3, 4.5F}, std::vector<double>{3, 4});
  EXPECT_EQ(check.max_delta, 0.5);
  EXPECT_DOUBLE_EQ(check.frobenius, 0.1);
}

TEST(KernelCheck, takes_any_nan_or_infinity_for_a_failure) {
  const std::vector<double> reference(100, 1.0);
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    std::vector<float> output(100, 1.0F);
    output[37] = bad;
    const auto check = Compare(output, reference);
    EXPECT_EQ(check.err_ratio, 1.0);
    EXPECT_TRUE(std::isinf(check.frobenius));
    EXPECT_FALSE(check.ok(0.99));
  }
}

}  // namespace
}  // namespace tunehub::kernels
