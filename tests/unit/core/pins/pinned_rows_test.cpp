// What a reader gets of a pinned file, for every M, by its own rule restated.
#include "core/pins/pinned_rows.h"

#include <gmock/gmock.h>

#include <array>
#include <random>

#include "tests/support/shipped.h"

namespace tunehub::pins {
namespace {

constexpr std::array<std::int64_t, 18> kLadder = {1,  2,   4,   8,   16,   24,   32,   48,   64,
                                                  96, 128, 256, 512, 1024, 1536, 2048, 3072, 4096};
constexpr std::int64_t kMostM = 8192;

// vLLM's: min(configs.keys(), key=lambda x: abs(x - M)); the first of a tie, keys ascending.
std::int64_t NearestKey(const std::map<std::int64_t, PinnedRow>& rows, std::int64_t m) {
  std::int64_t best = rows.begin()->first;
  for (const auto& [key, row] : rows) {
    if (std::abs(key - m) < std::abs(best - m)) best = key;
  }
  return best;
}

struct Kind {
  const char* name;
  std::string engine, dtype;
  int block;
  std::string platform;
  Facts given;
};

const std::array<Kind, 6> kKinds = {
    Kind{"bf16", "vllm@238c4c1705", "", 0, "", {}},
    Kind{"block fp8", "vllm@238c4c1705", "fp8_w8a8", 128, "rocm", {}},
    Kind{"wna16", "vllm@238c4c1705", "int4_w4a16", 0, "rocm", {}},
    Kind{"wna16 on CUDA",
         "vllm@238c4c1705",
         "int4_w4a16",
         0,
         "cuda",
         {{"group", "64"}, {"top_k", "3"}}},
    Kind{"fp8", "sglang@6ed5780c4f", "fp8_w8a8", 0, "rocm", {}},
    Kind{"bf16 with Marlin", "sglang@6ed5780c4f", "", 0, "", {{"marlin", "1"}}}};

EngineDefault DefaultFor(const Kind& kind, int experts) {
  static const auto all = LoadEngineRules(test::ShippedFamilyFolder().parent_path() / "defaults");
  Facts facts = kind.given;
  facts["E"] = std::to_string(experts);
  facts["dtype"] = kind.dtype;
  facts["block_n"] = facts["block_k"] = std::to_string(kind.block);
  facts["platform"] = kind.platform;
  facts["down"] = "0";
  facts["backend"] = "";
  const auto found = DefaultOf(**FindEngineRules(*all, kind.engine), "triton_fused_moe", facts);
  if (!found.ok()) throw std::runtime_error(found.error().detail);
  return *found;
}

std::map<std::int64_t, TimedRow> RandomRows(std::mt19937& random) {
  std::map<std::int64_t, TimedRow> rows;
  const std::size_t count = 1 + random() % 12;
  while (rows.size() < count) {
    const std::int64_t m = random() % 3 == 0 ? 1 + static_cast<std::int64_t>(random() % 5000)
                                             : kLadder[random() % kLadder.size()];
    TimedRow row{R"({"tuned":)" + std::to_string(m) + "}", {}, {}};
    if (random() % 4 != 0) row.us = 1 + random() % 10;
    if (random() % 2 != 0) row.default_us = 1 + random() % 10;
    rows[m] = row;
  }
  return rows;
}

bool AreOnOneSide(const EngineDefault& engine_default, std::int64_t a, std::int64_t b) {
  for (const std::int64_t bound : engine_default.Bounds()) {
    if ((a <= bound) != (b <= bound)) return false;
  }
  return true;
}

TEST(PinsPinnedRows, NoMGetsARowThatWasTunedBeyondABoundOrWasSlower) {
  std::mt19937 random(17);
  std::size_t tuned = 0, defaults = 0;
  for (const Kind& kind : kKinds) {
    for (const int experts : {1, 5, 8, 20, 31, 60, 64, 100, 128, 256, 513}) {
      const EngineDefault engine_default = DefaultFor(kind, experts);
      const auto rows = RandomRows(random);
      const auto pinned = Pin(rows, engine_default, kLadder);
      for (std::int64_t m = 1; m <= kMostM; ++m) {
        const std::int64_t key = NearestKey(pinned, m);
        const std::string& read = pinned.at(key).config;
        if (read == engine_default.Of(m)) {
          ++defaults;
          continue;
        }
        ++tuned;
        const auto row = rows.find(key);
        ASSERT_TRUE(row != rows.end() && read == row->second.config)
            << kind.name << " E=" << experts << " M=" << m << " reads " << key << ": " << read;
        ASSERT_FALSE(row->second.us && row->second.default_us &&
                     *row->second.us > *row->second.default_us)
            << kind.name << " M=" << m << " reads a row that was slower, of " << key;
        ASSERT_TRUE(AreOnOneSide(engine_default, key, m))
            << kind.name << " E=" << experts << " M=" << m << " reads across a bound, from " << key;
      }
    }
  }
  EXPECT_GT(tuned, 1000U);
  EXPECT_GT(defaults, 1000U);
}

TEST(PinsPinnedRows, SaysWhereEachRowIsFrom) {
  const EngineDefault engine_default({{60, "low"}, {kAnyM, "high"}});
  const std::array<std::int64_t, 2> ladder = {1, 64};
  const auto pinned =
      Pin({{60, {"kept", 3.0, 3.0}}, {512, {"slow", 5.0, 4.0}}, {700, {"declared", {}, 1.0}}},
          engine_default, ladder);
  const std::map<std::int64_t, std::pair<std::string, PinOrigin>> expected = {
      {1, {"low", PinOrigin::kUntuned}},      {60, {"kept", PinOrigin::kTuned}},
      {61, {"high", PinOrigin::kBound}},      {64, {"high", PinOrigin::kUntuned}},
      {512, {"high", PinOrigin::kWasSlower}}, {700, {"declared", PinOrigin::kTuned}}};
  ASSERT_EQ(pinned.size(), expected.size());
  for (const auto& [m, row] : pinned) {
    EXPECT_EQ(std::pair(row.config, row.origin), expected.at(m)) << m;
  }
}

TEST(PinsPinnedRows, AFileWithoutARowStaysOne) {
  EXPECT_TRUE(Pin({}, EngineDefault({{kAnyM, "any"}}), kLadder).empty());
}

}  // namespace
}  // namespace tunehub::pins
