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
  EXPECT_EQ(rows.Nearest(Key{7, 12}), 0U);  // 8 and 16 are equally near
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

// A file of vLLM with two values of M. Its lookup is the one in the family file.
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
  shape.cells[family.Find("triton")] = "3.4.0";  // lookups do not compare it
  EXPECT_EQ(asked("1"), "nearest 0");
  shape.cells[family.Find("engine")] = "sglang";
  EXPECT_EQ(asked("16"), "default none");
}

// Some AITER kernels pass their own bounds and look up only these bounds.
TEST(Nearest, a_bucket_that_its_op_never_asks_for_is_not_found) {
  const core::Family& family = test::ShippedFamily("triton_gemm");
  ASSERT_EQ(family.lookup.kind, "smallest_bound");
  const auto line = [&](const char* op, const char* bucket) {
    core::Cells cells(family.columns.size());
    cells[family.Find("engine")] = "aiter";
    cells[family.Find("gfx")] = "gfx950";
    cells[family.Find("layout")] = "gemm";
    cells[family.Find("op")] = op;
    cells[family.Find("bucket")] = bucket;
    cells[family.Find("config")] = "{}";
    return core::JoinCells(cells);
  };
  constexpr char kUsual[] = "GEMM-A16W16", kOwn[] = "GEMM-AFP4WFP4_PRESHUFFLED";
  std::vector<std::string> lines;
  for (const char* bucket : {"M_LEQ_1", "M_LEQ_16", "M_LEQ_31", "M_LEQ_64", "any"}) {
    for (const char* op : {kUsual, kOwn}) lines.push_back(line(op, bucket));
  }
  std::vector<TableRow> rows;
  for (const std::string& it : lines) rows.push_back({it, 1});
  const Table table(family, std::move(rows));
  const auto asked = [&](const char* op, const char* bucket) {
    const std::string text = line(op, bucket);
    std::string scratch;
    const core::Cells cells = core::SplitLine(text, scratch);
    core::FamilyShape shape;
    shape.cells.assign(cells.begin(), cells.end());
    const LookupAnswer answer = table.Find(shape, "gfx950", 0);
    if (!answer.found()) return std::string(Name(answer.step));
    const core::Cells found = core::SplitLine(table.rows()[answer.row].line, scratch);
    return std::string(Name(answer.step)) + " " + std::string(found[family.lookup.m]);
  };
  EXPECT_EQ(asked(kUsual, "M_LEQ_1"), "exact M_LEQ_1");
  EXPECT_EQ(asked(kUsual, "M_LEQ_31"), "nearest M_LEQ_64");
  EXPECT_EQ(asked(kUsual, "M_LEQ_32"), "nearest M_LEQ_64");
  EXPECT_EQ(asked(kUsual, "any"), "exact any");
  EXPECT_EQ(asked(kOwn, "M_LEQ_1"), "nearest M_LEQ_16");
  EXPECT_EQ(asked(kOwn, "M_LEQ_31"), "exact M_LEQ_31");
  EXPECT_EQ(asked(kOwn, "M_LEQ_32"), "nearest M_LEQ_64");
}

}  // namespace
}  // namespace tunehub::lookup
