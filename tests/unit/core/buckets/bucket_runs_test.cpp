#include "core/buckets/bucket_runs.h"

#include <gmock/gmock.h>

namespace tunehub::buckets {
namespace {

using ::testing::HasSubstr;

std::string Refusal(const std::string& csv) {
  BucketRuns runs;
  const auto added = AddRuns("runs.csv", csv, runs);
  return added.ok() ? "" : added.error().code + " " + added.error().detail;
}

TEST(BucketRuns, RowsAreReadWithTheirConfig) {
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
  EXPECT_EQ(TextOf(runs.times[0].sizes), "B=8 N=128 K=512");
  EXPECT_EQ(runs.times[0].us, 6.5);
  EXPECT_FALSE(runs.times[0].with_new);
  EXPECT_TRUE(runs.times[1].with_new);
  EXPECT_FALSE(runs.times[1].us);
  EXPECT_FALSE(runs.times[2].us);
  EXPECT_EQ(runs.times[1].place, "new.csv:2");
  EXPECT_EQ(runs.old_environment, (analysis::Environment{{"rocm", "7.2.0"}}));
}

TEST(BucketRuns, TheArchitectureIsALineOrAColumn) {
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

TEST(BucketRuns, WhatIsWrongIsNamedByRowAndColumn) {
  const std::string header = "kernel,M,N,K,bucket,us,config\n";
  const std::pair<std::string, const char*> kCases[] = {
      {header + "g,0,2,3,any,1,old\n",
       "bad_cell runs.csv:2: column M: '0' is no whole number above 0"},
      {header + "g,1,x,3,any,1,old\n", "runs.csv:2: column N: 'x' is no whole"},
      {header + "g,1,2,3,any,1,old\n\ng,1,2,3,M_LEQ,1,old\n",
       "runs.csv:4: column bucket: 'M_LEQ' is no bucket"},
      {header + "g,1,2,3,any,-1,old\n", "column us: '-1' is no time in microseconds"},
      {header + "g,1,2,3,any,nan,old\n", "column us: 'nan' is no time"},
      {header + "g,1,2,3,any,1us,old\n", "column us: '1us'"},
      {header + "g,1,2,3,any,1,golden\n", "column config: 'golden' is not old or new"},
      {header + ",1,2,3,any,1,old\n", "column kernel: '' is empty"},
      {header + "g,1,2,3,any,1\n", "runs.csv:2: has 6 fields, the header 7"},
      {"kernel,M,N,K,bucket,us\n", "no_config runs.csv:1: neither a column 'config' nor a line"},
      {"# config: golden\nkernel,M,N,K,bucket,us\n", "but 'golden'"},
      {"kernel,M,N,bucket,us,config\n", "bad_header runs.csv:1: column 'K' is missing"},
      {"kernel,M,N,K,bucket,us,config,speed\n", "bad_header runs.csv:1: column 8 is 'speed'"},
      {"kernel,M,N,K,bucket,us,config,N\n", "column 8 is 'N', which is there already"},
      {"", "empty_table"},
      {header + "g,1,2,3,any,\"1,old\n", "csv_unterminated_quote"}};
  for (const auto& [csv, wrong] : kCases) EXPECT_THAT(Refusal(csv), HasSubstr(wrong)) << csv;
}

TEST(BucketRuns, TheTemplateIsOne) {
  BucketRuns runs;
  const auto added = AddRuns("t.csv", std::string(RunsTemplate()) + "g,1,2,3,4,any,5\n", runs);
  ASSERT_TRUE(added.ok()) << added.error().detail;
  EXPECT_EQ(runs.times.size(), 1U);
}

}  // namespace
}  // namespace tunehub::buckets
