// A second implementation of the lookups that AITER added after August 2026. The tests compare
// lookups at, below and above every tuned M. A merge leaves the tables of these lookups unchanged.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/lookup/table.h"
#include "core/row/cell.h"
#include "core/table/detect.h"
#include "core/table/merge.h"
#include "core/table/table_writer.h"
#include "tests/support/aiter_merge.h"
#include "tests/support/lookup.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/support/tables.h"

namespace tunehub::lookup {
namespace {

using Numbers = std::vector<std::int64_t>;

const std::string kPlain = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";

struct NewerFile {
  const char* file;
  const char* family;
  std::size_t rows;
};

const NewerFile kFiles[] = {
    {"a6w4_asm_tuned_gemm.csv", "a6w4_asm", 57},
    {"a6w6_blockscale_tuned_gemm.csv", "a6w6_blockscale", 73},
    {"bf16_decode_gfx942_m1_m4_canary.csv", "bf16", 40},
    {"model_configs/a8w8_blockscale_tuned_gemm_gfx1201.csv", "a8w8_blockscale", 43},
    {"model_configs/dsv41_a16w8_mxfp8_asm_tuned_gemm.csv", "a16w8_mxfp8_asm", 34},
    {"model_configs/dsv4_a8w8_blockscale_mxscale_bpreshuffle_tuned_gemm.csv",
     "a8w8_blockscale_mxscale_bpreshuffle", 42},
    {"model_configs/dsv4_batched_gemm_a8w8_blockscale_mxscale_bpreshuffle_tuned.csv",
     "batched_a8w8_blockscale_mxscale_bpreshuffle", 40},
};

std::string NewerText(const std::string& file) {
  const auto path = test::RealDataFolder() / "aiter_2026_11/configs" / file;
  return std::filesystem::exists(path) ? test::ReadText(path) : "";
}

std::string NewerTextOf(const std::string& family) {
  for (const NewerFile& it : kFiles) {
    if (it.family == family) return NewerText(it.file);
  }
  return "";
}

// A table, its rows as numbers, and the answers of lookups in it.
class Question {
 public:
  Question(const std::string& family, const std::string& csv)
      : family_(test::ShippedFamily(family)),
        read_(test::ReadTable(family, csv)),
        table_(family_, test::ServedRows(read_)) {}

  // Looks up (M, N, K). Returns "nearest 16", the step and the found M, or "default" without a row.
  std::string At(const Numbers& mnk, const char* gfx, int cu_num) const {
    core::FamilyShape shape;
    shape.cells.assign(family_.columns.size(), "");
    for (const std::size_t i : family_.key_columns) {
      if (family_.columns[i].type == core::Type::kBoolean) shape.cells[i] = "False";
      if (family_.columns[i].type == core::Type::kEnum) shape.cells[i] = "torch.bfloat16";
    }
    const std::size_t columns[] = {family_.metric.m, family_.metric.n, family_.metric.k};
    for (std::size_t i = 0; i < 3; ++i) shape.cells[columns[i]] = std::to_string(mnk[i]);
    const LookupAnswer answer = table_.Find(shape, gfx, cu_num);
    const std::string step(Name(answer.step));
    if (!answer.found()) return step;
    std::string scratch;
    return step + " " +
           std::string(core::CellOf(table_.rows()[answer.row].line, columns[0], scratch));
  }

  std::vector<Numbers> Rows() const {
    std::vector<Numbers> rows;
    std::string scratch;
    for (const core::Row& row : read_.rows) {
      const core::Cells cells = core::SplitLine(row.line, scratch);
      Numbers numbers;
      for (const std::size_t i : {family_.metric.m, family_.metric.n, family_.metric.k}) {
        numbers.push_back(core::ParseInt64(cells[i]).value());
      }
      rows.push_back(std::move(numbers));
    }
    return rows;
  }

