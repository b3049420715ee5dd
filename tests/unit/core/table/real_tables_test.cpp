// AITER's real tables, read and written again.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
#include "tests/support/aiter_merge.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

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

struct Shape {
  int files = 0, clean = 0, rows = 0;
};

// Reads the file; where its header is today's and no row lacks a field, what is written must be it.
void CheckFile(const Family& family, const std::filesystem::path& file, Shape& shape) {
  const std::string text = test::ReadText(file);
  const auto table = ReadTunedTable(family, test::ShippedTargets(), text);
  ASSERT_TRUE(table.ok()) << file << ": " << table.error().detail;
  EXPECT_TRUE(table->rejected.empty())
      << file << " line " << table->rejected[0].line << ": " << table->rejected[0].detail;
  ++shape.files;
  shape.rows += static_cast<int>(table->rows.size());
  const std::string header = text.substr(0, text.find('\n'));
  const auto rows = test::AiterRows({text});
  const bool ragged = std::ranges::any_of(rows, &test::AiterRow::ragged);
  EXPECT_EQ(table->rows.size(), rows.size()) << file;
  if (ragged || (header != family.Header(false) && header != family.Header(true))) return;
  ++shape.clean;
  const std::string written = InKeyOrder(family, *table);
  EXPECT_EQ(written.substr(0, written.find('\n')), header) << file;
  const auto ours = SortedLines(written), theirs = SortedLines(text);
  const auto at = std::ranges::mismatch(ours, theirs);
  EXPECT_TRUE(ours == theirs) << file << "\nours   " << (at.in1 == ours.end() ? "" : *at.in1)
                              << "\ntheirs " << (at.in2 == theirs.end() ? "" : *at.in2);
}

TEST(RealTables, ACleanFileComesBackWithTheSameBytes) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  for (const auto& family : test::AiterFamilies()) {
    Shape shape;
    for (const auto& file : test::AiterFilesOf(*family)) CheckFile(*family, file, shape);
    EXPECT_GT(shape.files, 0) << family->name;
    EXPECT_GT(shape.clean, 0) << family->name;
    std::printf("%-32s %2d files, %2d of them clean, %6d rows\n", family->name.c_str(), shape.files,
                shape.clean, shape.rows);
  }
}

}  // namespace
}  // namespace tunehub::core
