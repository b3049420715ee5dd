// BuildFit decides which rows a build can run, and under which kernel id.
#include <gtest/gtest.h>

#include <set>

#include "core/builds/manifest.h"
#include "core/row/cell.h"
#include "core/table/detect.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
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
  EXPECT_FALSE(runs("gfx942", "newlib", "a8w8_blockscale_1x128x128_x"))
      << "no module of this libtype is known";
  EXPECT_FALSE(runs("gfx942", "ck", "")) << "the row names no kernel";
}

TEST(BuildFit, a_build_to_come_that_goes_by_number_has_to_know_it) {
  const Family& family = ShippedFamily("a8w8");
  const std::vector<ManifestKernel> named = {{"gemm_a8w8", "", "a8w8_rowwise_x", {}}};
  const Manifest buildable = Build(BuildKind::kBuildable, named);
  const Manifest compiled = Build(BuildKind::kCompiled, named);
  EXPECT_FALSE(BuildFit(family, buildable).Runs(A8w8("a8w8_rowwise_x")));
  EXPECT_EQ(BuildFit(family, buildable).WhyNot(A8w8("a8w8_rowwise_x")),
            "the module gemm_a8w8 finds kernels by number, but the manifest has no number of "
            "a8w8_rowwise_x for gfx942");
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
  EXPECT_FALSE(fit.Renumber(cells, scratch)) << "the row already has the build's number";
}

// AITER lists some kernels under several numbers. Each of these numbers is valid.
TEST(BuildFit, keeps_a_number_that_is_one_of_several_of_its_kernel) {
  const Family& family = ShippedFamily("a8w8_bpreshuffle");
  const Manifest manifest =
      Build(BuildKind::kBuildable, {{"gemm_a8w8_bpreshuffle", "", "a8w8_bpreshuffle_x", 12},
                                    {"gemm_a8w8_bpreshuffle", "gfx942", "a8w8_bpreshuffle_x", 40}});
  const auto renumbered = [&](std::string_view id) {
    std::string scratch;
    Cells cells = CellsOf(family, {{"gfx", "gfx942"},
                                   {"libtype", "ck"},
                                   {"kernelId", id},
                                   {"kernelName", "a8w8_bpreshuffle_x"}});
    const bool written = BuildFit(family, manifest).Renumber(cells, scratch);
    return std::string(cells[family.kernel_id]) + (written ? " written" : "");
  };
  EXPECT_EQ(renumbered("12"), "12");
  EXPECT_EQ(renumbered("40"), "40");
  EXPECT_EQ(renumbered("7"), "40 written");
}