 private:
  const core::Family& family_;
  core::TunedTable read_;
  Table table_;
};

// For M from 1 to 64, the lookup finds the smallest tuned M that is not below M.
void ExpectAtOrAbove(const std::string& csv) {
  const Question asked("a16w8_mxfp8_asm", csv);
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> tuned;
  for (const Numbers& it : asked.Rows()) tuned[{it[1], it[2]}].insert(it[0]);
  for (const auto& [nk, all] : tuned) {
    for (const std::int64_t own : all) {
      for (const std::int64_t m : {own - 1, own, own + 1, std::int64_t{64}, std::int64_t{65}}) {
        if (m < 1) continue;
        const auto least = all.lower_bound(m);
        const bool found = m <= 64 && least != all.end();
        const std::string expected =
            !found ? "default" : (*least == m ? "exact " : "nearest ") + std::to_string(*least);
        EXPECT_EQ(asked.At({m, nk.first, nk.second}, "gfx942", 304), expected) << m;
      }
      EXPECT_EQ(asked.At({own, nk.first, nk.second}, "gfx950", 256), "default");
    }
  }
}

// The lookup finds the exact shape, else the shape rounded up to whole tiles.
void ExpectTiles(const std::string& family, const std::string& csv) {
  const Question asked(family, csv);
  const auto rows = asked.Rows();
  const std::set<Numbers> tuned(rows.begin(), rows.end());
  const auto up = [](std::int64_t value, std::int64_t tile) {
    return (value + tile - 1) / tile * tile;
  };
  for (const Numbers& row : rows) {
    for (const Numbers& off : {Numbers{0, 0, 0},
                               {-1, 0, 0},
                               {1, 0, 0},
                               {0, -1, 0},
                               {0, 0, -1},
                               Numbers{-255, -255, -127}}) {
      const Numbers at = {row[0] + off[0], row[1] + off[1], row[2] + off[2]};
      if (std::ranges::min(at) < 1) continue;
      const Numbers whole = {up(at[0], 256), up(at[1], 256), up(at[2], 128)};
      const std::string expected = tuned.contains(at)      ? "exact " + std::to_string(at[0])
                                   : tuned.contains(whole) ? "tiles " + std::to_string(whole[0])
                                                           : "default";
      EXPECT_EQ(asked.At(at, "gfx950", 256), expected) << at[0] << ' ' << at[1] << ' ' << at[2];
    }
  }
}

TEST(NewerLookups, the_smallest_tuned_m_at_or_above_is_found_up_to_64_rows_of_gfx942) {
  std::string csv = kPlain;
  for (const char* row : {"gfx942,304,1,512", "gfx942,304,12,512", "gfx942,304,48,512",
                          "gfx942,304,96,512", "gfx942,304,64,768"}) {
    csv += std::string(row) + ",5120,2,4,6.2,_ZN5aiter35a16w8gemm_bf16_mxfp8_xE,2,1,0.0\n";
  }
  const Question asked("a16w8_mxfp8_asm",
                       csv + "gfx950,256,16,512,5120,2,4,6.2,_ZN5aiter35a16w8gemm_xE,2,1,0.0\n");
  EXPECT_EQ(asked.At({13, 512, 5120}, "gfx942", 304), "nearest 48");
  EXPECT_EQ(asked.At({64, 512, 5120}, "gfx942", 304), "nearest 96");
  EXPECT_EQ(asked.At({96, 512, 5120}, "gfx942", 304), "default")
      << "AITER uses this lookup only up to 64 rows";
  EXPECT_EQ(asked.At({16, 512, 5120}, "gfx950", 256), "default")
      << "AITER uses this lookup only on gfx942";
  ExpectAtOrAbove(csv);
}

TEST(NewerLookups, the_shape_in_whole_tiles_is_found_where_the_very_shape_has_no_row) {
  std::string csv = kPlain;
  for (const char* row : {"512,768,256", "500,768,256", "256,256,128", "544,3072,3072"}) {
    csv += "gfx950,256," + std::string(row) + ",1,0,9.5,f6f4gemm_x,2,1,0.0\n";
  }
  for (const char* family : {"a6w6_blockscale", "a6w4_asm", "a4w6_asm"}) {
    const Question asked(family, csv);
    EXPECT_EQ(asked.At({500, 768, 256}, "gfx950", 256), "exact 500");
    EXPECT_EQ(asked.At({499, 700, 200}, "gfx950", 256), "tiles 512");
    EXPECT_EQ(asked.At({512, 768, 257}, "gfx950", 256), "default");
    EXPECT_EQ(asked.At({499, 700, 200}, "gfx950", 128), "default");
    ExpectTiles(family, csv);
  }
}

TEST(NewerLookups, a_decode_kernel_serves_its_very_m_and_none_that_is_padded_to_it) {
  const std::string csv =
      "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,splitK,us,"
      "kernelName,err_ratio,tflops,bw\n"
      "gfx942,304,4,896,7168,False,torch.bfloat16,torch.bfloat16,False,False,flydsl_decode,1,0,4.2,"
      "flydsl_decode_v1_x,0,3,3\n"
      "gfx942,304,2,512,7168,False,torch.bfloat16,torch.bfloat16,False,False,flydsl,1,0,4.2,"
      "flydsl_gemm_x,0,3,3\n"
      "gfx942,304,16,896,768,False,torch.bfloat16,torch.bfloat16,False,False,flydsl_decode,1,0,4.2,"
      "flydsl_decode_v1_y,0,3,3\n";
  const Question asked("bf16", csv);
  EXPECT_EQ(asked.At({4, 896, 7168}, "gfx942", 304), "exact 4");
  EXPECT_EQ(asked.At({3, 896, 7168}, "gfx942", 304), "default");
  EXPECT_EQ(asked.At({9, 896, 768}, "gfx942", 304), "default");
  EXPECT_EQ(asked.At({2, 512, 7168}, "gfx942", 304), "exact 2");
}

TEST(NewerLookups, the_real_tables_answer_as_stated) {
  if (NewerTextOf("a6w6_blockscale").empty()) GTEST_SKIP() << test::NoRealTables();
  ExpectAtOrAbove(NewerTextOf("a16w8_mxfp8_asm"));
  for (const char* family : {"a6w6_blockscale", "a6w4_asm"}) {
    ExpectTiles(family, NewerTextOf(family));
  }
  const Question decode("bf16", NewerTextOf("bf16"));
  const auto rows = decode.Rows();
  const std::set<Numbers> tuned(rows.begin(), rows.end());
  for (const Numbers& row : rows) {
    for (std::int64_t m = 1; m <= 16; ++m) {
      const Numbers at = {m, row[1], row[2]};
      const bool found = decode.At(at, "gfx942", 304) != "default";
      EXPECT_EQ(found, tuned.contains(at)) << m;
    }
  }
}

// The rows as texts. The tuner uses a group size for a square block, so the text contains the
// block.
std::multiset<std::string> Rows(const std::string& text) {
  std::multiset<std::string> rows;
  for (test::AiterRow row : test::AiterRows({text})) {
    if (const std::string group = row.At("groupSize"); !group.empty()) {
      row.cells["w_scale_block"] = group + "x" + group;
      row.cells.erase("groupSize");
    }
    std::string all;
    for (const auto& [column, cell] : row.cells) all += column + "=" + cell + " ";
    rows.insert(all);
  }
  return rows;
}

// The shape keys' columns are in no untuned table, so AITER's merge keeps every row.
TEST(NewerLookups, the_real_tables_come_out_as_they_went_in) {
  if (NewerTextOf("a6w6_blockscale").empty()) GTEST_SKIP() << test::NoRealTables();
  for (const NewerFile& it : kFiles) {
    const std::string text = NewerText(it.file);
    const core::Family& family = test::ShippedFamily(it.family);
    if (it.family != std::string("bf16")) {
      EXPECT_EQ(core::FamilyOfFileName(test::ShippedFamilies(), it.file), &family) << it.file;
    }
    const core::SourceFile source{it.file, text};
    const auto merged = Must(core::MergeTables(family, test::ShippedTargets(), {&source, 1}));
    EXPECT_EQ(merged.rows_written, it.rows) << it.file;
    EXPECT_TRUE(merged.issues[0].rejected.empty() && merged.issues[0].quarantined.empty() &&
                merged.issues[0].warnings.empty())
        << it.file;
    EXPECT_EQ(Rows(merged.Csv()), Rows(text)) << it.file;
  }
}

}  // namespace
}  // namespace tunehub::lookup
