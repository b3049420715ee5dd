#include <gtest/gtest.h>

#include <algorithm>

#include "core/table/tuned_table.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using CopiedLines = std::vector<std::size_t>;

struct TimedTier {
  int token;
  const char* us;
  int inter_dim = 256;
};

// Returns the lines that have the warning copied_time.
CopiedLines Copied(const std::vector<TimedTier>& rows) {
  const Family& family = test::ShippedFamily("fmoe");
  std::string csv = family.Header(false) + "\n";
  for (const TimedTier& row : rows) {
    csv += "gfx942,304," + std::to_string(row.token) + ",4096," + std::to_string(row.inter_dim) +
           ",128,8,ActivationType.Silu,torch.bfloat16,torch.float8_e4m3fnuz,"
           "torch.float8_e4m3fnuz,QuantType.per_Token,1,0,32,0,0,one_stage,0.0%,0,,0.0%," +
           row.us + ",1,0,0,1,1,\n";
  }
  const auto table = ReadTunedTable(family, test::ShippedTargets(), csv);
  EXPECT_TRUE(table.ok() && table->rejected.empty());
  CopiedLines lines;
  for (const RowIssue& issue : table->warnings) {
    if (issue.code == "copied_time") lines.push_back(issue.line);
  }
  return lines;
}

TEST(CopiedTimes, one_time_over_many_tiers_is_of_the_largest_at_most) {
  EXPECT_EQ(Copied({{512, "900.5"}, {1024, "911.25"}, {2048, "911.25"}, {4096, "911.25"}}),
            (CopiedLines{3, 4}));
  EXPECT_EQ(Copied({{4096, "911.25"}, {32, "911.25"}, {128, "911.25"}}), (CopiedLines{3, 4}));
  EXPECT_EQ(Copied({{1024, "90.5"}, {2048, "90.5"}, {131072, "90.5"}}), (CopiedLines{2, 3}));
}

TEST(CopiedTimes, honest_ties_have_no_warning) {
  EXPECT_EQ(Copied({{1, "300.5"}, {2, "300.5"}, {4, "300.5"}, {8, "300.5"}, {16, "300.5"}}),
            CopiedLines{})
      << "all counts up to 16 tokens use the same launch";
  EXPECT_EQ(Copied({{1024, "911.25"}, {4096, "911.25"}}), CopiedLines{})
      << "two equal times may be a tie";
  EXPECT_EQ(Copied({{1024, "911.25"}, {2048, "911.2501"}, {4096, "911.25"}}), CopiedLines{});
  EXPECT_EQ(Copied({{1024, "911.25"}, {2048, "911.25", 512}, {4096, "911.25"}}), CopiedLines{})
      << "a row of another shape key";
  EXPECT_EQ(Copied({{1024, "0"}, {2048, "0"}, {4096, "0"}}), CopiedLines{})
      << "the rows are unmeasured anyway";
}

// Only one of upstream's MoE tables has copied times. There, all tiers from 32 to 8,192 tokens have
// 468.0528 us.
TEST(CopiedTimes, upstreams_tables_have_them_in_one_table_alone) {
  const auto files = test::RealTunedFiles();
  if (files.empty()) GTEST_SKIP() << test::NoRealTables();
  for (const auto& file : files) {
    const std::string name = file.filename().string();
    const bool grouped = name == "tuned_grouped_fmoe.csv";
    if (!grouped && name.find("tuned_fmoe") == std::string::npos) continue;
    const auto table = ReadTunedTable(test::ShippedFamily(grouped ? "grouped_fmoe" : "fmoe"),
                                      test::ShippedTargets(), test::ReadText(file));
    ASSERT_TRUE(table.ok()) << name;
    const auto count = std::ranges::count(table->warnings, "copied_time", &RowIssue::code);
    EXPECT_EQ(count > 0, grouped) << name;
  }
}

}  // namespace
}  // namespace tunehub::core
