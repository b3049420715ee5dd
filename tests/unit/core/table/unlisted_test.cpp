// The hub stores a table that no family describes as lines, and serves these lines.
#include <gmock/gmock.h>

#include "core/table/detect.h"
#include "core/table/tuned_table.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Families& All() {
  return test::ShippedFamilies();
}

TunedTable Read(const UnlistedFile& file) {
  const auto lines = ReadUnlisted(*All().Unlisted(), file);
  EXPECT_TRUE(lines.ok()) << lines.error().detail;
  auto table = ReadTunedTable(*All().Unlisted(), test::ShippedTargets(), lines->csv);
  EXPECT_TRUE(table.ok()) << table.error().detail;
  for (const RowIssue& issue : table->rejected) ADD_FAILURE() << issue.column << issue.detail;
  return *std::move(table);
}

std::string Written(const TunedTable& table) {
  std::vector<std::string_view> lines;
  for (const Row& row : table.rows) lines.push_back(row.line);
  return WriteUnlisted(*All().Unlisted(), lines);
}

const std::string kText =
    "# made by hand\n"
    "gfx,cu_num,M,N,K,frob,us,kernelName\n"
    "gfx950,256,16,512,7168,fp4,15.226,frob_32x64\n"
    "# in between\n"
    "gfx950,256,1,512,7168,fp4,14.9,\"frob<1, 2>\"\n";

TEST(Unlisted, a_table_comes_out_as_it_came_in_for_any_target_that_it_does_not_name) {
  EXPECT_EQ(Written(Read({"aiter/configs/frob_tuned_gemm.csv", kText, ""})), kText);
  const std::string header = "gfx,cu_num,B,M,us\n";
  EXPECT_EQ(Written(Read({"aiter/configs/frob_tuned_bmm.csv", header, ""})), header);
  const auto table = Read({"configs/frob_tuned.csv", "arch,sq,duration\ngfx942,1,3.5\n", ""});
  EXPECT_EQ(table.rows[0].gfx, "gfx942");
  EXPECT_EQ(table.rows[0].cu_num, 0);
  EXPECT_EQ(table.rows[0].us, 3.5);
  EXPECT_EQ(Read({"configs/frob_tuned.csv", "sq,n\n1,3.5\n", ""}).rows[0].gfx, "any");
  EXPECT_EQ(Read({"configs/frob_tuned.csv", "cu_num,n\n304,3\n", ""}).rows[0].gfx, "gfx942");
}

TEST(Unlisted, its_key_is_what_its_untuned_table_asks_for) {
  const auto table = Read({"configs/frob_tuned_gemm.csv", kText, "M,N,K,frob\n"});
  std::set<std::string> orders;
  for (const Row& row : table.rows) orders.insert(row.order);
  ASSERT_EQ(orders.size(), 4u);
  EXPECT_THAT(table.rows[2].line, HasSubstr("M=16;N=512;K=7168;frob=fp4"));
  EXPECT_EQ(table.rows[2].gfx, "gfx950");
  EXPECT_EQ(table.rows[2].cu_num, 256);
  EXPECT_EQ(table.rows[2].us, 15.226);
  const std::string again =
      "gfx,cu_num,M,N,K,frob,us,kernelName\n"
      "gfx950,256,16.0,512,7168,fp4,9.5,other\n";
  const auto other = Read({"configs/frob_tuned_gemm.csv", again, "M,N,K,frob\n"});
  EXPECT_EQ(other.rows[0].key, table.rows[2].key);
  EXPECT_NE(other.rows[0].candidate, table.rows[2].candidate);
  const auto unkeyed = Read({"configs/frob_tuned_gemm.csv", again, ""});
  EXPECT_NE(unkeyed.rows[0].key, other.rows[0].key);
}

TEST(Unlisted, files_of_one_name_with_other_columns_get_all_of_them) {
  auto table = Read({"configs/x_tuned.csv", "gfx,M,us\ngfx942,1,5\n", "M\n"});
  auto more = Read({"configs/model_configs/x_tuned.csv", "gfx,M,split,us\ngfx942,2,3,6\n", "M\n"});
  table.rows.push_back(more.rows[0]);
  EXPECT_EQ(Written(table), "gfx,M,us,split\ngfx942,1,5,\ngfx942,2,6,3\n");
}

