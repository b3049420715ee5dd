// Lists of missed shapes, as engines write them.
#include <gmock/gmock.h>

#include "core/misses/miss_log.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

using test::ShippedFamilies;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct ListRead {
  std::vector<std::string> shapes, unread;
};

ListRead ReadList(const std::string& path, const std::string& bytes,
                  const MissLogOptions& options = {}) {
  const auto file = ReadUntunedFile(ShippedFamilies(), path, bytes, options, "NVIDIA_H200");
  if (!file.ok()) return {{file.error().code}, {}};
  ListRead read;
  for (const MissShape& shape : file->shapes) {
    std::string text = shape.family->name;
    for (const std::string& cell : shape.cells) text += "," + cell;
    if (!shape.gfx.empty()) text += " @" + shape.gfx;
    read.shapes.push_back(text + " x" + std::to_string(shape.count));
  }
  for (const RowIssue& it : file->unread) {
    read.unread.push_back(std::to_string(it.line) + " " + it.code);
  }
  return read;
}

TEST(UntunedFile, ranks_repeat_rows_and_headers) {
  const auto read = ReadList("/dump/a8w8_blockscale_untuned_gemm.csv",
                             "M,N,K\n16,1280,8192\n32,1280,8192\nM,N,K\n16,1280,8192\n");
  EXPECT_THAT(read.shapes,
              ElementsAre("a8w8_blockscale,16,1280,8192 x2", "a8w8_blockscale,32,1280,8192 x1"));
  EXPECT_THAT(read.unread, IsEmpty());
}

TEST(UntunedFile, the_last_row_counts_without_a_line_end_if_it_has_all_its_columns) {
  const auto read =
      ReadList("a4w4_blockscale_untuned_gemm.csv", "M,N,K\n1,1280,8192\n16,1280,8192");
  EXPECT_THAT(read.shapes,
              ElementsAre("a4w4_blockscale,1,1280,8192 x1", "a4w4_blockscale,16,1280,8192 x1"));
  EXPECT_THAT(read.unread, IsEmpty());
  const auto cut = ReadList("a4w4_blockscale_untuned_gemm.csv", "M,N,K\n1,1280,8192\n16,1280");
  EXPECT_THAT(cut.shapes, ElementsAre("a4w4_blockscale,1,1280,8192 x1"));
  EXPECT_THAT(cut.unread, ElementsAre("3 ragged_row"));
}

TEST(UntunedFile, a_torn_row_that_was_closed_is_said_and_the_others_are_read) {
  const auto read =
      ReadList("dsv3_a8w8_blockscale_untuned_gemm.csv", "M,N,K\n16,1280\n32,1280,8192\n");
  EXPECT_THAT(read.shapes, ElementsAre("a8w8_blockscale,32,1280,8192 x1"));
  ASSERT_EQ(read.unread.size(), 1U);
  EXPECT_THAT(read.unread.front(), testing::StartsWith("2 "));
}

TEST(UntunedFile, aiters_recorder_names_its_files_after_its_tables) {
  const auto first = [](const std::string& name, const std::string& bytes) {
    const ListRead read = ReadList("/dump/" + name, bytes);
    return read.shapes.empty() ? "none" : read.shapes.front();
  };
  EXPECT_EQ(first("dsv41_a16w8_mxfp8_asm_untuned_gemm.csv", "M,N,K\n7,256,512\n"),
            "a16w8_mxfp8_asm,7,256,512 x1");
  EXPECT_EQ(first("untuned_batched_gemm_a8w8_blockscale_mxscale_bpreshuffle_tuned.csv",
                  "b,m,n,k,w_scale_block\n8,7,256,512,1x32\n"),
            "batched_a8w8_blockscale_mxscale_bpreshuffle,8,7,256,512,1x32 x1");
  EXPECT_EQ(first("a6w4_asm_untuned_gemm.csv", "M,N,K\n7,256,512\n"), "a6w4_asm,7,256,512 x1");
  EXPECT_EQ(first("untuned_gdr_decode_tuned.csv", "arch,b\ngfx950,1\n"), "unknown_family");
}

TEST(UntunedFile, the_target_is_the_options_and_lists_have_names) {
  EXPECT_THAT(ReadList("bf16_untuned_gemm.csv",
                       "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle\n"
                       "1,256,5120,False,torch.bfloat16,torch.bfloat16,False,False\n",
                       {.gfx = "gfx942", .cu_num = "304"})
                  .shapes,
              ElementsAre("bf16,1,256,5120,False,torch.bfloat16,torch.bfloat16,False,False "
                          "@gfx942 x1"));
  EXPECT_TRUE(IsUntunedFileName("/d/tunableop_untuned0.csv"));
  EXPECT_TRUE(IsUntunedFileName("a8w8_untuned_gemm.csv"));
  EXPECT_FALSE(IsUntunedFileName("/untuned/a8w8_tuned_gemm.csv"));
  EXPECT_FALSE(IsUntunedFileName("untuned.log"));
  EXPECT_EQ(ReadList("x_untuned.csv", "A,B\n1,2\n").shapes.front(), "unknown_family");
}

TEST(UntunedFile, tunableops_lines_are_its_whatever_the_file_is_called) {
  const auto read = ReadList("mine.csv",
                             "GemmTunableOp_BFloat16_TN,tn_1024_64_4096_ld_4096_4096_1024\n"
                             "GemmTunableOp_BFloat16_TN,tn_1024_64_4096_ld_4096_4096_1024\nbroken\n"
                             "GemmTunableOp_BFloat16_TN,tn_1024_64_4096_ld_4096_40");
  ASSERT_EQ(read.shapes.size(), 1U);
  EXPECT_THAT(read.shapes.front(), HasSubstr("GemmTunableOp_BFloat16_TN"));
  EXPECT_THAT(read.shapes.front(), HasSubstr("NVIDIA_H200"));
  EXPECT_THAT(read.shapes.front(), testing::EndsWith(" x2"));
  EXPECT_THAT(read.unread, ElementsAre("4 torn_line", "3 not_asked"));
}

}  // namespace
}  // namespace tunehub::core
