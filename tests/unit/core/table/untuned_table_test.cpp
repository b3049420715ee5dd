#include "core/table/untuned_table.h"

#include <gtest/gtest.h>

#include "core/table/tuned_table.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::ShippedFamily;

constexpr std::size_t kMaxRows = 1000;

// Returns "16/1280/5120 x3 gfx942:304" for each row.
std::string Rows(const Family& family, const UntunedTable& table) {
  std::string text;
  for (const UntunedRow& row : table.rows) {
    std::string shape;
    for (std::size_t i : ShapeColumns(family)) {
      shape += (shape.empty() ? "" : "/") + row.shape.cells[i];
    }
    text += shape + " x" + std::to_string(row.count) + " " + row.target.gfx + ":" +
            std::to_string(row.target.cu_num) + "\n";
  }
  return text;
}

std::string Rejected(const UntunedTable& table) {
  std::string text;
  for (const RowIssue& issue : table.rejected) {
    text += std::to_string(issue.line) + " " + issue.column + " " + issue.code + "; ";
  }
  return text;
}

std::string ReadUntuned(std::string_view name, std::string_view csv, const Target& target = {}) {
  const Family& family = ShippedFamily(name);
  const auto table = ReadUntunedTable(family, csv, target, kMaxRows);
  if (!table.ok()) return table.error().code + ": " + table.error().detail;
  return Rows(family, *table) + Rejected(*table);
}

TEST(UntunedTable, is_read_with_blanks_counts_targets_and_defaults) {
  EXPECT_EQ(ReadUntuned("a8w8_blockscale", "M,N,K\n16, 1536, 7168\n128,24576,1536\n"),
            "16/1536/7168 x1 :0\n128/24576/1536 x1 :0\n");
  EXPECT_EQ(ReadUntuned("a8w8_blockscale",
                        "count,K,N,M,gfx,cu_num\n3,5120,1280,37,gfx942:sramecc+:xnack-,80\n"
                        ",5120,1280,38,,\n",
                        {"gfx950", 256}),
            "37/1280/5120 x3 gfx942:80\n38/1280/5120 x1 gfx950:256\n");
  EXPECT_EQ(ReadUntuned("a8w8", "M,N,K\n1,2,3\n"), "1/2/3/torch.int8 x1 :0\n");
  EXPECT_EQ(ReadUntuned("a8w8_bpreshuffle", "M,N,K\n1,2,3\n", {"gfx942", 80}),
            "1/2/3/torch.float8_e4m3fnuz x1 gfx942:80\n");
  EXPECT_EQ(ReadUntuned("a8w8_bpreshuffle", "M,N,K\n1,2,3\n", {"gfx950", 256}),
            "1/2/3/torch.float8_e4m3fn x1 gfx950:256\n");
}

TEST(UntunedTable, rejects_rows_by_line_and_column_and_files_by_their_header) {
  EXPECT_EQ(ReadUntuned(
                "a8w8_blockscale",
                "M,N,K,count\n0,1,1,1\n1,x,1,1\n1,1,,1\n1,1,1,0\n1,1,1,1000000001\n1,1\n4,5,6,7\n"),
            "4/5/6 x7 :0\n2 M out_of_range; 3 N not_an_integer; 4 K empty_key; "
            "5 count out_of_range; 6 count out_of_range; 7  ragged_row; ");
  EXPECT_EQ(ReadUntuned("a8w8_blockscale", "M,N,K,gfx,cu_num\n1,1,1,GFX!,1\n1,1,1,gfx942,4097\n"),
            "2 gfx bad_gfx; 3 cu_num out_of_range; ");
  EXPECT_TRUE(ReadUntuned("a8w8_blockscale", "").starts_with("empty_table"));
  EXPECT_TRUE(ReadUntuned("a8w8_blockscale", "M,N\n1,1\n")
                  .starts_with("missing_column: line 1: the column 'K'"));
  EXPECT_TRUE(ReadUntuned("a8w8_blockscale", "M,N,K,us\n1,1,1,1\n").starts_with("unknown_column"));
  EXPECT_TRUE(ReadUntuned("a8w8_blockscale", "M,N,K,M\n1,1,1,1\n").starts_with("duplicate_column"));
  EXPECT_EQ(
      ErrorCode(ReadUntunedTable(ShippedFamily("a8w8_blockscale"), "M,N,K\n1,1,1\n2,1,1\n", {}, 1)),
      "too_many_rows");
}

