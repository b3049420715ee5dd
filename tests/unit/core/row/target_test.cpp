#include "core/row/target.h"

#include <gmock/gmock.h>

#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string TextOf(const Result<Target>& target) {
  if (!target.ok()) return ErrorText(target).substr(0, ErrorText(target).find('\n'));
  return target->gfx + ":" + std::to_string(target->cu_num);
}

std::string Named(std::string_view name, int cu_num = 0) {
  return TextOf(NamedTarget(test::ShippedTargets(), name, cu_num));
}

std::string Known(std::string_view name, int cu_num = 0) {
  return TextOf(KnownTarget(test::ShippedTargets(), name, cu_num));
}

std::string LookedUp(std::string_view name, int cu_num = 0, bool has_cu_num = true) {
  const Targets& targets = test::ShippedTargets();
  return TextOf(TargetToLookUp(targets, NamedTarget(targets, name, cu_num), has_cu_num));
}

TEST(Target, a_product_sets_both_in_any_case_and_with_its_vendor) {
  for (const char* name : {"MI300X", "mi300x", "AMD Instinct MI300X", "amd_instinct_mi300x",
                           "AMD MI300X", "1002:74a1"}) {
    EXPECT_EQ(Named(name), "gfx942:304") << name;
  }
  EXPECT_EQ(Named("MI308X"), "gfx942:80");
  EXPECT_EQ(Named("MI355X"), "gfx950:256");
  EXPECT_EQ(Named("NVIDIA H200"), "sm_90:132");
  EXPECT_EQ(Named("H100 PCIe"), "sm_90:114");
  EXPECT_EQ(Named("AMD Instinct MI350P"), "gfx950:128") << "no file has this alias";
}

TEST(Target, a_gfx_is_its_own_name_without_features) {
  EXPECT_EQ(Named("gfx942:sramecc+:xnack-"), "gfx942:0");
  EXPECT_EQ(Named("GFX942", 80), "gfx942:80");
  EXPECT_EQ(Named("gfx1300"), "gfx1300:0") << "a hub may have rows of a newer GPU";
  EXPECT_EQ(Named("sm_90a"), "sm_90a:0");
  EXPECT_EQ(Named("cpu-x86-64-v3", 8), "cpu-x86-64-v3:8");
  EXPECT_EQ(Named("any"), "any:0");
}

TEST(Target, an_unknown_name_is_answered_with_the_nearest_and_the_known_ones) {
  EXPECT_EQ(
      Named("MI300Z"),
      "bad_gfx: 'MI300Z': expected a GPU's product such as MI300X, or an architecture such as "
      "gfx942; did you mean MI300X?");
  EXPECT_THAT(Named("sm90"), HasSubstr("did you mean sm_90?"));
  EXPECT_EQ(
      Named("H100"),
      "bad_gfx: 'H100' is the name of several GPUs; pass one of H100 SXM, H100 PCIe, H100 NVL");
  EXPECT_EQ(Named("NVIDIA H100"), Named("NVIDIA_H100").replace(16, 1, " "));
  EXPECT_THAT(Named("AMD_Radeon_Graphics"), HasSubstr("several devices share the name"));
  for (const char* name : {"", "gfx", "banana", "942"})
    EXPECT_THAT(Named(name), StartsWith("bad_gfx: ")) << name;
  EXPECT_THAT(ErrorText(NamedTarget(test::ShippedTargets(), "x")),
              HasSubstr("\nknown products: MI300X, MI325X, "));
}

TEST(Target, options_name_a_gpu_that_exists_with_its_own_cu_count) {
  EXPECT_EQ(Known("MI300X", 304), "gfx942:304");
  EXPECT_EQ(Known("MI300X", 38), "gfx942:38") << "a partition";
  EXPECT_EQ(Known("MI300X HF", 128), "gfx942:128") << "its own count is unknown";
  EXPECT_EQ(Known("MI300X", 256),
            "bad_cu_num: MI300X has 304 CUs (a partition: 38, 76, 152), but the given CU count is "
            "256. Give only MI300X");
  EXPECT_EQ(Named("MI300X", 80), "gfx942:80") << "a query of a hub may replace the count";
  EXPECT_EQ(Known("gfx943"),
            "bad_gfx: no known GPU has the architecture gfx943; did you mean gfx942?");
  EXPECT_EQ(Known("gfx90a", 104), "gfx90a:104");
  EXPECT_EQ(Known("sm_90a"), "sm_90a:0");
  EXPECT_THAT(Known("gfx942", 5000), HasSubstr("expected a CU count from 1 to 4096"));
}

TEST(Target, a_lookup_uses_the_usual_cu_count) {
  EXPECT_EQ(LookedUp("gfx942"), "gfx942:304");
  EXPECT_EQ(LookedUp("gfx942", 80), "gfx942:80");
  EXPECT_EQ(LookedUp("MI308X", 0, false), "gfx942:0");
  EXPECT_EQ(
      LookedUp("sm_90"),
      "bad_cu_num: sm_90: GPUs of this architecture have different CU counts. Add the CU count, or "
      "name a product, such as H200");
  EXPECT_THAT(LookedUp("gfx943"), HasSubstr("did you mean gfx942? For a new GPU, also"));
}

}  // namespace
}  // namespace tunehub::core
