#include <gmock/gmock.h>

#include "core/analysis/bucket_merge.h"
#include "core/base/text.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::buckets {
namespace {

using ::testing::HasSubstr;

const std::vector<std::int64_t>& UsualBounds() {
  return test::ShippedFamily("triton_gemm").lookup.bounds;
}

std::string At(const BucketFile& file, std::int64_t m) {
  const Bucket* bucket = file.At(m, UsualBounds());
  return bucket == nullptr ? "none" : bucket->name;
}

TEST(BucketFile, the_lookup_takes_the_least_bound_then_the_greatest_then_any) {
  const auto file = Must(BucketFile::Parse("x.json", R"({"any": {}, "M_LEQ_64": {}, "M_LEQ_8": {},
      "M_LEQ_31": {}, "M_GEQ_4096": {}, "M_GEQ_8192": {}, "M_GEQ_300": {}})"));
  const std::pair<std::int64_t, const char*> kCases[] = {
      {1, "M_LEQ_8"},       {8, "M_LEQ_8"},       {9, "M_LEQ_64"},      {31, "M_LEQ_64"},
      {64, "M_LEQ_64"},     {65, "any"},          {300, "any"},         {4095, "any"},
      {4096, "M_GEQ_4096"}, {8191, "M_GEQ_4096"}, {8192, "M_GEQ_8192"}, {100000, "M_GEQ_8192"}};
  for (const auto& [m, bucket] : kCases) EXPECT_EQ(At(file, m), bucket) << m;
  EXPECT_FALSE(BucketFile::IsTried("M_LEQ_31", UsualBounds()));
  EXPECT_FALSE(BucketFile::IsTried("_note", UsualBounds()));
  EXPECT_EQ(At(*BucketFile::Parse("x.json", R"({"M_LEQ_8": {}})"), 9), "none");
}

TEST(BucketFile, bytes_come_back) {
  const std::string text =
      "{\n  \"M_LEQ_8\": {\n    \"B\": 1,\n    \"A\": null\n  },\n  \"any\": {}\n}\n";
  EXPECT_EQ(BucketFile::Parse("x.json", text)->Text(), text);
}

TEST(BucketFile, NumbersComeBackByTheirOwnText) {
  const std::string text =
      "{\n    \"any\": {\n        \"A\": 12345678901234567890123,\n        \"B\": 1e5,\n"
      "        \"C\": [\n            1.50,\n            {}\n        ],\n"
      "        \"D\": \"{, :\"\n    }\n}\n";
  EXPECT_EQ(BucketFile::Parse("x.json", text)->Text(), text);
}

TEST(BucketFile, what_is_no_file_of_buckets_is_refused) {
  const std::pair<const char*, const char*> kCases[] = {
      {"[]", "x.json: is array; expected an object of buckets"},
      {R"({"any": 3})", "x.json: /any: is number; expected a config, which is an object"},
      {R"({"any": {}, "any": {}})", "has the member any twice"},
      {"{", "expected JSON"},
      {R"({"any": {"A": 1e999}})", "out of range"}};
  for (const auto& [text, detail] : kCases) {
    const auto file = BucketFile::Parse("x.json", text);
    EXPECT_EQ(ErrorCode(file), "bad_bucket_file") << text;
    EXPECT_THAT(file.error().detail, HasSubstr(detail));
  }
}

TEST(BucketName, a_name_is_read_and_written) {
  struct Case {
    const char *file, *arch, *config, *sizes;
  };
  for (const Case& it : std::initializer_list<Case>{
           {"gfx950-GEMM-A16W16.json", "gfx950", "GEMM-A16W16", ""},
           {"gfx950-BATCHED_GEMM-A16W16-B=8-N=1024-K=4096.json", "gfx950", "BATCHED_GEMM-A16W16",
            "B=8 N=1024 K=4096"},
           {"gfx950-FUSED-GEMM-A8W8_BLOCKSCALE-A16W16-N8=512-N16=256-K=7168.json", "gfx950",
            "FUSED-GEMM-A8W8_BLOCKSCALE-A16W16", "N8=512 N16=256 K=7168"},
           {"DEFAULT.json", "", "", ""},
           {"GEMM-AFP4WFP4-N=512-K=128.json", "", "GEMM-AFP4WFP4", "N=512 K=128"}}) {
    const auto name = Must(ParseBucketName(it.file));
    EXPECT_EQ(name.arch, it.arch);
    EXPECT_EQ(name.config, it.config);
    EXPECT_EQ(core::Assignments(name.sizes), it.sizes);
    EXPECT_EQ(name.File(), it.file);
  }
  for (const char* wrong : {"gfx950-GEMM-N=x.json", "gfx950-GEMM-N=0.json", "gfx950-GEMM.csv",
                            "gfx950-GEMM-N=1-fused.json", ".json"}) {
    EXPECT_FALSE(ParseBucketName(wrong).ok()) << wrong;
  }
  EXPECT_EQ(ParseBucketName("gfx950-GEMM-N=12x-K=3.json").error().detail,
            "gfx950-GEMM-N=12x-K=3.json: 'N=12x' at 13: expected NAME=NUMBER");
  EXPECT_EQ(KernelOf("BATCHED_GEMM-A16WFP4"), "batched_gemm_a16wfp4");
}

std::string Refusal(const std::string& csv) {
  BucketRuns runs;
  const auto added = AddRuns("runs.csv", csv, runs);
  return added.ok() ? "" : added.error().code + " " + added.error().detail;
}

TEST(BucketRuns, rows_are_read_with_their_config) {
  BucketRuns runs;
  ASSERT_TRUE(AddRuns("old.csv",
                      "# config: old\n# rocm: 7.2.0\nkernel,M,K,N,B,bucket,us\n"
                      "BATCHED_GEMM-A16WFP4,16,512,128,8,M_LEQ_16,6.5\n",
                      runs)
                  .ok());
  ASSERT_TRUE(
      AddRuns("new.csv",
              "kernel,M,N,K,bucket,config,us\ngemm_a,1,2,3,any,new,\ngemm_a,1,2,3,any,old,inf\n",
              runs)
          .ok());
  ASSERT_EQ(runs.times.size(), 3U);
  EXPECT_EQ(runs.times[0].kernel, "batched_gemm_a16wfp4");
  EXPECT_EQ(core::Assignments(runs.times[0].sizes), "B=8 N=128 K=512");
  EXPECT_EQ(runs.times[0].us, 6.5);
  EXPECT_FALSE(runs.times[0].with_new);
  EXPECT_TRUE(runs.times[1].with_new);
  EXPECT_FALSE(runs.times[1].us);
  EXPECT_FALSE(runs.times[2].us);
  EXPECT_EQ(runs.times[1].place, "new.csv:2");
  EXPECT_EQ(runs.old_environment, (analysis::Environment{{"rocm", "7.2.0"}}));
}

TEST(BucketRuns, the_architecture_is_a_line_or_a_column) {
  BucketRuns runs;
  ASSERT_TRUE(AddRuns("a.csv",
                      "# gfx: gfx950:sramecc+:xnack-\nkernel,M,N,K,bucket,config,us\n"
                      "g,1,2,3,any,old,5\n",
                      runs)
                  .ok());
  ASSERT_TRUE(AddRuns("b.csv",
                      "kernel,gfx,M,N,K,bucket,config,us\ng,gfx942,1,2,3,any,old,5\n"
                      "g,,1,2,3,any,old,5\n",
                      runs)
                  .ok());
  EXPECT_EQ(runs.times[0].arch, "gfx950");
  EXPECT_EQ(runs.times[1].arch, "gfx942");
  EXPECT_EQ(runs.times[2].arch, "");
}

TEST(BucketRuns, what_is_wrong_is_named_by_row_and_column) {
  const std::string header = "kernel,M,N,K,bucket,us,config\n";
  const std::pair<std::string, const char*> kCases[] = {
      {header + "g,0,2,3,any,1,old\n",
       "bad_cell runs.csv:2: column M: '0': expected a whole number above 0"},
      {header + "g,1,x,3,any,1,old\n", "runs.csv:2: column N: 'x': expected a whole"},
      {header + "g,1,2,3,any,1,old\n\ng,1,2,3,M_LEQ,1,old\n",
       "runs.csv:4: column bucket: 'M_LEQ': expected a bucket"},
      {header + "g,1,2,3,any,-1,old\n", "column us: '-1': expected a time in microseconds"},
      {header + "g,1,2,3,any,nan,old\n", "column us: 'nan': expected a time"},
      {header + "g,1,2,3,any,1us,old\n", "column us: '1us'"},
      {header + "g,1,2,3,any,1,golden\n", "column config: 'golden': expected old or new"},
      {header + ",1,2,3,any,1,old\n", "column kernel: '', but a kernel is needed"},
      {header + "g,1,2,3,any,1\n", "runs.csv:2: has 6 fields, but the header has 7"},
      {"kernel,M,N,K,bucket,us\n", "no_config runs.csv:1: the config is missing; add a column"},
      {"# config: golden\nkernel,M,N,K,bucket,us\n", "but 'golden'"},
      {"kernel,M,N,bucket,us,config\n", "bad_header runs.csv:1: column 'K' is missing"},
      {"kernel,M,N,K,bucket,us,config,speed\n", "bad_header runs.csv:1: column 8 is 'speed'"},
      {"kernel,M,N,K,bucket,us,config,N\n", "column 8 is 'N', which occurs twice"},
      {"", "empty_table"},
      {header + "g,1,2,3,any,\"1,old\n", "csv_unterminated_quote"}};
  for (const auto& [csv, wrong] : kCases) EXPECT_THAT(Refusal(csv), HasSubstr(wrong)) << csv;
}

TEST(BucketRuns, the_template_is_one) {
  BucketRuns runs;
  Must(AddRuns("t.csv", std::string(RunsTemplate()) + "g,1,2,3,4,any,5\n", runs));
  EXPECT_EQ(runs.times.size(), 1U);
}

}  // namespace
}  // namespace tunehub::buckets
