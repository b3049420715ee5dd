// tunehub-agent check --upstream: what of a tree this version does not know.
#include <gmock/gmock.h>

#include <sstream>

#include "agent/tables/check_tables.h"
#include "agent/tables/commands.h"
#include "tests/support/shipped.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent::test {
namespace {

class UpstreamDrift : public CommandTest {
 protected:
  std::string Text() {
    const auto drift = DriftOf(configuration_, folder_.path());
    if (!drift.ok()) return drift.error().code;
    std::ostringstream out;
    PrintDriftText(*drift, out);
    return out.str();
  }
};

TEST_F(UpstreamDrift, says_nothing_of_a_tree_that_is_known) {
  folder_.Write("aiter/configs/a8w8_blockscale_tuned_gemm.csv",
                kBlockscaleHeader + BlockscaleRow(16, "4.5", "a8w8_blockscale_1x128x128_256x16"));
  folder_.Write("aiter/ops/gemm.py",
                "logger.info(f\"shape is M:{M}, not found tuned config in {file}, will use\")\n"
                "# no tuned config for it\n");
  EXPECT_EQ(Text(), "0 things that this version does not know\n");
  CheckOptions options{{folder_.path()}, ""};
  options.upstream = true;
  EXPECT_EQ(Check(configuration_, options, console_.console), kGood);
}

TEST_F(UpstreamDrift, lists_each_thing_once_with_its_first_place) {
  folder_.Write("aiter/configs/a8w8_blockscale_tuned_gemm.csv",
                "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio,mood\n"
                "gfx942,80,16,2048,3072,quark,8,2,7.5,frob_fast_1,2.61,1304.22,0.0,blue\n"
                "gfx942,80,32,2048,3072,quark,8,2,8.5,frob_fast_2,2.61,1304.22,0.0,blue\n");
  folder_.Write("aiter/configs/frob_tuned_gemm.csv", "gfx,M\ngfx942,1\n");
  folder_.Write("aiter/configs/model_configs/deep/x_tuned_fmoe.csv", "gfx,M\ngfx942,1\n");
  folder_.Write("aiter/ops/gemm.py", "\nlogger.info('FROB shape M:1 has no tuned entry here')\n");
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("column: a8w8_blockscale: mood (1, first: "
                              "a8w8_blockscale_tuned_gemm.csv)\n"));
  EXPECT_THAT(text, HasSubstr("libtype: a8w8_blockscale: libtype=quark (2, first: "
                              "a8w8_blockscale_tuned_gemm.csv:2)\n"));
  EXPECT_THAT(text, HasSubstr("kernel: a8w8_blockscale: frob_fast_... (2, first: "
                              "a8w8_blockscale_tuned_gemm.csv:2)\n"));
  EXPECT_THAT(text, HasSubstr("table: carried line by line: frob_tuned_gemm.csv (1, "));
  EXPECT_THAT(text, HasSubstr("table: not read: model_configs/deep/x_tuned_fmoe.csv (1, "));
  EXPECT_THAT(text, HasSubstr("log line: aiter/ops/gemm.py: logger.info('FROB shape M:1 has no "
                              "tuned entry here') (1, first: aiter/ops/gemm.py:2)\n"));
  EXPECT_THAT(text, HasSubstr("6 things that this version does not know\n"));
}

TEST_F(UpstreamDrift, a_folder_without_tables_is_refused) {
  EXPECT_EQ(Text(), "no_aiter_configs");
}

}  // namespace
}  // namespace tunehub::agent::test
