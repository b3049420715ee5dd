#include "kernels/operands.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tunehub::kernels {
namespace {

bool Same(const Buffer& a, const Buffer& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

TEST(Operands, have_the_same_bytes_with_any_number_of_threads) {
  for (const Format format : {Format::kBf16, Format::kInt8, Format::kE4m3, Format::kE2m1}) {
    // Two million elements: a part for each of several threads, and a last part that is not full.
    Problem problem{"a8w8", 1, 1001, 1003, 2002, format, format, Format::kBf16, Scaling::kNone, {}};
    const Operands one = MakeOperands(problem, 7, 1);
    for (const int threads : {2, 3, 5, 64}) {
      const Operands several = MakeOperands(problem, 7, threads);
      EXPECT_TRUE(Same(one.a, several.a) && Same(one.w, several.w))
          << static_cast<int>(format) << " with " << threads << " threads";
    }
    EXPECT_FALSE(Same(one.a, MakeOperands(problem, 8, 1).a)) << "another seed";
  }
}

}  // namespace
}  // namespace tunehub::kernels
