#include "core/lookup/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/row/cell.h"
#include "core/table/table_writer.h"
#include "tests/support/aiter_merge.h"
#include "tests/support/lookup.h"
#include "tests/support/shipped.h"
#include "tests/support/tables.h"

namespace tunehub::lookup {
namespace {

using test::ShapeOf;
using test::ShippedFamily;

// A small table of a family. Prints answers as text: "exact@40 gl0@48 -> gl0 kernel".
class Asked {
 public:
  Asked(const char* family, const std::string& csv)
      : family_(ShippedFamily(family)),
        read_(test::ReadTable(family, csv)),
        table_(family_, test::ServedRows(read_)) {}

  LookupAnswer Find(const test::CellList& cells, const char* gfx = "gfx942",
                    int cu_num = 304) const {
    return table_.Find(ShapeOf(family_, cells), gfx, cu_num);
  }
  std::string Text(const LookupAnswer& answer) const {
    std::string text;
    for (const Attempt& it : answer.tried) {
      text += std::string(Name(it.step)) + "@" + std::to_string(it.m) + " ";
    }
    text += "-> " + std::string(Name(answer.step));
    if (!answer.found()) return text;
    std::string scratch;
    const auto cells = core::SplitLine(table_.rows()[answer.row].line, scratch);
    return text + " " + std::string(cells[family_.kernel_columns.at(0)]);
  }
  const Table& table() const { return table_; }
  const core::Family& family() const { return family_; }