TEST(BuildFit, keeps_the_number_where_the_module_goes_by_the_name) {
  const Family& family = ShippedFamily("a8w8_blockscale");
  const Manifest manifest = Build(
      BuildKind::kBuildable, {{"gemm_a8w8_blockscale_cktile", "", "a8w8_blockscale_cktile_x", 12}});
  Cells cells =
      CellsOf(family, "gfx=gfx942 libtype=cktile kernelId=5 kernelName=a8w8_blockscale_cktile_x");
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

// A tree was built for some rows. For other rows, the result depends on how the module finds
// kernels.
struct Case {
  const char* family;
  const char* libtype;  // "": the family has no libtype
  const char* kernel;
  const char* state;
};

Manifest BuiltTree() {
  std::vector<ManifestKernel> kernels;
  const auto module = [&](const std::string& name, const std::string& prefix) {
    kernels.push_back({name, "gfx942", prefix + "built", 1});
    kernels.push_back({name, "gfx942", prefix + "listed", 2});
    kernels.push_back({name, "gfx942", prefix + "built", {}, true, "304x16x1280x8192"});
  };
  module("gemm_a8w8", "a8w8_rowwise_");
  module("gemm_a8w8_bpreshuffle", "a8w8_bpreshuffle_");
  module("gemm_a8w8_blockscale", "a8w8_blockscale_1x128x128_");
  kernels.push_back({"gemm_a4w4_blockscale", "", "a4w4_blockscale_listed", {}});
  kernels.push_back({"flydsl", "", "*", {}, true});
  return {BuildKind::kTree, {}, std::move(kernels)};
}

TEST(BuildFit, each_way_of_finding_a_kernel_has_its_own_consequence_of_a_new_row) {
  constexpr Case kCases[] = {
      // A compiled table ignores a row whose kernel was missing at its build.
      {"a8w8", "", "a8w8_rowwise_built", "effective"},
      {"a8w8", "", "a8w8_rowwise_listed", "after_rebuild"},
      {"a8w8", "", "a8w8_rowwise_other", "impossible"},
      {"a8w8_bpreshuffle", "ck", "a8w8_bpreshuffle_built", "effective"},
      {"a8w8_bpreshuffle", "ck", "a8w8_bpreshuffle_listed", "after_rebuild"},
      // A registry raises an error for a kernel name that was missing at its build.
      {"a8w8_blockscale", "ck", "a8w8_blockscale_1x128x128_built", "effective"},
      {"a8w8_blockscale", "ck", "a8w8_blockscale_1x128x128_listed", "raises_until_rebuild"},
      {"a8w8_blockscale", "ck", "a8w8_blockscale_1x128x128_other", "impossible"},
      // At the first call this module builds any listed kernel that the table names.
      {"a4w4_blockscale", "", "a4w4_blockscale_listed", "effective"},
      {"a4w4_blockscale", "", "a4w4_blockscale_other", "impossible"},
      // The manifest contains all kernels of flydsl, but no module for asm or newlib.
      {"a8w8_blockscale", "flydsl", "flydsl_x", "effective"},
      {"a8w8_blockscale", "asm", "_ZN5aiter1xE", "impossible"},
      {"a8w8_blockscale", "newlib", "x", "impossible"},
  };
  const Manifest manifest = BuiltTree();
  for (const Case& it : kCases) {
    const Family& family = ShippedFamily(it.family);
    std::string text =
        std::string("gfx=gfx942 cu_num=304 M=16 N=1280 K=8192 kernelName=") + it.kernel;
    if (*it.libtype != '\0') text += std::string(" libtype=") + it.libtype;
    const Cells cells = CellsOf(family, text);
    const BuildFit fit(family, manifest);
    const RowVerdict verdict = fit.Judge(cells);
    EXPECT_EQ(Name(verdict.state), it.state) << it.family << ' ' << it.kernel;
    EXPECT_EQ(fit.Why(verdict, cells).empty(), verdict.state == RowState::kEffective);
  }
}

TEST(BuildFit, a_compiled_table_knows_a_kernel_for_its_shapes_alone) {
  const Family& family = ShippedFamily("a8w8");
  const Manifest manifest = BuiltTree();
  const auto state = [&](const std::string& m) {
    return BuildFit(family, manifest)
        .Judge(CellsOf(family,
                       "gfx=gfx942 cu_num=304 N=1280 K=8192 q_dtype_w=torch.int8 "
                       "kernelName=a8w8_rowwise_built M=" +
                           m))
        .state;
  };
  EXPECT_EQ(state("16"), RowState::kEffective) << "the compiled table ignores the type";
  EXPECT_EQ(state("32"), RowState::kAfterRebuild);
}

TEST(BuildFit, a_registry_that_was_built_empty_raises_at_every_name) {
  const Family& family = ShippedFamily("a8w8_blockscale");
  const std::string listed = "a8w8_blockscale_1x128x128_listed";
  const Manifest manifest(BuildKind::kTree, {},
                          {{"gemm_a8w8_blockscale", "", listed, {}},
                           {"gemm_a8w8_blockscale", "", std::string(kNoKernel), {}, true}});
  const Cells cells =
      CellsOf(family, {{"gfx", "gfx942"}, {"libtype", "ck"}, {"kernelName", listed}});
  EXPECT_EQ(BuildFit(family, manifest).Judge(cells).state, RowState::kRaisesUntilRebuild);
}

TEST(BuildFit, without_what_it_has_built_a_tree_builds_all_that_it_lists) {
  const Family& family = ShippedFamily("a8w8_blockscale");
  const Manifest rest = BuiltTree().WithoutBuilt({"gemm_a8w8_blockscale"});
  const auto state = [&](std::string_view kernel) {
    return BuildFit(family, rest)
        .Judge(CellsOf(family, {{"gfx", "gfx942"}, {"libtype", "ck"}, {"kernelName", kernel}}))
        .state;
  };
  EXPECT_EQ(state("a8w8_blockscale_1x128x128_listed"), RowState::kEffective);
  EXPECT_EQ(state("a8w8_blockscale_1x128x128_other"), RowState::kImpossible);
}

// Tables and AITER's list of opus_moe kernels spell kernel names differently.
TEST(BuildFit, opus_moe_kernels_have_a_module_whatever_they_are_called) {
  const Family& family = ShippedFamily("fmoe");
  const Manifest manifest = Build(
      BuildKind::kBuildable, {{"moe_opus", "gfx950", "opus_moe1_afp8_wfp4_bf16_t16x384", 1000},
                              {"moe_opus", "gfx950", "opus_moe2_afp8_wfp4_fp8_t64_rbn9", 2003}});
  const auto runs = [&](std::string_view first, std::string_view second) {
    return BuildFit(family, manifest)
        .Runs(
            CellsOf(family, {{"gfx", "gfx950"}, {"kernelName1", first}, {"kernelName2", second}}));
  };
  EXPECT_TRUE(runs("opus_moe1_afp8_wfp4_bf16_t16x384", "opus_moe2_afp8_wfp4_fp8_t64_rbn9"));
  EXPECT_TRUE(runs("opus_moe1_afp8_wfp4_bf16_t16x384_fp8", "opus_moe2_afp8_wfp4_fp8_t64_rbn9"));
  EXPECT_TRUE(
      runs("opus_moe1_afp8_wfp4_bf16_t16x384_fp8", "opus_moe2_layout_afp8_wfp4_fp8_t64_rbn9"));
  EXPECT_FALSE(runs("opus_moe1_afp8_wfp4_bf16_t32x384_fp8", "opus_moe2_afp8_wfp4_fp8_t64_rbn9"));
}

// A scan can find the module of every kernel that AITER's own tables name.
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
      if (!Competes(row.standing)) continue;
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
