// Which rows a build can run, and under which number.
#include "core/build_fit.h"

#include <gtest/gtest.h>

#include <set>

#include "core/cell.h"
#include "core/detect.h"
#include "core/table_writer.h"
#include "core/tuned_table.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::CellsOf;
using test::ShippedFamily;

Manifest Build(BuildKind kind, std::vector<ManifestKernel> kernels) {
  return {kind, {}, std::move(kernels)};
}

Cells A8w8(std::string_view kernel, std::string_view id = "5") {
  return CellsOf(ShippedFamily("a8w8"),
                 {{"gfx", "gfx942"}, {"kernelId", id}, {"kernelName", kernel}});
}

TEST(BuildFit, a_row_runs_where_the_manifest_has_its_kernel_for_its_gfx) {
  const Family& family = ShippedFamily("a8w8_blockscale");
  const Manifest manifest =
      Build(BuildKind::kCompiled,
            {{"gemm_a8w8_blockscale", "gfx942", "a8w8_blockscale_1x128x128_x", {}}});
  const BuildFit fit(family, manifest);
  const auto runs = [&](std::string_view gfx, std::string_view libtype, std::string_view kernel) {
    return fit.Runs(CellsOf(family, {{"gfx", gfx}, {"libtype", libtype}, {"kernelName", kernel}}));
  };
  EXPECT_TRUE(runs("gfx942", "ck", "a8w8_blockscale_1x128x128_x"));
  EXPECT_FALSE(runs("gfx950", "ck", "a8w8_blockscale_1x128x128_x"));
  EXPECT_FALSE(runs("gfx942", "cktile", "a8w8_blockscale_1x128x128_x")) << "another module";
  EXPECT_FALSE(runs("gfx942", "ck", "a8w8_blockscale_1x128x128_y"));
  EXPECT_FALSE(runs("gfx942", "newlib", "a8w8_blockscale_1x128x128_x")) << "no module known";
  EXPECT_FALSE(runs("gfx942", "ck", "")) << "no kernel named";
}

TEST(BuildFit, a_build_to_come_that_goes_by_number_has_to_know_it) {
  const Family& family = ShippedFamily("a8w8");
  const std::vector<ManifestKernel> named = {{"gemm_a8w8", "", "a8w8_rowwise_x", {}}};
  const Manifest buildable = Build(BuildKind::kBuildable, named);
  const Manifest compiled = Build(BuildKind::kCompiled, named);
  EXPECT_FALSE(BuildFit(family, buildable).Runs(A8w8("a8w8_rowwise_x")));
  EXPECT_EQ(BuildFit(family, buildable).WhyNot(A8w8("a8w8_rowwise_x")),
            "gemm_a8w8 finds kernels by number, and the manifest has none of a8w8_rowwise_x for "
            "gfx942");
  EXPECT_TRUE(BuildFit(family, compiled).Runs(A8w8("a8w8_rowwise_x")));
}

TEST(BuildFit, writes_the_builds_own_number_where_the_module_goes_by_it) {
  const Family& family = ShippedFamily("a8w8");
  const Manifest manifest = Build(BuildKind::kBuildable, {{"gemm_a8w8", "", "a8w8_rowwise_x", 12}});
  const BuildFit fit(family, manifest);
  std::string scratch;
  Cells cells = A8w8("a8w8_rowwise_x", "5");
  EXPECT_TRUE(fit.Renumber(cells, scratch));
  EXPECT_EQ(cells[family.kernel_id], "12");
  EXPECT_FALSE(fit.Renumber(cells, scratch)) << "it is already";
}

TEST(BuildFit, keeps_the_number_where_the_module_goes_by_the_name) {
  const Family& family = ShippedFamily("a8w8_blockscale");
  const Manifest manifest = Build(
      BuildKind::kBuildable, {{"gemm_a8w8_blockscale_cktile", "", "a8w8_blockscale_cktile_x", 12}});
  Cells cells = CellsOf(family, {{"gfx", "gfx942"},
                                 {"libtype", "cktile"},
                                 {"kernelId", "5"},
                                 {"kernelName", "a8w8_blockscale_cktile_x"}});
  std::string scratch;
  EXPECT_FALSE(BuildFit(family, manifest).Renumber(cells, scratch));
  EXPECT_EQ(cells[family.kernel_id], "5");
}

TEST(BuildFit, a_row_of_two_kernels_needs_both_and_an_empty_one_is_none) {
  const Family& family = ShippedFamily("fmoe");
  const Manifest manifest = Build(
      BuildKind::kCompiled, {{"asm", "gfx942", "_ZN1aE", {}}, {"moe_ck2stages", "", "*", {}}});
  const BuildFit fit(family, manifest);
  const auto runs = [&](std::string_view first, std::string_view second) {
    return fit.Runs(
        CellsOf(family, {{"gfx", "gfx942"}, {"kernelName1", first}, {"kernelName2", second}}));
  };
  EXPECT_TRUE(runs("_ZN1aE", ""));
  EXPECT_TRUE(runs("moe_ck2stages_gemm1_x", "moe_ck2stages_gemm2_x"));
  EXPECT_FALSE(runs("moe_ck2stages_gemm1_x", "flydsl_moe2_x"));
  EXPECT_FALSE(runs("", ""));
}

TEST(BuildFit, a_family_without_kernels_runs_on_every_build) {
  const Family& family = ShippedFamily("chunk_gdn_h");
  const Manifest manifest = Build(BuildKind::kCompiled, {{"asm", "", "*", {}}});
  EXPECT_TRUE(BuildFit(family, manifest).Runs(CellsOf(family, {{"gfx", "gfx942"}})));
  EXPECT_FALSE(IsOfFamily(family, manifest));
  EXPECT_TRUE(IsOfFamily(ShippedFamily("fmoe"), manifest));
}

// Every kernel that AITER's own tables name belongs to a module that a scan can find.
TEST(BuildFit, each_kernel_of_aiters_tables_has_a_module) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  std::size_t kernels = 0;
  std::set<std::string> strays;
  for (const auto& file : test::RealTunedFiles()) {
    const std::string csv = test::ReadText(file);
    const auto family = DetectFamily(test::ShippedFamilies(), file.filename().string(), csv);
    if (!family.ok()) continue;
    const auto table = ReadTunedTable(**family, test::ShippedTargets(), csv);
    if (!table.ok()) continue;
    std::string scratch;
    for (const Row& row : table->rows) {
      if (row.standing == Standing::kQuarantined) continue;
      const Cells cells = SplitLine(row.line, scratch);
      for (const std::size_t column : (*family)->kernel_columns) {
        if (IsMissing(cells[column])) continue;
        ++kernels;
        if (ModuleOf(**family, cells, cells[column]) == nullptr) {
          strays.insert((*family)->name + " " + std::string(cells[column]));
        }
      }
    }
  }
  EXPECT_GT(kernels, 30'000u);
  std::string text;
  for (const std::string& stray : strays) text += stray + "\n";
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace tunehub::core
