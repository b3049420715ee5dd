#include <nlohmann/json.hpp>

#include "agent/tables/commands.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

class AgentMerge : public CommandTest {
 protected:
  int Run(const std::vector<std::string>& inputs, const std::string& family = "",
          bool as_json = false) {
    console_.Clear();
    return Merge(configuration_, {inputs, folder_ / "out.csv", family, as_json}, console_.console);
  }
  std::string Output() const { return ReadText(folder_ / "out.csv"); }
};

TEST_F(AgentMerge, writes_the_rows_of_all_files_in_key_order) {
  const auto a = folder_.Write("a8w8_blockscale_tuned_gemm.csv",
                               kBlockscaleHeader + BlockscaleRow(128, "9.5"));
  const auto b = folder_.Write("b_a8w8_blockscale_tuned_gemm.csv",
                               kBlockscaleHeader + BlockscaleRow(16, "4.25"));
  EXPECT_EQ(Run({a + ":" + b}), kGood) << console_.err.str();
  EXPECT_EQ(Output(), kBlockscaleHeader + BlockscaleRow(16, "4.25") + BlockscaleRow(128, "9.5"));
  EXPECT_EQ(console_.out.str(), "a8w8_blockscale: 2 files, 2 rows read, 2 written\n");
}

TEST_F(AgentMerge, names_every_place_of_a_conflict_and_keeps_the_faster_row) {
  const auto a =
      folder_.Write("a8w8_blockscale_tuned_gemm.csv",
                    kBlockscaleHeader + BlockscaleRow(8, "1.5") + BlockscaleRow(16, "4.5"));
  const auto b = folder_.Write("b_a8w8_blockscale_tuned_gemm.csv",
                               kBlockscaleHeader + BlockscaleRow(16, "4.25", "kernel_b"));
  EXPECT_EQ(Run({a, b}), kFinding);
  EXPECT_EQ(Output(),
            kBlockscaleHeader + BlockscaleRow(8, "1.5") + BlockscaleRow(16, "4.25", "kernel_b"));
  EXPECT_EQ(console_.out.str(),
            "conflicting: gfx=gfx942 cu_num=304 M=16 N=1280 K=8192\n"
            "  kept     " +
                b +
                ":2 us=4.25 kernelName=kernel_b\n"
                "  dropped  " +
                a +
                ":3 us=4.5 kernelName=kernel_a\n"
                "a8w8_blockscale: 2 files, 3 rows read, 2 written, 1 duplicate keys (AITER would "
                "refuse to start)\n");
}

TEST_F(AgentMerge, calls_equal_rows_identical_and_still_exits_with_a_finding) {
  const auto a =
      folder_.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + BlockscaleRow(16, "4.5"));
  EXPECT_EQ(Run({a + ":" + a}), kFinding);
  EXPECT_THAT(console_.out.str(), HasSubstr("identical: gfx=gfx942"));
  EXPECT_EQ(Output(), kBlockscaleHeader + BlockscaleRow(16, "4.5"));
}

TEST_F(AgentMerge, lists_a_rejected_row_and_merges_the_others) {
  const auto a = folder_.Write(
      "a8w8_blockscale_tuned_gemm.csv",
      kBlockscaleHeader + BlockscaleRow(16, "4.5") + "gfx942,304,x,1280,8192,ck,7,0,4.5,k,1,1,0\n");
  EXPECT_EQ(Run({a}), kFinding);
  EXPECT_THAT(console_.out.str(), HasSubstr("  rejected not_an_integer: 1\n    " + a + ":3: M: "));
  EXPECT_EQ(Output(), kBlockscaleHeader + BlockscaleRow(16, "4.5"));
}

TEST_F(AgentMerge, passes_over_a_missing_file_as_aiter_does_unless_all_are_missing) {
  const auto a =
      folder_.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + BlockscaleRow(16, "4.5"));
  EXPECT_EQ(Run({a + ":" + folder_ / "none.csv"}), kGood);
  EXPECT_THAT(console_.err.str(), HasSubstr("none.csv does not exist"));
  EXPECT_EQ(Run({folder_ / "none.csv"}), kFailed);
}

