#include "core/row/known_kernel.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/table/detect.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
#include "kernels/cpu/catalog.h"
#include "kernels/sets/gpu_sets.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

namespace fs = std::filesystem;
using test::ShippedFamilies;
using test::ShippedFamily;

// Returns "" for a kernel of this family.
std::string VerdictOn(const std::string& name, const std::string& kernel,
                      const std::string& libtype = "", const std::string& column = "kernelName") {
  const Family& family = ShippedFamily(name);
  Cells cells = test::CellsOf(family, {{column, kernel}});
  if (!libtype.empty()) cells.at(family.libtype) = libtype;
  const KernelVerdict verdict = KernelJudge(ShippedFamilies(), family).Of(cells);
  if (verdict.of == KernelOf::kFamily) return "";
  return family.columns.at(verdict.column).name + " " + std::string(verdict.code()) + ": " +
         verdict.detail;
}

TEST(KnownKernel, what_several_families_list_is_each_ones_and_the_longest_prefix_decides) {
  EXPECT_EQ(VerdictOn("a8w8", "a8w8_rowwise_x"), "");
  EXPECT_EQ(VerdictOn("a8w8", "a8w8_blockscale_1x128x128_x"),
            "kernelName kernel_of_another_family: a8w8_blockscale_1x128x128_x is a kernel of "
            "a8w8_blockscale, not of a8w8");
  EXPECT_EQ(VerdictOn("a8w8", "tk_a8w8_x"), "");
  EXPECT_EQ(VerdictOn("a8w8", "tk_a8w8_blockscale_x").substr(11, 24), "kernel_of_another_family");
  EXPECT_EQ(VerdictOn("a8w8", "evil"),
            "kernelName unknown_kernel: evil is not a known kernel in a8w8");
  for (const char* family : {"a8w8_blockscale", "a8w8_blockscale_bpreshuffle"}) {
    EXPECT_EQ(VerdictOn(family, "a8w8_blockscale_cktile_x", "cktile"), "");
    EXPECT_EQ(VerdictOn(family, "triton", "triton"), "");
  }
  EXPECT_EQ(VerdictOn("a8w8", "a8w8_blockscale_cktile_x"),
            "kernelName kernel_of_another_family: a8w8_blockscale_cktile_x is a kernel of "
            "a8w8_blockscale and a8w8_blockscale_bpreshuffle, not of a8w8");
  EXPECT_EQ(VerdictOn("fmoe", "flydsl_moe2_x", "", "kernelName2"), "");
  EXPECT_EQ(VerdictOn("bf16", "flydsl_moe2_x", "flydsl"),
            "kernelName kernel_of_another_family: flydsl_moe2_x is a kernel of fhmoe and fmoe, not "
            "of bf16");
}

TEST(KnownKernel, a_mangled_name_is_its_familys_and_a_libtype_one_that_it_lists) {
  EXPECT_EQ(VerdictOn("fmoe", "_ZN5aiter45fmoe_bf16_xE", "", "kernelName1"), "");
  EXPECT_EQ(VerdictOn("bf16", "_ZN5aiter45fmoe_bf16_xE", "asm"),
            "kernelName kernel_of_another_family: _ZN5aiter45fmoe_bf16_xE is a kernel of fmoe, not "
            "of bf16");
  EXPECT_EQ(VerdictOn("bf16", "_ZN5aiter9newgemm_xE", "asm"), "")
      << "any family with mangled names may have it";
  EXPECT_EQ(VerdictOn("bf16", "bf16gemm_x", "evil"),
            "libtype unknown_kernel: evil is not a known libtype in bf16");
}

