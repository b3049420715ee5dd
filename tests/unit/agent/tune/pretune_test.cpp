// The modules that pretune can tune, and the files of a tree that receive new rows.
#include "agent/tune/commands.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

using test::ReadText;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tunehub::test::ShippedFamilies;
using tunehub::test::ShippedTargets;

constexpr char kConfig[] = R"({
  "module_aiter_core": {"srcs": []},
  "module_gemm_a8w8_tune": {"srcs": []},
  "module_gemm_a8w8_blockscale_tune": {"srcs": []},
  "module_gemm_a8w8_blockscale_cktile_tune": {"srcs": []},
  "module_gemm_a8w8_blockscale_bpreshuffle_tune": {"srcs": []},
  "module_topk_tune": {"srcs": []}})";

std::vector<std::string> NamesOf(const core::Result<std::vector<const core::Family*>>& families) {
  std::vector<std::string> names;
  if (!families.ok()) return {families.error().code + ": " + families.error().detail};
  for (const core::Family* family : *families) names.push_back(family->name);
  return names;
}

TEST(PretuneModules, the_trees_tune_modules_are_named_as_aiter_names_them) {
  const test::TempFolder folder;
  folder.Write("aiter/jit/optCompilerConfig.json", kConfig);
  const auto modules = Must(ListPretuneModules(ShippedFamilies(), folder.path()));
  ASSERT_EQ(modules.size(), 5U);
  EXPECT_EQ(modules[0].name, "module_gemm_a8w8_tune");
  EXPECT_EQ(modules[4].why_not, "the module contains no table");
  const auto choose = [&](const char* wanted) { return NamesOf(ChooseFamilies(modules, wanted)); };
  EXPECT_THAT(choose("all"), ElementsAre("a8w8", "a8w8_blockscale", "a8w8_blockscale_bpreshuffle"));
  EXPECT_THAT(choose("module_gemm_a8w8_tune, gemm_a8w8_blockscale_cktile,gemm_a8w8_blockscale"),
              ElementsAre("a8w8", "a8w8_blockscale"))
      << "pretune tunes a table of two modules once";
  EXPECT_THAT(choose("gemm_a8w8,gemm_b9"),
              ElementsAre(testing::AllOf(HasSubstr("unknown module 'gemm_b9'"),
                                         HasSubstr("module_gemm_a8w8_blockscale_tune"))));
  EXPECT_THAT(choose("topk"),
              ElementsAre(HasSubstr("unsupported_module: module_topk_tune: the module")));
}

TEST(PretuneModules, a_tree_without_them_is_said) {
  const test::TempFolder folder;
  EXPECT_EQ(ListPretuneModules(ShippedFamilies(), folder.path()).error().code, "no_modules");
  folder.Write("aiter/jit/optCompilerConfig.json", "[]");
  EXPECT_EQ(ListPretuneModules(ShippedFamilies(), folder.path()).error().code, "no_modules");
}

constexpr char kHeader[] =
    "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";
constexpr char kDefaultRows[] =
    "gfx942,304,16,1280,8192,torch.int8,3,0,9.5,a8w8_rowwise_3,1.0,1.0,0.0\n"
    "gfx950,256,16,1280,8192,torch.int8,3,0,9.5,a8w8_rowwise_3,1.0,1.0,0.0\n";
constexpr char kModelRows[] =
    "gfx942,304,32,1280,8192,torch.int8,3,0,9.5,a8w8_rowwise_3,1.0,1.0,0.0\n";

class TreeTablesTest : public testing::Test {
 protected:
  TreeTables Read() {
    folder_.Write("aiter/configs/a8w8_tuned_gemm.csv", std::string(kHeader) + kDefaultRows);
    folder_.Write("aiter/configs/model_configs/m_a8w8_tuned_gemm.csv",
                  std::string(kHeader) + kModelRows);
    const auto tree = Must(ReadAiterTree(ShippedFamilies(), folder_.path()));
    return Must(TreeTables::Read(tree.families.at(0), ShippedTargets()));
  }
  std::string Configs(const std::string& name) const {
    return ReadText(folder_ / ("aiter/configs/" + name));
  }

  test::TempFolder folder_;
};

TEST_F(TreeTablesTest, each_shape_is_tuned_once_with_its_dtype) {
  const auto shapes = Read().Shapes();
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].at("q_dtype_w"), "torch.int8");
  EXPECT_FALSE(shapes[0].contains("gfx"));
}

TEST_F(TreeTablesTest, a_new_row_goes_where_its_key_is_and_no_key_is_in_two_files) {
  const std::string winners =
      std::string(kHeader) +
      "gfx942,304,16,1280,8192,torch.int8,4,0,5.5,a8w8_rowwise_4,2.0,2.0,0.0\n"
      "gfx942,304,32,1280,8192,torch.int8,5,0,5.5,a8w8_rowwise_5,2.0,2.0,0.0\n"
      "gfx942,304,64,1280,8192,torch.int8,6,0,5.5,a8w8_rowwise_6,2.0,2.0,0.0\n";
  const TreeTables tables = Read();
  ASSERT_TRUE(tables.WriteMerged(winners, folder_ / "merged.csv").ok());
  EXPECT_EQ(std::ranges::count(ReadText(folder_ / "merged.csv"), '\n'), 5);
  EXPECT_EQ(Configs("a8w8_tuned_gemm.csv"), std::string(kHeader) + kDefaultRows) << "not yet";
  ASSERT_TRUE(tables.PutInPlace(winners).ok());
  const std::string all = Configs("a8w8_tuned_gemm.csv"),
                    model = Configs("model_configs/m_a8w8_tuned_gemm.csv");
  EXPECT_EQ(std::ranges::count(all, '\n'), 4);
  EXPECT_THAT(all, testing::AllOf(HasSubstr("a8w8_rowwise_4"), HasSubstr("a8w8_rowwise_6"),
                                  HasSubstr("gfx950,256")));
  EXPECT_EQ(std::ranges::count(model, '\n'), 2);
  EXPECT_THAT(model, HasSubstr("a8w8_rowwise_5"));
}

TEST_F(TreeTablesTest, only_modules_whose_kernels_changed_are_to_be_built) {
  const TreeTables tables = Read();
  const auto faster = Must(tables.LibrariesOf(
      std::string(kHeader) +
      "gfx942,304,16,1280,8192,torch.int8,3,1,5.5,a8w8_rowwise_3,2.0,2.0,0.0\n"));
  EXPECT_THAT(faster, IsEmpty()) << "a module reads the split K at each start";
  const auto other = Must(tables.LibrariesOf(
      std::string(kHeader) +
      "gfx942,304,16,1280,8192,torch.int8,4,0,5.5,a8w8_rowwise_4,2.0,2.0,0.0\n"));
  EXPECT_THAT(other, ElementsAre("module_gemm_a8w8"));
}

}  // namespace
}  // namespace tunehub::agent