TEST(UntunedTable, goes_out_under_the_untuned_header_with_the_target_where_that_has_one) {
  const Family& family = ShippedFamily("chunk_gdn_h");
  std::vector<NamedCell> cells;
  for (std::size_t i : ShapeColumns(family)) {
    cells.push_back(
        {family.columns[i].name, family.columns[i].type == Type::kBoolean ? "True" : "1"});
  }
  FamilyShape shape;
  const auto issue = MakeShape(family, "gfx942", cells, 1, shape);
  ASSERT_FALSE(issue) << issue->column << " " << issue->detail;
  const std::string csv = WriteUntunedTable(family, {"gfx942", 80}, std::vector{shape});
  std::string header;
  for (const auto& name : family.untuned_columns) header += (header.empty() ? "" : ",") + name;
  EXPECT_TRUE(csv.starts_with(header + "\ngfx942,80,1,")) << csv;
  const auto again = Must(ReadUntunedTable(family, csv, {}, kMaxRows));
  ASSERT_EQ(again.rows.size(), 1U);
  EXPECT_EQ(again.rows[0].shape, shape);
  EXPECT_EQ(again.rows[0].target, (Target{"gfx942", 80}));
}

TEST(UntunedTable, order_keys_are_those_of_the_tuned_rows_and_tell_shapes_apart) {
  const Family& family = ShippedFamily("a8w8_blockscale");
  const auto shape = [&](std::string_view m) {
    const NamedCell cells[] = {{"M", m}, {"N", "1280"}, {"K", "5120"}};
    FamilyShape made;
    EXPECT_FALSE(MakeShape(family, "", cells, 1, made));
    return made;
  };
  EXPECT_EQ(OrderKeyOf(family, shape("16"), "", 0), OrderKeyOf(family, shape("16.0"), "", 0));
  EXPECT_LT(OrderKeyOf(family, shape("16"), "", 0), OrderKeyOf(family, shape("128"), "", 0));
  const auto table = Must(
      ReadTunedTable(family, test::ShippedTargets(),
                     "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
                     "gfx942,304,16,1280,5120,ck,1,0,10.0,a,1,1,0.0\n"));
  EXPECT_EQ(OrderKeyOf(family, shape("16"), "gfx942", 304), table.rows.at(0).order);
}

TEST(UntunedTable, reads_every_row_of_the_real_tables) {
  const auto files = test::RealUntunedFiles();
  if (files.empty()) GTEST_SKIP() << test::NoRealTables();
  std::size_t rows = 0;
  for (const auto& file : files) {
    const std::string text = test::ReadText(file);
    for (const auto& family : test::ShippedFamilies().all()) {
      const auto table = ReadUntunedTable(*family, text, {}, 100'000);
      if (!table.ok()) continue;  // the file belongs to another family
      EXPECT_EQ(Rejected(*table), "") << file << " as " << family->name;
      rows += table->rows.size();
    }
  }
  EXPECT_GT(rows, 3000U);
}

// `tune -i` also accepts tuned tables, and column names in any case.
TEST(UntunedTable, other_columns_are_passed_over_where_that_is_asked_for) {
  const Family& family = ShippedFamily("a8w8_blockscale");
  const auto read = [&](std::string_view csv) {
    const auto table = ReadUntunedTable(family, csv, {}, kMaxRows, OtherColumns::kPassOver);
    return table.ok() ? Rows(family, *table) + Rejected(*table) : table.error().code;
  };
  EXPECT_EQ(read("gfx,cu_num,M,N,K,libtype,us\ngfx942,304,16,1536,7168,ck,9.5\n"),
            "16/1536/7168 x1 gfx942:304\n");
  EXPECT_EQ(read("m,n,k,note\n16,1536,7168,x\n"), "16/1536/7168 x1 :0\n");
  EXPECT_EQ(read("M,N,note\n16,1536,x\n"), "missing_column");
  EXPECT_EQ(read("M,N,K\n0,1536,7168\n"), "2 M out_of_range; ");
  EXPECT_EQ(ReadUntuned("a8w8_blockscale", "M,N,K,note\n").substr(0, 14), "unknown_column");
}

}  // namespace
}  // namespace tunehub::core
