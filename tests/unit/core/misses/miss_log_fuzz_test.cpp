// Damaged logs: whatever a crash, a full disk or two writers made of the lines.
#include <gtest/gtest.h>

#include <random>

#include "core/misses/miss_log.h"
#include "tests/support/shipped.h"

namespace tunehub::core {
namespace {

const std::vector<std::string> kLines = {
    "[aiter] shape is M:8192, N:1280, K:8192, not found tuned config in "
    "/tmp/aiter_configs/a8w8_blockscale_tuned_gemm.csv, will use default config!\n",
    "shape is M:64, N:1280, K:8192, q_dtype_w:torch.int8, not found tuned config in "
    "/tmp/a8w8_tuned_gemm.csv, will use default config!\n",
    "shape is M:7, N:256, K:5120 dtype='torch.bfloat16' otype='torch.float32' bias=False, "
    "scaleAB=False, bpreshuffle=False , not found tuned config in /x/bf16_tuned_gemm.csv, will use "
    "default config!\n",
    "shape is B:16, M:32, N:1280, K:8192, not found tuned config in CKGEMM, will use default "
    "config!\n",
    "[fused_moe] using 2stage default for ('gfx950', 256, 64, 7168, 512, 384, 8, "
    "<ActivationType.Silu: 0>, 'torch.bfloat16', 'torch.bfloat16', 'torch.uint32', "
    "'QuantType.per_1x32', True, False)\n",
    "no grouped CSV config matched (token=64 model_dim=3072 inter_dim=3072 experts=128 topk=-1 "
    "act=ActivationType.Swiglu dtype=torch.bfloat16 q_dtype_a=torch.int8 q_dtype_w=torch.int8 "
    "quant_type=QuantType.per_1x32); using defaults tile_m=64 n_warp=4 num_buffers=2\n",
    "[gfx1250] gemm_a8w8_bpreshuffle untuned M=3, N=1536, K=7168; falling back to flydsl kernel "
    "'f'.\n",
    "an ordinary line\n",
};

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::string Log() {
    std::string log;
    for (int i = 0; i < 20; ++i) log += kLines[Below(kLines.size())];
    for (int i = 0; i < 30; ++i) Change(log);
    return log;
  }
  std::size_t Below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

 private:
  void Change(std::string& log) {
    const std::size_t at = Below(log.size());
    switch (Below(4)) {
      case 0:
        log[at] = static_cast<char>(Below(256));
        return;
      case 1:
        log.erase(at, 1 + Below(40));
        return;
      case 2:
        log.insert(at, kLines[Below(kLines.size())].substr(0, Below(80)));
        return;
      default:
        log.insert(at, log.substr(Below(log.size()), Below(60)));
    }
  }

  std::mt19937 random_;
};

TEST(MissLogFuzz, damaged_lines_are_counted_and_those_beside_them_are_read) {
  std::uint64_t misses = 0, unread = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Damage damage(seed);
    const std::string log = damage.Log();
    MissLog parsed(test::ShippedFamilies(), {});
    for (std::size_t at = 0; at < log.size();) {
      const std::size_t part = 1 + damage.Below(300);
      parsed.Feed(std::string_view(log).substr(at, part));
      at += part;
    }
    parsed.Finish();
    std::uint64_t counted = 0;
    for (const MissShape& shape : parsed.Shapes()) {
      counted += shape.count;
      ASSERT_EQ(shape.cells.size(), shape.family->untuned_columns.size());
    }
    ASSERT_EQ(counted, parsed.counts().misses) << seed;
    misses += parsed.counts().misses;
    unread += parsed.counts().unread;
  }
  EXPECT_GT(misses, 10'000U);
  EXPECT_GT(unread, 1'000U);
}

}  // namespace
}  // namespace tunehub::core
