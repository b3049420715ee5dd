// Replays ROCm/aiter's pull request 3283. An edit of the default file of BATCHED_GEMM-A16WFP4 made
// N=128, K=512 faster and N=512, K=128 slower. So the edit became a special file with hybrid
// buckets. The times here are invented; they only define which shape becomes faster or slower.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {
namespace {

using Ordered = nlohmann::ordered_json;
using ::testing::HasSubstr;

const std::string kDefault = "gfx950-BATCHED_GEMM-A16WFP4.json";
const std::string kSpecial = "gfx950-BATCHED_GEMM-A16WFP4-N=128-K=512.json";
const std::vector<std::string> kBuckets = {"M_LEQ_16",  "M_LEQ_32",  "M_LEQ_64",
                                           "M_LEQ_128", "M_LEQ_256", "any"};

// The pull request's config for large M.
Ordered Winner() {
  return {{"BLOCK_SIZE_M", 64},      {"BLOCK_SIZE_N", 128},
          {"BLOCK_SIZE_K", 256},     {"GROUP_SIZE_M", 1},
          {"num_warps", 8},          {"num_stages", 2},
          {"waves_per_eu", 4},       {"matrix_instr_nonkdim", 16},
          {"cache_modifier", ".cg"}, {"NUM_KSPLIT", 1}};
}

class TritonMerge : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }
  // Writes the tree's default file, and an edit with the winner in every bucket.
  void WriteFiles(const Ordered& old_default) const {
    Ordered edit;
    for (const std::string& bucket : kBuckets) edit[bucket] = Winner();
    folder_.Write("tree/" + kDefault, old_default.dump(4) + "\n");
    folder_.Write("edit.json", edit.dump(4) + "\n");
  }

  // Writes one file per config with three runs per shape, as a driver does. The times are invented.
  void WriteMadeTimes() const {
    struct Shape {
      int n, k, m;
      const char* bucket;
      double before, after;
    };
    const Shape kShapes[] = {
        {128, 512, 16, "M_LEQ_16", 6, 8},     {128, 512, 32, "M_LEQ_32", 7, 9},
        {128, 512, 64, "M_LEQ_64", 20, 14},   {128, 512, 128, "M_LEQ_128", 30, 20},
        {128, 512, 256, "M_LEQ_256", 50, 32}, {128, 512, 8192, "any", 900, 700},
        {512, 128, 16, "M_LEQ_16", 6, 6.1},   {512, 128, 64, "M_LEQ_64", 18, 18},
        {512, 128, 128, "M_LEQ_128", 25, 31}, {512, 128, 8192, "any", 800, 950}};
    std::string before = "# config: old\n", after = "# config: new\n";
    for (std::string* csv : {&before, &after}) {
      *csv += "# note: MADE times, no measurement\nkernel,B,M,N,K,bucket,us\n";
      for (const Shape& it : kShapes) {
        for (const double noise : {0.99, 1.0, 1.01}) {
          *csv += "batched_gemm_a16wfp4,16," + std::to_string(it.m) + "," + std::to_string(it.n) +
                  "," + std::to_string(it.k) + "," + it.bucket + "," +
                  std::to_string(noise * (csv == &before ? it.before : it.after)) + "\n";
        }
      }
    }
    folder_.Write("old.csv", before);
    folder_.Write("new.csv", after);
  }

  Finished Merge(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {
        "triton",          "merge",      Path("tree/" + kDefault),
        Path("edit.json"), "--measured", Path("old.csv"),
        Path("new.csv"),   "-o",         Path("tree/" + kDefault)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunToEnd({AgentBinary(), arguments});
  }

  TempDir folder_;
};

TEST_F(TritonMerge, an_edit_of_the_default_that_harms_another_shape_ends_as_a_special_file) {
  Ordered old_default;
  for (const std::string& bucket : kBuckets) {
    old_default[bucket] = {{"BLOCK_SIZE_M", 16}, {"made_for", bucket}};
  }
  WriteFiles(old_default);
  WriteMadeTimes();
  const std::string before = ReadText(Path("tree/" + kDefault));
  const Finished merged = Merge();
  ASSERT_EQ(merged.status, 0) << merged.err;
  EXPECT_THAT(merged.out,
              HasSubstr(kDefault +
                        ": unchanged, because M_LEQ_128 would be faster at B=16 N=128 K=512 M=128: "
                        "30.00 -> 20.00 us and slower at B=16 N=512 K=128 M=128: 25.00 -> 31.00"));
  EXPECT_EQ(ReadText(Path("tree/" + kDefault)), before);
  const Ordered special = Ordered::parse(ReadText(Path("tree/" + kSpecial)));
  for (const std::string& bucket : kBuckets) {
    const bool kept = bucket == "M_LEQ_16" || bucket == "M_LEQ_32";
    EXPECT_EQ(special.at(bucket), kept ? old_default.at(bucket) : Winner()) << bucket;
  }
  // The shape with the special file does not read the default any more, so a second merge gains
  // nothing.
  const Finished again = Merge();
  EXPECT_EQ(again.status, 1) << again.out;
  EXPECT_THAT(again.out, HasSubstr("use another file, which has these sizes"));
  EXPECT_EQ(Ordered::parse(ReadText(Path("tree/" + kDefault))), old_default);
}

TEST_F(TritonMerge, on_upstreams_default_it_ends_as_upstreams_special_file) {
  const char* data = std::getenv("TUNEHUB_DATA");
  const std::filesystem::path gemm =
      std::filesystem::path(
          data != nullptr ? data : (ShippedFamilyFolder() / "../../../shared/data").string()) /
      "aiter/triton_configs/gemm";
  if (!std::filesystem::exists(gemm / kDefault)) GTEST_SKIP() << NoRealTables();
  WriteFiles(Ordered::parse(ReadText(gemm / kDefault)));
  WriteMadeTimes();
  const Finished merged = Merge({"--json"});
  ASSERT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(Ordered::parse(ReadText(Path("tree/" + kSpecial))),
            Ordered::parse(ReadText(gemm / kSpecial)));
  const Ordered report = Ordered::parse(merged.out);
  EXPECT_EQ(report.at("files").at(0).at("name"), kSpecial);
  EXPECT_EQ(report.at("files").at(0).at("taken"), 4);
  EXPECT_EQ(report.at("shapes"), 2);
}

}  // namespace
}  // namespace tunehub::test