TEST(Unlisted, only_what_no_family_has_is_carried) {
  const auto stem = [](std::string_view path) { return UnlistedStem(All(), path); };
  EXPECT_EQ(stem("aiter/configs/frob_moe.csv"), "frob_moe");
  EXPECT_EQ(stem("aiter/configs/model_configs/dsv9_frob.csv"), "dsv9_frob");
  EXPECT_EQ(stem("frob_tuned_gemm.csv"), "frob_tuned_gemm");
  for (const char* const path :
       {"aiter/configs/a8w8_blockscale_tuned_gemm.csv", "aiter/configs/frob_untuned_gemm.csv",
        "aiter/configs/model_configs/sub/frob.csv", "notes.csv", "tuned_2.csv",
        "aiter/configs/frob.txt", "aiter/configs/.csv", "aiter/configs/a b.csv",
        "aiter/configs/..csv"}) {
    EXPECT_EQ(stem(path), "") << path;
  }
  EXPECT_EQ(UntunedName("tuned/a_tuned_gemm.csv"), "tuned/a_untuned_gemm.csv");
  EXPECT_EQ(UntunedName("tuned/a.csv"), "");
}

TEST(Unlisted, what_is_no_table_is_refused_and_what_calls_is_rejected) {
  const auto code = [](std::string_view text) {
    const auto table = ReadUnlisted(*All().Unlisted(), {"configs/x_tuned.csv", text, ""});
    return table.ok() ? std::string("read") : table.error().code;
  };
  EXPECT_EQ(code(""), "empty_table");
  EXPECT_EQ(code("version https://git-lfs.github.com/spec/v1\n"), "bad_header");
  EXPECT_EQ(code("gfx,M,M\n"), "duplicate_column");
  EXPECT_EQ(code("gfx,os.system(1)\n"), "bad_header");
  const auto lines =
      Must(ReadUnlisted(*All().Unlisted(), {"configs/x_tuned.csv",
                                            "# one\ngfx,dtype\n\ngfx942,__import__('os')\n"
                                            "gfx942,fp8,3\ngfx942,fp8\n",
                                            ""}));
  EXPECT_THAT(lines.lines, ElementsAre(1, 4, 6));
  ASSERT_EQ(lines.rejected.size(), 1u);
  EXPECT_EQ(lines.rejected[0].line, 5u);
  const auto table = Must(ReadTunedTable(*All().Unlisted(), test::ShippedTargets(), lines.csv));
  ASSERT_EQ(table.rejected.size(), 1u);
  EXPECT_EQ(table.rejected[0].code, "bad_text");
  EXPECT_EQ(table.rejected[0].line, 3u);
}

TEST(FamilyDraft, a_draft_is_a_family_that_reads_its_table) {
  const std::string text =
      "gfx,cu_num,M,N,K,a_dtype,libtype,kernelId,splitK,us,kernelName,errRatio\n"
      "gfx950,256,16,512,7168,fp4,asm,-1,0,15.226,frob_1,0.0\n";
  const auto draft = Must(DraftFamily("configs/frob_tuned_gemm.csv", text, "M,N,K,a_dtype\n"));
  const auto family = Must(ParseFamily("frob.json", draft));
  EXPECT_EQ(family.name, "frob");
  EXPECT_THAT(family.untuned_columns, ElementsAre("M", "N", "K", "a_dtype"));
  const auto table = Must(ReadTunedTable(family, test::ShippedTargets(), text));
  EXPECT_EQ(table.rejected.size(), 0u);
  EXPECT_EQ(table.rows[0].us, 15.226);
  EXPECT_NE(Must(DraftFamily("frob_tuned.csv", text, "")), draft);
  EXPECT_FALSE(DraftFamily("x_tuned.csv", "a,b\n1,2\n", "").ok());
}

}  // namespace
}  // namespace tunehub::core