 private:
  const core::Family& family_;
  core::TunedTable read_;
  Table table_;
};

std::string GemmRow(int m, int n, const std::string& kernel, const std::string& us = "500.0") {
  return "gfx942,304," + std::to_string(m) + "," + std::to_string(n) + ",5120,ck,0,0," + us + "," +
         kernel + ",0,0,0.0\n";
}
TEST(DispatchTable, tries_the_exact_m_then_the_fine_grid_then_the_coarse_one) {
  const Asked asked("a8w8_blockscale", test::kBlockscaleHeader + GemmRow(100, 1280, "at100") +
                                           GemmRow(112, 1280, "at112") +
                                           GemmRow(128, 1280, "at128"));
  const auto find = [&](const char* m) {
    return asked.Text(asked.Find({{"M", m}, {"N", "1280"}, {"K", "5120"}}));
  };
  EXPECT_EQ(find("100"), "exact@100 -> exact at100");
  EXPECT_EQ(find("99"), "exact@99 gl0@112 -> gl0 at112");
  EXPECT_EQ(find("112"), "exact@112 -> exact at112");
  EXPECT_EQ(find("120"), "exact@120 gl0@128 -> gl0 at128");
  EXPECT_EQ(find("90"), "exact@90 gl0@96 gl1@128 -> gl1 at128");
  EXPECT_EQ(find("129"), "exact@129 gl0@144 gl1@256 -> default");
  EXPECT_EQ(find("144"), "exact@144 gl1@256 -> default") << "144 is a point of the fine grid";
}

TEST(DispatchTable, the_coarse_grid_ends_at_8192_where_n_is_large) {
  const Asked asked("a8w8_blockscale", test::kBlockscaleHeader +
                                           GemmRow(8192, 5120, "wide", "9000.0") +
                                           GemmRow(8192, 4096, "narrow", "9000.0"));
  const auto find = [&](const char* n) {
    return asked.Text(asked.Find({{"M", "70001"}, {"N", n}, {"K", "5120"}}));
  };
  EXPECT_EQ(find("5120"), "exact@70001 gl0@70016 gl1@8192 -> gl1 wide");
  EXPECT_EQ(find("4096"), "exact@70001 gl0@70016 gl1@131072 -> default");
}

TEST(DispatchTable, names_what_the_later_steps_would_have_found) {
  const Asked asked("a8w8_blockscale", test::kBlockscaleHeader + GemmRow(100, 1280, "at100") +
                                           GemmRow(112, 1280, "at112") +
                                           GemmRow(128, 1280, "at128"));
  const LookupAnswer answer = asked.Find("M=100 N=1280 K=5120");
  ASSERT_EQ(answer.also.size(), 2U);
  EXPECT_EQ(answer.also[0].step, Step::kGl0);
  EXPECT_EQ(answer.also[1].step, Step::kGl1);
  EXPECT_EQ(answer.also[1].row, 2U);
}

TEST(DispatchTable, another_target_n_or_k_is_no_row) {
  const Asked asked("a8w8_blockscale", test::kBlockscaleHeader + GemmRow(16, 1280, "k"));
  EXPECT_TRUE(asked.Find("M=16 N=1280 K=5120").found());
  EXPECT_FALSE(asked.Find("M=16 N=5120 K=1280").found());
  EXPECT_FALSE(asked.Find("M=16 N=1280 K=5120", "gfx950", 304).found());
  EXPECT_FALSE(asked.Find("M=16 N=1280 K=5120", "gfx942", 80).found());
}

TEST(DispatchTable, a_batched_lookup_is_exact_only) {
  const Asked asked("batched_a8w8",
                    "gfx,cu_num,B,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
                    "gfx942,304,16,32,1280,8192,1,0,500.0,k,0,0,0.0\n");
  EXPECT_EQ(asked.Text(asked.Find("B=16 M=32 N=1280 K=8192")), "exact@0 -> exact k");
  EXPECT_FALSE(asked.Find("B=16 M=31 N=1280 K=8192").found());
}

TEST(DispatchTable, a_table_without_cu_counts_answers_every_count) {
  const Asked asked("batched_a8w8_blockscale_mxscale",
                    "gfx,b,m,n,k,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
                    "gfx942,8,16,1024,4096,opus,1,0,500.0,k,0,0,0.0\n");
  const auto answer = asked.Find("b=8 m=9 n=1024 k=4096");
  EXPECT_EQ(asked.Text(answer), "exact@9 gl0@16 -> gl0 k");
}

const std::string kMoeHeader =
    "gfx,cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
    "use_g1u1,doweight_stage1,block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,"
    "run_1stage,xbf16,flat,tflops,bw,_tag\n";
std::string MoeRow(const std::string& token, const std::string& act, const std::string& kernel,
                   const std::string& tag = "") {
  return "gfx942,304," + token + ",7168,256,257,9,ActivationType." + act +
         ",torch.bfloat16,torch.float8_e4m3fnuz,torch.float8_e4m3fnuz,QuantType.per_1x128,1,0,32,0,"
         "900.0," +
         kernel + ",0.0%,900.0,k2,0.0%,1800.0,0,0,0,0,0," + tag + "\n";
}
core::FamilyShape MoeShape(const Asked& asked, const char* token, const char* act) {
  return ShapeOf(asked.family(),
                 std::string("token=") + token +
                     " model_dim=7168 inter_dim=256 expert=257 topk=9 act_type=" + act +
                     " dtype=torch.bfloat16 q_dtype_a=torch.float8_e4m3fnuz "
                     "q_dtype_w=torch.float8_e4m3fnuz q_type=QuantType.per_1x128 use_g1u1=1 "
                     "doweight_stage1=0");
}
LookupAnswer FindMoe(const Asked& asked, const char* token) {
  return asked.table().Find(MoeShape(asked, token, "ActivationType.Silu"), "gfx942", 304);
}

TEST(DispatchTable, tokens_go_to_their_tier_and_from_the_last_to_the_one_below) {
  const Asked asked("fmoe", kMoeHeader + MoeRow("1024", "Silu", "t1024") +
                                MoeRow("1000", "Silu", "t1000") +
                                MoeRow("32768", "Silu", "t32768"));
  EXPECT_EQ(asked.Text(FindMoe(asked, "1024")), "exact@1024 -> exact t1024");
  EXPECT_EQ(asked.Text(FindMoe(asked, "1000")), "tier@1024 -> tier t1024")
      << "lookups find only rows at a tier";
  EXPECT_EQ(asked.Text(FindMoe(asked, "40000")), "tier@32768 -> tier t32768");
  EXPECT_EQ(asked.Text(FindMoe(asked, "500000")),
            "tier@131072 lower_tier@32768 -> lower_tier t32768");
  EXPECT_EQ(asked.Text(FindMoe(asked, "2000")), "tier@2048 -> default");
}

TEST(DispatchTable, a_moe_lookup_leaves_the_activation_out_and_drops_fallback_rows) {
  const Asked asked("fmoe", kMoeHeader + MoeRow("16", "Silu", "dropped", "flydsl_fallback") +
                                MoeRow("16", "Silu", "silu", "tag") + MoeRow("16", "Gelu", "gelu"));
  const auto shape = MoeShape(asked, "16", "ActivationType.Gelu");
  const LookupAnswer answer = asked.table().Find(shape, "gfx942", 304);
  EXPECT_EQ(asked.Text(answer), "exact@16 -> exact silu")
      << "the first row of the key, ignoring the activation";
  EXPECT_EQ(NotCompared(asked.family(), shape, asked.table().rows()[answer.row].line),
            std::vector<std::size_t>{asked.family().Find("act_type")});
}

// Returns the rows `moe` in lookup order. "Silu 90 +": activation, time, + if the row is
// upstream's.
std::string FoundFirst(const std::vector<std::string>& moe) {
  static const std::string kSilu = "ActivationType.Silu";
  std::vector<std::string> lines;
  std::vector<TableRow> rows;
  for (const std::string& row : moe) {
    std::string line = "gfx942,304,16,4096,1536,128,8," + kSilu + ",torch.bfloat16";
    line.replace(line.find("Silu"), 4, row.substr(0, 4));
    for (std::size_t i = 9; i < ShippedFamily("fmoe").columns.size(); ++i) line += ",";
    lines.push_back(line);
  }
  for (std::size_t i = 0; i < moe.size(); ++i) {
    const std::string time = moe[i].substr(5, moe[i].size() - 7);
    const auto us = core::ParseNumber(time);
    rows.push_back({lines[i], us.value_or(std::nan("")),
                    us ? core::Standing::kMeasured : core::Standing::kUnmeasured, false,
                    moe[i].ends_with('+')});
  }
  std::string text;
  for (const std::size_t i : LookupOrder(ShippedFamily("fmoe"), rows)) text += moe[i] + "; ";
  return text;
}

TEST(DispatchTable, OfRowsThatALookupCannotTellApartAStrangersIsFirstWhereItIsTheFastest) {
  EXPECT_EQ(FoundFirst({"Silu 90 +", "Gelu 80 +"}), "Silu 90 +; Gelu 80 +; ")
      << "upstream's rows keep the keys' order";
  EXPECT_EQ(FoundFirst({"None 99 -", "Silu 90 +"}), "Silu 90 +; None 99 -; ");
  EXPECT_EQ(FoundFirst({"None 70 -", "Silu 90 +"}), "None 70 -; Silu 90 +; ");
  EXPECT_EQ(FoundFirst({"Silu 99 -", "Gelu 90 +", "Situ no -"}),
            "Gelu 90 +; Silu 99 -; Situ no -; ");
  EXPECT_EQ(FoundFirst({"None 95 -", "Silu 90 +", "Gelu 60 +"}),
            "Silu 90 +; Gelu 60 +; None 95 -; ")
      << "upstream's rows keep their order";
  EXPECT_EQ(FoundFirst({"None 70 -", "Silu 90 +", "Gelu 60 +"}),
            "Silu 90 +; Gelu 60 +; None 70 -; ");
  EXPECT_EQ(FoundFirst({"Silu 90 -", "Gelu 80 -"}), "Gelu 80 -; Silu 90 -; ")
      << "without upstream's rows, the fastest row is first";
  EXPECT_EQ(FoundFirst({"Silu no -", "Gelu no +"}), "Gelu no +; Silu no -; ");
  EXPECT_EQ(FoundFirst({"Silu no +", "Gelu 90 -"}), "Gelu 90 -; Silu no +; ");
}

const std::string kGroupedHeader =
    "gfx,cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
    "use_g1u1,doweight_stage1,tile_m,kernelName1,kernelName2,us\n";
std::string GroupedRow(const std::string& cu_num, const std::string& use_g1u1,
                       const std::string& us, const std::string& kernel) {
  return "gfx1250," + cu_num +
         ",64,7168,3072,96,6,ActivationType.Silu,torch.bfloat16,"
         "torch.float8_e4m3fn,torch.float4_e2m1fn_x2,QuantType.per_1x32," +
         use_g1u1 + ",0,64," + kernel + ",k2," + us + "\n";
}

LookupAnswer FindGrouped(const Asked& asked, const char* token, int cu_num) {
  return asked.Find(std::string("token=") + token +
                        " model_dim=7168 inter_dim=3072 expert=96 topk=6 "
                        "act_type=ActivationType.Silu dtype=torch.bfloat16 "
                        "q_dtype_a=torch.float8_e4m3fn q_dtype_w=torch.float4_e2m1fn_x2 "
                        "q_type=QuantType.per_1x32 use_g1u1=1 doweight_stage1=0",
                    "gfx1250", cu_num);
}

TEST(DispatchTable, a_grouped_lookup_takes_the_lowest_time_and_other_cu_counts_in_a_second_pass) {
  const Asked asked("grouped_fmoe", kGroupedHeader + GroupedRow("256", "1", "900.0", "slow") +
                                        GroupedRow("256", "0", "800.0", "fast") +
                                        GroupedRow("96", "1", "700.0", "elsewhere"));
  const auto find = [&](int cu_num, const char* token) {
    return FindGrouped(asked, token, cu_num);
  };
  EXPECT_EQ(asked.Text(find(256, "64")), "exact@64 -> exact fast");
  EXPECT_FALSE(find(256, "64").without_cu_num);
  EXPECT_EQ(asked.Text(find(128, "33")), "tier@64 -> tier elsewhere");
  EXPECT_TRUE(find(128, "33").without_cu_num);
  EXPECT_FALSE(find(256, "65").found());
}

TEST(DispatchTable, a_grouped_lookup_of_the_last_tier_does_not_fall_back) {
  const Asked asked(
      "grouped_fmoe",
      kGroupedHeader +
          "gfx1250,256,32768,7168,3072,96,6,ActivationType.Silu,torch.bfloat16,torch.float8_e4m3fn,"
          "torch.float4_e2m1fn_x2,QuantType.per_1x32,1,0,64,k1,k2,900\n");
  EXPECT_TRUE(FindGrouped(asked, "131071", 256).found());
  EXPECT_FALSE(FindGrouped(asked, "131072", 256).found());
}

// The hash of AITER's compiled tables, for every shape of the real tables.

using Numbers = std::vector<std::int64_t>;

// Combines the numbers as AITER's description says.
std::uint64_t ByAiter(const std::string& gfx, const Numbers& numbers) {
  std::uint64_t h = std::hash<std::string>()(gfx);
  for (const std::int64_t x : numbers) {
    const std::uint64_t hx = std::hash<int>()(static_cast<int>(x));
    h = h ^ (hx + 0x9e3779b9ULL + (h * 64) + (h / 4));
  }
  return h;
}

TEST(DispatchHash, permuted_numbers_and_other_targets_differ) {
  std::set<std::uint64_t> hashes;
  for (const char* gfx : {"gfx942", "gfx950"}) {
    for (const int cu_num : {304, 256, 80}) {
      Numbers sizes = {1024, 2048, 4096};
      do hashes.insert(HashOf(gfx, {cu_num, sizes[0], sizes[1], sizes[2]}));
      while (std::ranges::next_permutation(sizes).found);
    }
  }
  EXPECT_EQ(hashes.size(), 36U);
}

// The shape keys of all matrix products in the real tables of all families.
std::set<std::pair<std::string, Numbers>> RealKeys() {
  std::set<std::pair<std::string, Numbers>> keys;
  for (const auto& family : test::AiterFamilies()) {
    if (family->metric.formula != "gemm") continue;
    std::vector<std::string> texts, columns;
    for (const auto& file : test::AiterFilesOf(*family)) texts.push_back(test::ReadText(file));
    if (family->cu_num != core::kNoColumn) columns.push_back("cu_num");
    const core::Metric& metric = family->metric;
    for (const std::size_t column : {metric.batch, metric.m, metric.n, metric.k}) {
      if (column != core::kNoColumn) columns.push_back(family->columns[column].name);
    }
    for (const test::AiterRow& row : test::AiterRows(texts)) {
      Numbers numbers;
      for (const std::string& column : columns) numbers.push_back(std::stoll(row.At(column)));
      keys.emplace(row.At("gfx"), std::move(numbers));
    }
  }
  return keys;
}

TEST(DispatchHash, no_two_shapes_of_the_real_tables_share_a_hash) {
  if (test::RealTunedFiles().empty()) GTEST_SKIP() << test::NoRealTables();
  const auto keys = RealKeys();
  std::set<std::uint64_t> hashes, by_aiter;
  for (const auto& [gfx, numbers] : keys) {
    hashes.insert(HashOf(gfx, numbers));
    by_aiter.insert(ByAiter(gfx, numbers));
  }
  EXPECT_GT(keys.size(), 10'000U);
  EXPECT_EQ(hashes.size(), keys.size());
  EXPECT_LT(by_aiter.size(), keys.size()) << "AITER's formula has collisions";
}

}  // namespace
}  // namespace tunehub::lookup
