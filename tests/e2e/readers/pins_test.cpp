// pins=default where the default was measured, too: by another run than the rows that are asked
// for.
#include <nlohmann/json.hpp>

#include "core/system/tar.h"
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

const std::string kPinsHeader = "engine,device,triton,E,N,dtype,M,config,us\n";
const std::string kPinsFile = "/files/vllm/E=60,N=2048,device_name=AMD_Instinct_MI300X.json";
const std::string kPinned = "?pins=default&engine=vllm@238c4c1705&source=slow";
const std::string kTunedConfig = R"({""tuned"":1})", kBetterConfig = R"({""tuned"":2})";
// Of vllm@238c4c1705 for M <= E, its members in another order; and of another M.
const std::string kDefaultConfig =
    R"({""GROUP_SIZE_M"":1,""BLOCK_SIZE_M"":16,""BLOCK_SIZE_N"":32,""BLOCK_SIZE_K"":64})";
const std::string kOtherDefault =
    R"({""BLOCK_SIZE_M"":64,""BLOCK_SIZE_N"":64,""BLOCK_SIZE_K"":32,""GROUP_SIZE_M"":8})";

std::string PinsRow(int m, const std::string& us, const std::string& config) {
  return "vllm,AMD_Instinct_MI300X,,60,2048,," + std::to_string(m) + ",\"" + config + "\"," + us +
         "\n";
}

class DefaultPinsTest : public HubTest {
 protected:
  static void Measure(const std::string& rows) {
    ASSERT_EQ(Verdict(Submitter().Post("/results/triton_fused_moe", kPinsHeader + rows)), "200");
  }
};

TEST_F(DefaultPinsTest, a_row_that_was_slower_than_the_default_is_not_in_the_file) {
  const std::string rows = PinsRow(1, "9", kTunedConfig) + PinsRow(2, "9", kTunedConfig) +
                           PinsRow(4, "9", kTunedConfig) + PinsRow(8, "9", kTunedConfig) +
                           PinsRow(16, "", kTunedConfig) + PinsRow(24, "9", kTunedConfig);
  const RawAnswer imported = Submitter().Post(
      "/import?source=slow", core::WriteTarGz({{"triton_fused_moe.csv", kPinsHeader + rows}}),
      {{"Content-Type", "application/gzip"}});
  ASSERT_EQ(Verdict(imported), "200") << imported.body;
  Measure(PinsRow(1, "7", kDefaultConfig) +    // faster
          PinsRow(2, "9.5", kDefaultConfig) +  // slower
          PinsRow(4, "7", kOtherDefault) +     // what runs untuned elsewhere
          PinsRow(8, "7", kDefaultConfig) +    // faster, and not in force
          PinsRow(16, "7", kDefaultConfig));   // nobody measured the row
  Measure(PinsRow(8, "5", kBetterConfig));
  EXPECT_EQ(JsonOf(Open().Get(kPinsFile + "?source=slow")).size(), 6U) << "never assumed";
  const RawAnswer answer = Open().Get(kPinsFile + kPinned);
  ASSERT_EQ(Verdict(answer), "200") << answer.body;
  const auto file = JsonOf(answer);
  for (const char* m : {"2", "4", "16", "24"}) EXPECT_TRUE(file.at(m).contains("tuned")) << m;
  for (const char* m : {"1", "8"}) EXPECT_EQ(file.at(m).value("BLOCK_SIZE_N", 0), 32) << m;
  EXPECT_EQ(answer.Header("tunehub-pinned"), std::to_string(file.size() - 4));
  const auto plain = JsonOf(Open().Get(kPinsFile + "?pins=default&engine=vllm@238c4c1705"));
  EXPECT_EQ(plain.at("8").value("tuned", 0), 2) << "the fastest of all";
}

}  // namespace
}  // namespace tunehub::test
