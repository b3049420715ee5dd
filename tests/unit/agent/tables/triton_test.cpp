// tunehub-agent triton merge: what is said beside the merged file.
#include <nlohmann/json.hpp>

#include "agent/tables/commands.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

using testing::Not;

class AgentTriton : public CommandTest {
 protected:
  // Merges two files of one bucket for the architecture and is what was said.
  std::string Merged(const std::string& arch, const std::string& kpack) {
    const std::string name = arch + "-GEMM-A16W16-N=128-K=512.json";
    const std::string config = R"({"any": {"BLOCK_SIZE_M": )";
    TritonMergeArguments arguments;
    arguments.old_file = folder_.Write("old/" + name, config + "16" + kpack + "}}");
    arguments.new_file = folder_.Write("new/" + name, config + "32" + kpack + "}}");
    arguments.runs = {folder_.Write("runs.csv",
                                    "config,kernel,M,N,K,bucket,us\n"
                                    "old,gemm_a16w16,16,128,512,any,10\n"
                                    "new,gemm_a16w16,16,128,512,any,8\n")};
    arguments.output = folder_ / (arch + ".json");
    console_.Clear();
    EXPECT_EQ(MergeTriton(configuration_, arguments, console_.console), kGood)
        << console_.err.str();
    return console_.out.str();
  }
};

TEST_F(AgentTriton, kpack_on_gfx950_is_warned_of) {
  EXPECT_THAT(Merged("gfx950", R"(, "kpack": 1)"),
              HasSubstr("warning: gfx950-GEMM-A16W16-N=128-K=512.json has kpack 1 in any"));
  EXPECT_THAT(Merged("gfx950", R"(, "kpack": 2)"), Not(HasSubstr("kpack")));
  EXPECT_THAT(Merged("gfx942", R"(, "kpack": 1)"), Not(HasSubstr("kpack")));
}

TEST_F(AgentTriton, a_files_own_bounds_are_those_of_the_merge) {
  const std::string own = R"({"M_BOUNDS": [2], "M_LEQ_2": {"x": )";
  TritonMergeArguments arguments;
  arguments.old_file = folder_.Write("old/GEMM-A16W16-N=128-K=512-CU=64.json", own + "16}}");
  arguments.new_file = folder_.Write("new.json", own + "32}}");
  arguments.runs = {folder_.Write("runs.csv",
                                  "config,kernel,M,N,K,CU,bucket,us\n"
                                  "old,gemm_a16w16,2,128,512,64,M_LEQ_2,10\n"
                                  "new,gemm_a16w16,2,128,512,64,M_LEQ_2,8\n")};
  arguments.output = folder_ / "merged.json";
  EXPECT_EQ(MergeTriton(configuration_, arguments, console_.console), kGood) << console_.err.str();
  EXPECT_EQ(nlohmann::json::parse(ReadText(folder_ / "merged.json")),
            nlohmann::json::parse(own + "32}}"));
  arguments.new_file = folder_.Write("new.json", R"({"M_BOUNDS": [2, 4], "M_LEQ_2": {"x": 32}})");
  EXPECT_EQ(MergeTriton(configuration_, arguments, console_.console), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("by the bounds 2, "));
  arguments.new_file = folder_.Write("new.json", R"({"M_BOUNDS": [4, 2], "M_LEQ_2": {"x": 32}})");
  EXPECT_EQ(MergeTriton(configuration_, arguments, console_.console), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("/M_BOUNDS: '[4, 2]' is no list"));
}

TEST_F(AgentTriton, a_flat_file_with_a_nested_folder_of_its_op_is_warned_of) {
  folder_.Write("gfx942/triton/gemm/gemm_a16w16/DEFAULT.json", "{}");
  const std::string any = R"({"any": {"x": )";
  TritonMergeArguments arguments;
  arguments.old_file = folder_.Write("gemm/gfx942-GEMM-A16W16-N=1-K=2.json", any + "16}}");
  arguments.new_file = folder_.Write("new.json", any + "32}}");
  arguments.runs = {folder_.Write("runs.csv",
                                  "config,kernel,M,N,K,bucket,us\n"
                                  "old,gemm_a16w16,16,1,2,any,10\n"
                                  "new,gemm_a16w16,16,1,2,any,8\n")};
  arguments.output = folder_ / "merged.json";
  EXPECT_EQ(MergeTriton(configuration_, arguments, console_.console), kGood) << console_.err.str();
  EXPECT_THAT(console_.out.str(), HasSubstr("lies beside gfx942/triton/gemm/gemm_a16w16, which"));
}

}  // namespace
}  // namespace tunehub::agent::test
