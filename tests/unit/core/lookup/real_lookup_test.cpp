// The order of our rows changes what AITER runs: its MoE lookup takes the first row of a key with
// the activation left out, its code generator the last row of a shape with the dtype left out. Both
// are restated here and asked about our merge of the real tables.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/table/merge.h"
#include "tests/support/aiter_merge.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::AiterRow;

std::vector<std::string> TextsOf(const Family& family) {
  std::vector<std::string> texts;
  for (const auto& file : test::AiterFilesOf(family)) texts.push_back(test::ReadText(file));
  return texts;
}

std::vector<AiterRow> OurRows(const Family& family, const std::vector<std::string>& texts) {
  std::vector<SourceFile> sources;
  for (const std::string& text : texts) sources.push_back({"", text});
  const auto merged = Must(MergeTables(family, test::ShippedTargets(), sources));
  return test::AiterRows({merged.Csv()});
}

// What AITER looks a MoE row up by where it leaves the activation out.
std::string MoeKey(const AiterRow& row) {
  return test::KeyOf(row,
                     {"gfx", "cu_num", "token", "model_dim", "inter_dim", "expert", "topk", "dtype",
                      "q_dtype_a", "q_dtype_w", "q_type", "use_g1u1", "doweight_stage1"});
}

// Its answers: the first row of each key in the file's order, the fallback rows dropped.
std::map<std::string, AiterRow> FirstRows(const std::vector<AiterRow>& rows) {
  std::map<std::string, AiterRow> first;
  for (const AiterRow& row : rows) {
    if (row.At("_tag") != "flydsl_fallback") first.emplace(MoeKey(row), row);
  }
  return first;
}

std::set<std::string> KeysWith(const std::vector<AiterRow>& rows, const std::string& act_type) {
  std::set<std::string> keys;
  for (const AiterRow& row : rows) {
    if (row.At("act_type") == act_type && row.At("_tag") != "flydsl_fallback") {
      keys.insert(MoeKey(row));
    }
  }
  return keys;
}

TEST(RealLookup, of_silu_and_gelu_the_moe_lookup_finds_silu) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  const Family& family = test::ShippedFamily("fmoe");
  const auto texts = TextsOf(family);
  const auto ours = OurRows(family, texts);
  const auto silu = KeysWith(ours, "ActivationType.Silu");
  const auto gelu = KeysWith(ours, "ActivationType.Gelu");
  const auto theirs = FirstRows(test::AiterRows(texts));
  const auto found = FirstRows(ours);
  EXPECT_EQ(found.size(), theirs.size());
  int both = 0, changed = 0;
  for (const auto& [key, row] : found) {
    ASSERT_TRUE(theirs.contains(key)) << key;
    if (silu.contains(key) && gelu.contains(key)) {
      ++both;
      EXPECT_EQ(row.At("act_type"), "ActivationType.Silu") << key;
      changed += theirs.at(key).At("act_type") == "ActivationType.Silu" ? 0 : 1;
    } else {
      EXPECT_EQ(row.At("kernelName1"), theirs.at(key).At("kernelName1")) << key;
    }
  }
  EXPECT_GT(both, 0);
  std::printf(
      "fmoe: %zu keys without activation, %d with Silu and Gelu; in the shipped order %d of "
      "those answer Gelu\n",
      found.size(), both, changed);
}

// What the code generator compiles: the last row of each (gfx,cu_num,M,N,K).
std::map<std::string, std::string> LastKernels(const std::vector<AiterRow>& rows) {
  std::map<std::string, std::string> last;
  for (const AiterRow& row : rows) {
    last[test::KeyOf(row, {"gfx", "cu_num", "M", "N", "K"})] =
        row.At("q_dtype_w") + " " + row.At("kernelId") + " " + row.At("kernelName");
  }
  return last;
}

TEST(RealLookup, the_compiled_table_of_a8w8_is_that_of_the_shipped_order) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  const Family& family = test::ShippedFamily("a8w8");
  const auto texts = TextsOf(family);
  const auto theirs = test::AiterRows(texts);
  const auto shipped = LastKernels(theirs);
  EXPECT_LT(shipped.size(), theirs.size()) << "some shapes have rows of two dtypes";
  EXPECT_EQ(LastKernels(OurRows(family, texts)), shipped);
  std::printf("a8w8: %zu rows, %zu compiled choices, all as shipped\n", theirs.size(),
              shipped.size());
}

}  // namespace
}  // namespace tunehub::core
