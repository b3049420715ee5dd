#include "core/table/table_writer.h"

#include <gtest/gtest.h>

#include "tests/support/shipped.h"
#include "tests/support/tables.h"

namespace tunehub::core {
namespace {

using Lines = std::vector<std::string_view>;

std::string Written(std::string_view family, const Lines& lines, const WriteOptions& options = {}) {
  return WriteTable(test::ShippedFamily(family), lines, options);
}

TEST(TableWriter, TheHeaderIsTheFamilysAndLinesEndInLf) {
  EXPECT_EQ(Written("a4w4_blockscale", {"a,1,2,3,4,5,6,7,8,9,10,11", "b,1,2,3,4,5,6,7,8,9,10,"}),
            "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
            "a,1,2,3,4,5,6,7,8,9,10,11\n"
            "b,1,2,3,4,5,6,7,8,9,10,\n");
  EXPECT_EQ(Written("fmoe", {}), test::ShippedFamily("fmoe").Header(true) + "\n")
      << "the tag's column is always there";
}

TEST(TableWriter, TheLegacyTableLacksTheTarget) {
  EXPECT_EQ(
      Written("a4w4_blockscale", {"gfx950,256,2,3,4,5,6,7,\"a,b\",9,10,11"}, {.without_gfx = true}),
      "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
      "256,2,3,4,5,6,7,\"a,b\",9,10,11\n");
}

// A line of grouped_fmoe with the given gate_mode; the other cells are their column's number.
std::string Grouped(std::string_view gate_mode) {
  const Family& family = test::ShippedFamily("grouped_fmoe");
  std::vector<std::string> texts(family.columns.size());
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = std::to_string(i);
  texts[family.Find("gate_mode")] = gate_mode;
  return JoinCells(Cells(texts.begin(), texts.end()));
}

TEST(TableWriter, AnOptionalColumnIsWrittenOnlyWhereARowHasAValueInIt) {
  const Family& family = test::ShippedFamily("grouped_fmoe");
  const std::string plain = Grouped(""), gated = Grouped("GateMode.SEPARATED");
  const std::string without = Written("grouped_fmoe", {plain, plain});
  EXPECT_TRUE(without.starts_with(family.Header(false) + "\n")) << without;
  EXPECT_NE(without.find(",12,13,15,16,"), std::string::npos) << without;
  const std::string with = Written("grouped_fmoe", {plain, gated});
  EXPECT_EQ(with, family.Header(true) + "\n" + plain + "\n" + gated + "\n");
  EXPECT_TRUE(Written("grouped_fmoe", {}).starts_with(family.Header(false)));
}

TEST(TableWriter, ALineIsSplitIntoTheCellsThatItWasJoinedOf) {
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

TEST(TableWriter, WhatIsWrittenIsReadAsTheSameRows) {
  const std::string csv = test::ShippedFamily("a8w8_blockscale").Header(true) +
                          "\ngfx942,304,16,1280,8192,ck,7,0,4.8294,\"FAILED: a, b\",4.0,2.0,0.0\n"
                          "gfx942,304,32,1280,8192,ck,7,0,inf,\"FAILED: c, d\",,,3.8%\n";
  const TunedTable table = test::ReadTable("a8w8_blockscale", csv);
  Lines lines;
  for (const Row& row : table.rows) lines.push_back(row.line);
  EXPECT_EQ(Written("a8w8_blockscale", lines), csv);
}

}  // namespace
}  // namespace tunehub::core
