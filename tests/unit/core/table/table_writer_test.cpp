#include "core/table/table_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/table/tuned_table.h"
#include "tests/support/aiter_merge.h"
#include "tests/support/shipped.h"
#include "tests/support/tables.h"

namespace tunehub::core {
namespace {

using Lines = std::vector<std::string_view>;

std::string Written(std::string_view family, const Lines& lines, const WriteOptions& options = {}) {
  return WriteTable(test::ShippedFamily(family), lines, options);
}

TEST(TableWriter, the_header_is_the_familys_or_without_the_target) {
  EXPECT_EQ(Written("a4w4_blockscale", {"a,1,2,3,4,5,6,7,8,9,10,11", "b,1,2,3,4,5,6,7,8,9,10,"}),
            "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
            "a,1,2,3,4,5,6,7,8,9,10,11\n"
            "b,1,2,3,4,5,6,7,8,9,10,\n");
  EXPECT_EQ(Written("fmoe", {}), test::ShippedFamily("fmoe").Header(true) + "\n")
      << "the header always has the tag's column";
  EXPECT_EQ(
      Written("a4w4_blockscale", {"gfx950,256,2,3,4,5,6,7,\"a,b\",9,10,11"}, {.without_gfx = true}),
      "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
      "256,2,3,4,5,6,7,\"a,b\",9,10,11\n");
}

// A line of grouped_fmoe with the given gate_mode. Each other cell contains its column's number.
std::string Grouped(std::string_view gate_mode) {
  const Family& family = test::ShippedFamily("grouped_fmoe");
  std::vector<std::string> texts(family.columns.size());
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = std::to_string(i);
  texts[family.Find("gate_mode")] = gate_mode;
  return JoinCells(Cells(texts.begin(), texts.end()));
}

TEST(TableWriter, an_optional_column_is_written_only_where_a_row_has_a_value_in_it) {
  const Family& family = test::ShippedFamily("grouped_fmoe");
  const std::string plain = Grouped(""), gated = Grouped("GateMode.SEPARATED");
  const std::string without = Written("grouped_fmoe", {plain, plain});
  EXPECT_TRUE(without.starts_with(family.Header(false) + "\n")) << without;
  EXPECT_NE(without.find(",12,13,15,16,"), std::string::npos) << without;
  const std::string with = Written("grouped_fmoe", {plain, gated});
  EXPECT_EQ(with, family.Header(true) + "\n" + plain + "\n" + gated + "\n");
  EXPECT_TRUE(Written("grouped_fmoe", {}).starts_with(family.Header(false)));
}

TEST(TableWriter, a_line_is_split_into_the_cells_that_it_was_joined_of) {
  const Cells awkward = {"", "a", "a,b", "\"", "a\"\"b", " a ", "\t", ",", "", "\xC3\xA9\"", ""};
  const std::string line = JoinCells(awkward);
  EXPECT_EQ(line, ",a,\"a,b\",\"\"\"\",\"a\"\"\"\"b\",\" a \",\"\t\",\",\",,\"\xC3\xA9\"\"\",");
  std::string scratch;
  EXPECT_EQ(SplitLine(line, scratch), awkward);
  for (std::size_t i = 0; i < awkward.size(); ++i) EXPECT_EQ(CellOf(line, i, scratch), awkward[i]);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(CellOf("a,b,", i, scratch), (Cells{"a", "b", ""})[i]);
  EXPECT_EQ(SplitLine("a,b,", scratch), (Cells{"a", "b", ""}));
  EXPECT_EQ(SplitLine("", scratch), Cells{""});
}

TEST(TableWriter, what_is_written_is_read_as_the_same_rows) {
  const std::string csv = test::ShippedFamily("a8w8_blockscale").Header(true) +
                          "\ngfx942,304,16,1280,8192,ck,7,0,4.8294,\"FAILED: a, b\",4.0,2.0,0.0\n"
                          "gfx942,304,32,1280,8192,ck,7,0,inf,\"FAILED: c, d\",,,3.8%\n";
  const TunedTable table = test::ReadTable("a8w8_blockscale", csv);
  Lines lines;
  for (const Row& row : table.rows) lines.push_back(row.line);
  EXPECT_EQ(Written("a8w8_blockscale", lines), csv);
}

// The writer reproduces AITER's real tables.

std::vector<std::string> SortedLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string InKeyOrder(const Family& family, const TunedTable& table) {
  std::vector<const Row*> rows;
  for (const Row& row : table.rows) rows.push_back(&row);
  std::ranges::stable_sort(rows, {},
                           [](const Row* row) -> const std::string& { return row->order; });
  std::vector<std::string_view> lines;
  for (const Row* row : rows) lines.push_back(row->line);
  return WriteTable(family, lines);
}

// Reads the file. If its header is current and no row lacks a field, the written table must have
// the same lines.
void CheckFile(const Family& family, const std::filesystem::path& file, int& clean) {
  const std::string text = test::ReadText(file);
  const auto table = ReadTunedTable(family, test::ShippedTargets(), text);
  ASSERT_TRUE(table.ok()) << file << ": " << table.error().detail;
  EXPECT_TRUE(table->rejected.empty())
      << file << " line " << table->rejected[0].line << ": " << table->rejected[0].detail;
  const std::string header = text.substr(0, text.find('\n'));
  const auto rows = test::AiterRows({text});
  const bool ragged = std::ranges::any_of(rows, &test::AiterRow::ragged);
  EXPECT_EQ(table->rows.size(), rows.size()) << file;
  if (ragged || (header != family.Header(false) && header != family.Header(true))) return;
  ++clean;
  const std::string written = InKeyOrder(family, *table);
  EXPECT_EQ(written.substr(0, written.find('\n')), header) << file;
  const auto ours = SortedLines(written), theirs = SortedLines(text);
  const auto at = std::ranges::mismatch(ours, theirs);
  EXPECT_TRUE(ours == theirs) << file << "\nours   " << (at.in1 == ours.end() ? "" : *at.in1)
                              << "\ntheirs " << (at.in2 == theirs.end() ? "" : *at.in2);
}

TEST(RealTables, a_clean_file_comes_back_with_the_same_bytes) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  for (const auto& family : test::AiterFamilies()) {
    int clean = 0;
    const auto files = test::AiterFilesOf(*family);
    for (const auto& file : files) CheckFile(*family, file, clean);
    EXPECT_TRUE(clean > 0 || files.empty()) << family->name;  // a newer family has no files here
  }
}

}  // namespace
}  // namespace tunehub::core