TEST_F(AgentMerge, refuses_files_of_two_families) {
  const auto a =
      folder_.Write("a8w8_blockscale_tuned_gemm.csv", kBlockscaleHeader + BlockscaleRow(16, "4.5"));
  const auto b = folder_.Write("a8w8_blockscale_bpreshuffle_tuned_gemm.csv", kBlockscaleHeader);
  EXPECT_EQ(Run({a, b}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("mixed_families"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.csv"));
}

TEST_F(AgentMerge, leaves_the_output_alone_where_a_file_is_refused) {
  folder_.Write("out.csv", "as it was");
  const auto a = folder_.Write("a8w8_blockscale_tuned_gemm.csv",
                               kBlockscaleHeader + std::string("<<<<<<< HEAD\n"));
  EXPECT_EQ(Run({a}), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr(a + ": line 2"));
  EXPECT_EQ(Output(), "as it was");
}

TEST_F(AgentMerge, reports_duplicates_as_json) {
  const auto a =
      folder_.Write("a8w8_blockscale_tuned_gemm.csv",
                    kBlockscaleHeader + BlockscaleRow(16, "4.5") + BlockscaleRow(16, "4.75"));
  EXPECT_EQ(Run({a}, "a8w8_blockscale", true), kFinding);
  const auto report = nlohmann::json::parse(console_.out.str());
  EXPECT_EQ(report["rows_written"], 1);
  EXPECT_EQ(report["duplicates"][0]["identical"], false);
  EXPECT_EQ(report["duplicates"][0]["key"]["M"], "16");
  EXPECT_EQ(report["duplicates"][0]["rows"][1]["line"], 3);
  EXPECT_EQ(report["duplicates"][0]["rows"][1]["kept"], false);
}

// tunehub-agent triton merge prints messages in addition to the merged file.

using testing::Not;

class AgentTriton : public CommandTest {
 protected:
  // Merges two files with one bucket. The new file's config is faster.
  int Merge(const std::string& name, const std::string& old_file, const std::string& new_file,
            const std::string& sizes, const std::string& values) {
    TritonMergeArguments arguments;
    arguments.old_file = folder_.Write(name, old_file);
    arguments.new_file = folder_.Write("new/" + name, new_file);
    arguments.runs = {folder_.Write("runs.csv", "config,kernel," + sizes +
                                                    ",bucket,us\nold,gemm_a16w16," + values +
                                                    ",10\nnew,gemm_a16w16," + values + ",8\n")};
    arguments.output = folder_ / "merged.json";
    console_.Clear();
    return MergeTriton(configuration_, arguments, console_.console);
  }
  std::string Merged(const std::string& arch, const std::string& kpack) {
    const std::string config = R"({"any": {"BLOCK_SIZE_M": )";
    EXPECT_EQ(Merge(arch + "-GEMM-A16W16-N=128-K=512.json", config + "16" + kpack + "}}",
                    config + "32" + kpack + "}}", "M,N,K", "16,128,512,any"),
              kGood)
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
  const auto merge = [&](const std::string& with) {
    return Merge("GEMM-A16W16-N=128-K=512-CU=64.json", own + "16}}", with, "M,N,K,CU",
                 "2,128,512,64,M_LEQ_2");
  };
  EXPECT_EQ(merge(own + "32}}"), kGood) << console_.err.str();
  EXPECT_EQ(nlohmann::json::parse(ReadText(folder_ / "merged.json")),
            nlohmann::json::parse(own + "32}}"));
  EXPECT_EQ(merge(R"({"M_BOUNDS": [2, 4], "M_LEQ_2": {"x": 32}})"), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("uses the bounds 2, "));
  EXPECT_EQ(merge(R"({"M_BOUNDS": [4, 2], "M_LEQ_2": {"x": 32}})"), kFailed);
  EXPECT_THAT(console_.err.str(), HasSubstr("/M_BOUNDS: '[4, 2]': expected a list"));
}

TEST_F(AgentTriton, a_flat_file_with_a_nested_folder_of_its_op_is_warned_of) {
  folder_.Write("gfx942/triton/gemm/gemm_a16w16/DEFAULT.json", "{}");
  const std::string any = R"({"any": {"x": )";
  EXPECT_EQ(Merge("gemm/gfx942-GEMM-A16W16-N=1-K=2.json", any + "16}}", any + "32}}", "M,N,K",
                  "16,1,2,any"),
            kGood)
      << console_.err.str();
  EXPECT_THAT(console_.out.str(), HasSubstr("lies gfx942/triton/gemm/gemm_a16w16. AITER reads"));
}

}  // namespace
}  // namespace tunehub::agent::test