TEST(KnownKernel, a_kernel_of_another_libtype_and_none_at_all_are_unknown) {
  const std::string name = "a8w8_blockscale_1x128x128_x";
  EXPECT_EQ(VerdictOn("a8w8_blockscale", name, "ck"), "");
  for (const char* const libtype : {"opus", "cktile", "tunehub", "triton"}) {
    EXPECT_EQ(VerdictOn("a8w8_blockscale", name, libtype),
              "libtype unknown_kernel: " + name +
                  " is not a known kernel of its libtype in a8w8_blockscale");
  }
  EXPECT_NE(VerdictOn("a8w8_bpreshuffle", "a8w8_bpreshuffle_cktile_x", "ck"), "")
      << "the longest prefix decides the kernel's libtype";
  EXPECT_EQ(VerdictOn("a8w8_bpreshuffle", "a8w8_bpreshuffle_cktile_x", "cktile"), "");
  for (const char* const none : {"", "nan", "None"}) {
    EXPECT_EQ(VerdictOn("a8w8_blockscale", none, "ck"),
              "kernelName unknown_kernel: the row names no kernel");
  }
}

TEST(KnownKernel, every_kernel_of_our_own_is_its_familys) {
  std::size_t names = 0;
  for (const auto& family : test::AiterFamilies()) {
    std::vector<std::string> own = kernels::Names(family->name, {kernels::Isa::kV4, 64});
    for (const Target& target : {Target{"gfx90a", 104}, Target{"gfx942", 304},
                                 Target{"gfx950", 256}, Target{"sm_90", 132}}) {
      const auto device = kernels::gpu::PropertiesOf(target);
      for (const auto* set : kernels::GpuSets()) {
        if (!set->Serves(device)) continue;
        for (std::string& name : set->Names(family->name, device)) own.push_back(std::move(name));
      }
    }
    for (const std::string& name : own) {
      const std::string& column = family->columns.at(family->kernel_columns.at(0)).name;
      const std::string libtype = family->libtype == kNoColumn ? "" : kernels::kLibtype;
      EXPECT_EQ(VerdictOn(family->name, name, libtype, column), "");
      ++names;
    }
  }
  EXPECT_GT(names, 100U);
}

TEST(KnownKernel, every_row_of_aiters_tables_is_its_familys) {
  std::size_t rows = 0;
  for (const char* folder : {"aiter/configs", "aiter_2026_11/configs"}) {
    if (!fs::is_directory(test::RealDataFolder() / folder)) continue;
    for (const auto& file : fs::recursive_directory_iterator(test::RealDataFolder() / folder)) {
      const std::string name = file.path().string();
      const Family* const found = FamilyOfFileName(ShippedFamilies(), name);
      if (found == nullptr) continue;
      const Family& family = *found;
      const std::string text = test::ReadText(file.path());
      const auto table = ReadTunedTable(family, test::ShippedTargets(), text);
      ASSERT_TRUE(table.ok()) << name;
      KernelJudge judge(ShippedFamilies(), family);
      std::string scratch;
      for (const Row& row : table->rows) {
        if (row.standing == Standing::kGarbled) continue;
        EXPECT_EQ(judge.Of(SplitLine(row.line, scratch)).detail, "")
            << name << ":" << row.source_line;
        ++rows;
      }
    }
  }
  if (rows == 0) GTEST_SKIP() << test::NoRealTables();
}

TEST(KnownKernel, only_what_competes_is_demoted) {
  KernelVerdict verdict;
  Row row;
  Demote(verdict, row);
  EXPECT_EQ(row.standing, Standing::kMeasured);
  verdict = {KernelOf::kNobody, 0, "evil"};
  for (const Standing standing :
       {Standing::kMeasured, Standing::kDeclared, Standing::kUnmeasured}) {
    row.standing = standing;
    Demote(verdict, row);
    EXPECT_EQ(row.standing, Standing::kUnmeasured);
    EXPECT_EQ(row.reason, "unknown_kernel: evil");
  }
  row.standing = Standing::kWrong;
  Demote(verdict, row);
  EXPECT_EQ(row.standing, Standing::kWrong);
}

}  // namespace
}  // namespace tunehub::core
