#include "core/lookup/nearest.h"

#include <gtest/gtest.h>

#include "core/lookup/table.h"
#include "core/row/cell.h"
#include "core/table/table_writer.h"
#include "tests/support/shipped.h"

namespace tunehub::lookup {
namespace {

using Key = std::vector<std::int64_t>;

TEST(Nearest, the_least_distance_wins_and_the_smaller_m_at_a_tie) {
  NearestRows rows(1);
  std::size_t row = 0;
  for (const std::int64_t m : {8, 16, 64}) rows.Add(Key{7, m}, row++);
  rows.Add(Key{9, kEmptyCell}, row);
  EXPECT_EQ(rows.Nearest(Key{7, 1}), 0U);
  EXPECT_EQ(rows.Nearest(Key{7, 12}), 0U);  // 4 from both
  EXPECT_EQ(rows.Nearest(Key{7, 13}), 1U);
  EXPECT_EQ(rows.Nearest(Key{7, 41}), 2U);
  EXPECT_EQ(rows.Nearest(Key{7, 100'000}), 2U);
  EXPECT_EQ(rows.Nearest(Key{8, 16}), std::nullopt);
  EXPECT_EQ(rows.Nearest(Key{9, 16}), std::nullopt);  // a file without members
}

TEST(Nearest, the_smallest_bound_above_is_taken_and_any_is_none) {
  EXPECT_EQ(BoundOf("M_LEQ_64"), 64);
  EXPECT_EQ(BoundOf("M_GEQ_4096"), kNoBound);
  EXPECT_EQ(BoundOf("any"), kNoBound);
  NearestRows rows(0);
  rows.Add(Key{BoundOf("M_LEQ_16")}, 0);
  rows.Add(Key{BoundOf("M_LEQ_128")}, 1);
  rows.Add(Key{BoundOf("any")}, 2);
  EXPECT_EQ(rows.SmallestBound(Key{16}), 0U);
  EXPECT_EQ(rows.SmallestBound(Key{32}), 1U);
  EXPECT_EQ(rows.SmallestBound(Key{256}), std::nullopt);
}

// A file of vLLM's with two M, asked through the family as its file describes it.
TEST(Nearest, a_family_of_files_finds_any_m_where_there_is_a_file) {
  const core::Family& family = test::ShippedFamily("triton_fused_moe");
  ASSERT_EQ(family.lookup.kind, "nearest_m");
  const auto line = [&](const char* m) {
    core::Cells cells(family.columns.size());
    const auto put = [&](const char* column, std::string_view text) {
      cells[family.Find(column)] = text;
    };
    put("engine", "vllm");
    put("device", "AMD_Instinct_MI300X");
    put("E", "128");
    put("N", "96");
    put("block_n", "0");
    put("block_k", "0");
    put("per_channel_quant", "0");
    put("down", "0");
    put("M", m);
    put("config", "{}");
    return core::JoinCells(cells);
  };
  const std::string rows[] = {line("16"), line("64")};
  const Table table(family, {{rows[0], 1}, {rows[1], 1}});
  core::FamilyShape shape;
  shape.cells.assign(family.columns.size(), "");
  std::string scratch;
  const core::Cells cells = core::SplitLine(rows[0], scratch);
  for (const std::size_t column : family.key_columns) shape.cells[column] = cells[column];
  const auto asked = [&](const char* m) {
    shape.cells[family.lookup.m] = m;
    const LookupAnswer answer = table.Find(shape, "gfx942", 304);
    return std::string(Name(answer.step)) + " " +
           (answer.found() ? std::to_string(answer.row) : "none");
  };
  EXPECT_EQ(asked("16"), "exact 0");
  EXPECT_EQ(asked("17"), "nearest 0");
  EXPECT_EQ(asked("8192"), "nearest 1");
  shape.cells[family.Find("triton")] = "3.4.0";  // not compared
  EXPECT_EQ(asked("1"), "nearest 0");
  shape.cells[family.Find("engine")] = "sglang";
  EXPECT_EQ(asked("16"), "default none");
}

}  // namespace
}  // namespace tunehub::lookup
