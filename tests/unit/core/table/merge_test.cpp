#include "core/table/merge.h"

#include <gtest/gtest.h>

#include "tests/support/result.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

const std::string kMergeHeader =
    "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n";

std::string RowText(int m, std::string_view us, std::string_view kernel = "k",
                    std::string_view error = "0.0") {
  std::string row = "gfx942,304," + std::to_string(m) + ",1280,8192,ck,7,0,";
  return row.append(us).append(",").append(kernel).append(",4.0,2.0,").append(error) + "\n";
}

// With the texts that its lines lie in.
struct MergedTexts : Merged {
  std::vector<std::string> texts;
};

MergedTexts MergeTexts(std::vector<std::string> texts,
                       std::string_view family = "a8w8_blockscale") {
  std::vector<SourceFile> sources;
  for (const std::string& text : texts) {
    sources.push_back({std::string(1, static_cast<char>('a' + sources.size())) + ".csv", text});
  }
  auto merged = Must(MergeTables(test::ShippedFamily(family), test::ShippedTargets(), sources));
  return {std::move(merged), std::move(texts)};
}

// "identical 0:2 1:3" per duplicate: file and line, the winner first.
std::string Duplicates(const Merged& merged) {
  std::string out;
  for (const Duplicate& duplicate : merged.duplicates) {
    out += duplicate.identical ? "identical" : "conflicting";
    for (const Place& place : duplicate.places) {
      out += " " + std::to_string(place.file) + ":" + std::to_string(place.line);
    }
    out += "; ";
  }
  return out;
}

// A cell like the one above is not parsed again; its number had become the rewritten cell's.
TEST(Merge, a_cell_that_repeats_one_from_above_a_rewritten_one_sorts_by_its_own_number) {
  const std::string rewritten = "gfx942,304,0500,1280,8192,ck,7,0,3,k,4.0,2.0,0.0\n";
  const MergedTexts merged = MergeTexts({kMergeHeader + RowText(16, "4") + rewritten +
                                         "gfx942,304,16,1280,4096,ck,7,0,2,k,4.0,2.0,0.0\n"});
  EXPECT_EQ(merged.Csv(), kMergeHeader + "gfx942,304,16,1280,4096,ck,7,0,2,k,4.0,2.0,0.0\n" +
                              RowText(16, "4") + RowText(500, "3"));
}

TEST(Merge, TheFirstFileWinsATie) {
  EXPECT_EQ(MergeTexts({kMergeHeader + RowText(16, "5", "l"), kMergeHeader + RowText(16, "5", "a")})
                .Csv(),
            kMergeHeader + RowText(16, "5", "l"));
  EXPECT_EQ(MergeTexts({kMergeHeader + RowText(16, "5", "l", "0.1"),
                        kMergeHeader + RowText(16, "5.0", "a", "0.05")})
                .Csv(),
            kMergeHeader + RowText(16, "5.0", "a", "0.05"))
      << "a lower error at an equal time is no tie";
}

TEST(Merge, an_unknown_column_is_left_out_and_named) {
  std::string wide = kMergeHeader;
  wide.insert(wide.size() - 1, ",speed");
  const std::vector<SourceFile> sources = {{"wide.csv", wide}};
  const auto merged =
      Must(MergeTables(test::ShippedFamily("a8w8_blockscale"), test::ShippedTargets(), sources));
  ASSERT_EQ(merged.issues[0].warnings.size(), 1U);
  EXPECT_EQ(merged.issues[0].warnings[0].code, "unknown_column");
  EXPECT_EQ(merged.issues[0].warnings[0].column, "speed");
}

TEST(Merge, tags_are_keys_and_empty_zero_and_missing_are_one) {
  const std::string header =
      "gfx,cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
      "use_g1u1,doweight_stage1,block_m,kernelName1,us";
  const std::string row =
      "gfx950,256,64,7168,256,8,2,ActivationType.Silu,torch.bfloat16,torch.int8,torch.int8,"
      "QuantType.No,1,0,32,k1,";
  const MergedTexts merged =
      MergeTexts({header + ",_tag\n" + row + "15,\n" + row + "10,0\n" + row + "5,x\n",
                  header + "\n" + row + "12\n"},
                 "fmoe");
  EXPECT_EQ(Duplicates(merged), "conflicting 0:3 1:2 0:2; ");
  EXPECT_EQ(merged.rows_written, 2u);
}

}  // namespace
}  // namespace tunehub::core
