#include "core/analysis/bucket_merge.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <random>

#include "tests/support/result.h"

namespace tunehub::buckets {
namespace {

using ::testing::HasSubstr;

// The bounds that AITER's lookup tries for most kernels.
const std::vector<std::int64_t> kTried = {1,   4,   8,    16,   32,   64,  128,
                                          256, 512, 1024, 2048, 4096, 8192};

BucketFile FileOf(const std::vector<std::string>& names, const std::string& side) {
  std::vector<Bucket> buckets;
  for (const std::string& name : names) {
    buckets.push_back({name, fmt::format(R"({{"from":"{}","bucket":"{}"}})", side, name)});
  }
  return BucketFile(std::move(buckets), 4);
}

MergeInput Input(const std::string& file, const std::vector<std::string>& old_names,
                 const std::vector<std::string>& new_names) {
  return {
      *ParseBucketName(file), FileOf(old_names, "old"), FileOf(new_names, "new"), {}, "", kTried};
}

// Adds one shape's times in us at M, with the old and the new config. 0: it does not run.
void Add(const MergeInput& input, const Sizes& sizes, std::int64_t m, double before, double after,
         BucketRuns& runs) {
  for (const bool with_new : {false, true}) {
    const double us = with_new ? after : before;
    runs.times.push_back({"runs.csv:1", KernelOf(input.name.config), sizes, m,
                          input.old_file.At(m, kTried)->name, with_new,
                          us > 0 ? std::optional(us) : std::nullopt});
  }
}

std::string From(const BucketFile& file, const std::string& bucket) {
  const Bucket* found = file.Find(bucket);
  if (found == nullptr) return "none";
  return found->config.find("\"old\"") != std::string::npos ? "old" : "new";
}

std::string Reasons(const MergedFile& file) {
  std::string text;
  for (const BucketChoice& it : file.choices) {
    text += fmt::format("{}:{} ", it.name, Name(it.reason));
  }
  return text;
}

const std::vector<std::string> kUsual = {"M_LEQ_16", "M_LEQ_32", "M_LEQ_64", "M_LEQ_128", "any"};
const Sizes kSmall = {{"N", "128"}, {"K", "512"}}, kOther = {{"N", "512"}, {"K", "128"}};

TEST(BucketMerge, each_bucket_by_what_was_measured) {
  const MergeInput input = Input("gfx950-GEMM-X-N=128-K=512.json", kUsual, kUsual);
  BucketRuns runs;
  Add(input, kSmall, 16, 10, 12, runs);    // slower
  Add(input, kSmall, 32, 10, 10.5, runs);  // within the slack
  Add(input, kSmall, 64, 10, 8, runs);
  Add(input, kSmall, 100, 10, 8, runs);
  Add(input, kSmall, 128, 10, 0, runs);  // does not run
  const auto merge = Must(MergeBuckets(input, runs));
  EXPECT_EQ(merge.left_alone, "");
  ASSERT_EQ(merge.files.size(), 1U);
  EXPECT_EQ(Reasons(merge.files[0]),
            "M_LEQ_16:slower M_LEQ_32:not_slower M_LEQ_64:faster M_LEQ_128:slower any:unmeasured ");
  EXPECT_EQ(From(merge.files[0].file, "M_LEQ_16"), "old");
  EXPECT_EQ(From(merge.files[0].file, "M_LEQ_32"), "new");
  EXPECT_EQ(From(merge.files[0].file, "M_LEQ_64"), "new");
  EXPECT_EQ(From(merge.files[0].file, "M_LEQ_128"), "old");
  EXPECT_EQ(From(merge.files[0].file, "any"), "old");
  EXPECT_EQ(merge.files[0].choices[3].why,
            "slower at N=128 K=512 M=128: 10.00 -> no time us (1 of 2 measured)");
}

TEST(BucketMerge, the_rule_is_that_of_compare) {
  for (const auto& [before, after, reason] :
       std::initializer_list<std::tuple<double, double, const char*>>{{100, 100.99, "not_slower"},
                                                                      {100, 101.01, "slower"},
                                                                      {3.99, 30, "not_slower"},
                                                                      {4, 4.53, "slower"},
                                                                      {101.01, 100, "faster"}}) {
    const MergeInput input = Input("gfx950-GEMM-X-N=128-K=512.json", kUsual, kUsual);
    BucketRuns runs;
    Add(input, kSmall, 16, before, after, runs);
    EXPECT_EQ(Reasons(MergeBuckets(input, runs)->files[0]).substr(9, std::strlen(reason)), reason)
        << before << " " << after;
  }
}

TEST(BucketMerge, runs_that_do_not_agree_are_measured_again) {
  const MergeInput input = Input("gfx950-GEMM-X-N=128-K=512.json", kUsual, kUsual);
  BucketRuns runs;
  for (const double after : {5.0, 5.1, 9.0}) Add(input, kSmall, 16, 10, after, runs);
  const auto merge = MergeBuckets(input, runs);
  EXPECT_THAT(Reasons(merge->files[0]), HasSubstr("M_LEQ_16:unsure"));
  EXPECT_EQ(merge->files[0].taken(), 0U);
}

// A changed default config makes one shape faster and another slower.
TEST(BucketMerge, a_default_that_somebody_would_lose_by_is_left_alone) {
  MergeInput input = Input("gfx950-BATCHED_GEMM-X.json", kUsual, kUsual);
  BucketRuns runs;
  for (const std::int64_t m : {16, 32}) Add(input, kSmall, m, 6, 8, runs);
  for (const std::int64_t m : {64, 128, 256}) Add(input, kSmall, m, 20, 12, runs);
  for (const std::int64_t m : {16, 64}) Add(input, kOther, m, 9, 9, runs);
  Add(input, kOther, 128, 15, 19, runs);
  const auto merge = MergeBuckets(input, runs);
  EXPECT_EQ(merge->left_alone,
            "M_LEQ_128 would be faster at N=128 K=512 M=128: 20.00 -> 12.00 us and slower at "
            "N=512 K=128 M=128: 15.00 -> 19.00 us");
  ASSERT_EQ(merge->files.size(), 1U);
  EXPECT_EQ(merge->files[0].name.File(), "gfx950-BATCHED_GEMM-X-N=128-K=512.json");
  EXPECT_EQ(Reasons(merge->files[0]),
            "M_LEQ_16:slower M_LEQ_32:slower M_LEQ_64:faster M_LEQ_128:faster any:faster ");
  // A shape with its own file does not read the default, so the default may change.
  input.siblings = {kOther};
  const auto alone = MergeBuckets(input, runs);
  EXPECT_EQ(alone->left_alone, "");
  EXPECT_EQ(alone->files[0].name.File(), "gfx950-BATCHED_GEMM-X.json");
  EXPECT_THAT(alone->remarks,
              testing::Contains(
                  "6 rows with N=512 K=128 use another file, which has these sizes in its name"));
}

TEST(BucketMerge, a_loss_that_nobody_gains_by_keeps_the_bucket_alone) {
  const MergeInput input = Input("gfx950-GEMM-X.json", kUsual, kUsual);
  BucketRuns runs;
  Add(input, kSmall, 64, 20, 12, runs);
  Add(input, kOther, 16, 10, 12, runs);
  const auto merge = MergeBuckets(input, runs);
  EXPECT_EQ(merge->left_alone, "");
  EXPECT_EQ(From(merge->files[0].file, "M_LEQ_16"), "old");
  EXPECT_EQ(From(merge->files[0].file, "M_LEQ_64"), "new");
}

TEST(BucketMerge, a_default_is_not_changed_for_nothing) {
  const MergeInput input = Input("gfx950-GEMM-X.json", kUsual, kUsual);
  BucketRuns runs;
  Add(input, kSmall, 64, 20, 20, runs);
  const auto merge = MergeBuckets(input, runs);
  EXPECT_EQ(merge->left_alone, "no shape is faster");
  EXPECT_TRUE(merge->files.empty());
}

TEST(BucketMerge, where_it_depends_on_b_the_special_files_are_by_b) {
  const MergeInput input = Input("gfx950-BATCHED_GEMM-X.json", kUsual, kUsual);
  const Sizes few = {{"B", "2"}, {"N", "128"}, {"K", "512"}},
              many = {{"B", "64"}, {"N", "128"}, {"K", "512"}};
  BucketRuns runs;
  Add(input, few, 64, 20, 12, runs);
  Add(input, many, 64, 20, 25, runs);
  const auto merge = MergeBuckets(input, runs);
  ASSERT_EQ(merge->files.size(), 1U);
  EXPECT_EQ(merge->files[0].name.File(), "gfx950-BATCHED_GEMM-X-B=2-N=128-K=512.json");
}

TEST(BucketMerge, a_bound_that_is_never_tried_is_said_so) {
  const MergeInput input =
      Input("gfx950-GEMM-X-N=128-K=512.json", {"_note", "M_LEQ_31", "M_LEQ_64", "any"},
            {"M_LEQ_31", "M_LEQ_64", "M_LEQ_320", "any"});
  BucketRuns runs;
  Add(input, kSmall, 64, 20, 12, runs);
  const auto merge = MergeBuckets(input, runs);
  EXPECT_EQ(
      Reasons(merge->files[0]),
      "M_LEQ_64:faster any:unmeasured _note:note M_LEQ_31:never_tried M_LEQ_320:never_tried ");
  EXPECT_EQ(From(merge->files[0].file, "M_LEQ_31"), "old");
  EXPECT_EQ(From(merge->files[0].file, "M_LEQ_320"), "none");
  EXPECT_EQ(merge->files[0].file.buckets().front().name, "_note");
}

TEST(BucketMerge, a_row_of_another_bucket_is_refused) {
  const MergeInput input = Input("gfx950-GEMM-X-N=128-K=512.json", kUsual, kUsual);
  BucketRuns runs;
  Add(input, kSmall, 64, 20, 12, runs);
  runs.times[1].bucket = "M_LEQ_128";
  const auto merge = MergeBuckets(input, runs);
  EXPECT_EQ(ErrorCode(merge), "wrong_bucket");
  EXPECT_THAT(
      merge.error().detail,
      HasSubstr(
          "runs.csv:1: column bucket is 'M_LEQ_128', but for M=64 the lookup finds M_LEQ_64"));
  for (BucketTime& time : runs.times) time.kernel = "another";
  EXPECT_THAT(MergeBuckets(input, runs).error().detail,
              HasSubstr("ignored the rows of other kernels: another"));
}

// A second implementation of AITER's lookup.
std::string Restated(const BucketFile& file, std::int64_t m) {
  const auto config = [&](const std::string& name) {
    const Bucket* bucket = file.Find(name);
    return bucket == nullptr ? "" : bucket->config;
  };
  for (const std::int64_t bound : kTried) {
    const std::string found = config(fmt::format("M_LEQ_{}", bound));
    if (m <= bound && !found.empty()) return found;
  }
  for (auto bound = kTried.rbegin(); bound != kTried.rend(); ++bound) {
    const std::string found = config(fmt::format("M_GEQ_{}", *bound));
    if (m >= *bound && !found.empty()) return found;
  }
  return config("any");
}

std::vector<std::string> RandomNames(std::mt19937& random) {
  std::vector<std::string> names;
  for (const int bound : {1, 4, 8, 16, 31, 32, 64, 128, 256, 320, 512, 1024, 2048, 4096, 8192}) {
    if (random() % 3 == 0) names.push_back(fmt::format("M_LEQ_{}", bound));
  }
  for (const int bound : {64, 1024, 4096, 8192}) {
    if (random() % 5 == 0) names.push_back(fmt::format("M_GEQ_{}", bound));
  }
  names.push_back("any");
  std::shuffle(names.begin(), names.end(), random);
  return names;
}

// For any buckets of the two files, a lookup finds the old or the new config for each M. If the new
// config was slower at an M, the lookup finds the old config.
TEST(BucketMerge, no_m_gets_a_config_that_it_was_slower_with) {
  std::mt19937 random(3283);
  std::size_t kept = 0, taken = 0;
  for (int round = 0; round < 60; ++round) {
    const MergeInput input =
        Input("gfx950-GEMM-X-N=128-K=512.json", RandomNames(random), RandomNames(random));
    BucketRuns runs;
    std::map<std::int64_t, bool> slower;
    for (int i = 0; i < 12; ++i) {
      const auto m = static_cast<std::int64_t>(1 + random() % (1U << (random() % 14)));
      if (slower.contains(m)) continue;
      slower[m] = random() % 3 == 0;
      Add(input, kSmall, m, 20, slower[m] ? 25 : 15, runs);
    }
    const auto merge = Must(MergeBuckets(input, runs));
    const BucketFile& file = merge.files.at(0).file;
    for (std::int64_t m = 1; m <= 9000; ++m) {
      const std::string read = Restated(file, m), before = Restated(input.old_file, m),
                        after = Restated(input.new_file, m);
      ASSERT_TRUE(read == before || read == after) << "M=" << m << "\n" << file.Text();
      if (const auto known = slower.find(m); known != slower.end() && known->second) {
        ASSERT_EQ(read, before) << "M=" << m;
      }
      ++(read == before ? kept : taken);
    }
  }
  EXPECT_GT(kept, 20000U);
  EXPECT_GT(taken, 20000U);
}

}  // namespace
}  // namespace tunehub::buckets
