#include "core/analysis/lookup_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/lookup/table.h"
#include "tests/support/shipped.h"

namespace tunehub::analysis {
namespace {

core::FamilyShape ShapeWithM(const core::Family& family, const std::string& m) {
  core::FamilyShape shape;
  shape.cells.assign(family.columns.size(), "1");
  if (family.lookup.m != core::kNoColumn) shape.cells[family.lookup.m] = m;
  return shape;
}

// If a step has no sentence, GET /lookup answers 500.
TEST(LookupJson, every_attempt_of_every_family_is_told_in_words) {
  for (const auto& family : test::ShippedFamilies().all()) {
    const lookup::Table table(*family, {});
    for (const char* m : {"1", "100", "1000000"}) {
      const core::FamilyShape shape = ShapeWithM(*family, m);
      const auto json = LookupJson(table, {shape, "gfx942", 304});
      EXPECT_EQ(json["row"], nullptr) << family->name;
      for (const auto& tried : json["tried"])
        EXPECT_FALSE(tried["detail"].get<std::string>().empty()) << family->name;
    }
  }
}

TEST(LookupJson, a_family_of_files_says_that_the_nearest_m_was_looked_for) {
  const core::Family& family = test::ShippedFamily("triton_fused_moe");
  const lookup::Table table(family, {});
  const core::FamilyShape shape = ShapeWithM(family, "7");
  const auto tried = LookupJson(table, {shape, "", 0})["tried"];
  ASSERT_EQ(tried.size(), 2);
  EXPECT_EQ(tried[1]["step"], "nearest");
  EXPECT_EQ(tried[1]["detail"],
            "the nearest M, the next larger M, or the next bucket, M=7: no row");
}

}  // namespace
}  // namespace tunehub::analysis
