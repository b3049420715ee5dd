// Random damage to small tables: the reader never crashes, loses no row and makes up none, and what
// it accepts can be written and read again.
#include <gtest/gtest.h>

#include <random>

#include "core/table/csv.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

const std::string kGemm =
    "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
    "gfx942,304,16,1280,8192,ck,7,0,4.8294,k,4.0,2.0,0.0\n"
    "gfx950,256,1,2,3,cktile,-1,3,inf,\"a,b\",0,0,3.8%\r\n"
    "\n# a comment\n,,,\n"
    "gfx942:xnack-,80.0, 1 ,2,3,0,7,0,-1,FAILED: x,,,\n";
const std::string kFmoe =
    "cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
    "use_g1u1,doweight_stage1,block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,"
    "run_1stage,xbf16,flat,tflops,bw,_tag\n"
    "256,64,7168,256,8,2,ActivationType.Silu,torch.bfloat16,torch.int8,torch.int8,QuantType.No,1,0,"
    "32,0,10,k1,0.0%,5,k2,0.3%,15,0,0,2,5.2,26.4,\n"
    "80,64,7168,256,8,2,ActivationType.Gelu,torch.bfloat16,torch.int8,torch.int8,QuantType.No,1,0,"
    "32,0,10,k1,0.0%,5,k2,0.3%,15,0,0,5.2,26.4,\n"
    "304,64,7168,256,8,2,ActivationType.Silu,torch.bfloat16,torch.int8,torch.int8,QuantType.No,1,0,"
    "32,0,10,k1,0.0%,5,Null,nan,15,0,0,2,5.2,26.4\n";

std::string Damaged(std::string text, std::mt19937& random) {
  static const std::string kBytes =
      ",,,\"\"\n\n\r# 0123456789.-+%:eTFnx_\t\x01\x7F\x80\xC3\xA9\xFF";
  for (auto changes = 1 + random() % 6; changes > 0; --changes) {
    const std::size_t at = random() % text.size();
    const char byte = kBytes[random() % kBytes.size()];
    switch (random() % 4) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.insert(at, 1, byte);
        break;
      case 2:
        text.erase(at, 1 + random() % 3);
        break;
      default:
        text.insert(at, text.substr(random() % text.size(), random() % 40));
    }
    if (text.empty()) return "x";
  }
  return text;
}

// How many records follow the header; the reader under test must account for each.
std::size_t RecordsOf(std::string_view text) {
  CsvReader reader(text);
  CsvRecord record;
  std::size_t records = 0;
  for (;;) {
    const auto more = reader.Next(record);
    if (!more.ok() || !*more) return records - 1;
    ++records;
  }
}

void CheckServed(const Family& family, const TunedTable& table) {
  for (const Row& row : table.rows) {
    ASSERT_EQ(row.line.find_first_of("\r\n"), std::string::npos) << row.line;
    ASSERT_FALSE(row.gfx.empty());
    if (row.reason.starts_with("shifted_columns")) continue;
    std::string scratch;
    ASSERT_EQ(SplitLine(row.line, scratch).size(), family.columns.size()) << row.line;
    const auto again = ReadTunedTable(family, test::ShippedTargets(),
                                      family.Header(true) + "\n" + row.line + "\n");
    ASSERT_TRUE(again.ok() && again->rows.size() == 1) << row.line;
    EXPECT_EQ(again->rows[0].line, row.line);
    EXPECT_EQ(again->rows[0].key, row.key) << row.line;
    EXPECT_EQ(again->rows[0].order, row.order) << row.line;
    EXPECT_EQ(again->rows[0].standing, row.standing) << row.line;
  }
  for (const RowIssue& issue : table.rejected) {
    ASSERT_TRUE(CheckTableText(issue.detail + "\n" + issue.column).ok()) << issue.detail;
  }
}

void Fuzz(const Family& family, const std::string& text, unsigned seed, std::size_t rounds) {
  std::mt19937 random(seed);
  std::size_t read = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::string damaged = Damaged(text, random);
    const auto table = ReadTunedTable(family, test::ShippedTargets(), damaged);
    if (!table.ok()) {
      ASSERT_FALSE(table.error().code.empty());
      continue;
    }
    ++read;
    ASSERT_EQ(table->rows.size() + table->rejected.size(), RecordsOf(damaged)) << damaged;
    CheckServed(family, *table);
    if (testing::Test::HasFatalFailure()) FAIL() << "round " << round << ":\n" << damaged;
  }
  EXPECT_GT(read, rounds / 10) << "most damage hits the header: too little was tested";
}

TEST(TunedTableFuzz, DamagedGemmTablesAreReadOrRefused) {
  Fuzz(test::ShippedFamily("a8w8_blockscale"), kGemm, 1, 4000);
}

TEST(TunedTableFuzz, DamagedMoeTablesAreReadOrRefused) {
  Fuzz(test::ShippedFamily("fmoe"), kFmoe, 2, 4000);
}

}  // namespace
}  // namespace tunehub::core
