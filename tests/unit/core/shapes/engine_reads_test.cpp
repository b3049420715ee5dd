#include "core/shapes/engine_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build_info.h"
#include "core/base/text_folder.h"
#include "core/family/families.h"

namespace tunehub::core {
namespace {

std::vector<EngineReads> ShippedReads() {
  const TextFolder configs{TUNEHUB_SOURCE_DIR "/configs"};
  auto reads = ParseEngineReads("engines.json", configs.Read("engines.json").value());
  EXPECT_TRUE(reads.ok()) << reads.error().detail;
  return *std::move(reads);
}

TEST(EngineReads, NameFamiliesThatThereAreAndTakeTheProductsSo) {
  const auto families = Families::Load(TUNEHUB_SOURCE_DIR "/configs/families");
  ASSERT_TRUE(families.ok());
  for (const EngineReads& engine : ShippedReads()) {
    for (const ReadRule& rule : engine.rules) {
      for (const std::string& name : rule.families) {
        const Family* const family = families->Find(name);
        ASSERT_NE(family, nullptr) << name;
        for (const std::string& scheme : rule.schemes) {
          EXPECT_TRUE(std::ranges::any_of(family->products,
                                          [&](const ProductRule& it) {
                                            return it.of == Name(rule.of) &&
                                                   std::ranges::find(it.schemes, scheme) !=
                                                       it.schemes.end();
                                          }))
              << engine.name << " " << name << " " << scheme;
        }
      }
    }
  }
}

TEST(EngineReads, FindARuleByProductSchemeAndDevice) {
  const auto engines = ShippedReads();
  ASSERT_EQ(engines.front().name, "vllm");
  const EngineReads& sglang = engines.at(1);
  const auto reads = [&](const char* family, const char* scheme, const char* gfx) {
    return sglang.RuleOf(family, ProductKind::kDense, scheme, gfx) != nullptr;
  };
  EXPECT_TRUE(reads("a8w8_blockscale_bpreshuffle", "fp8_block", "gfx950"));
  EXPECT_FALSE(reads("a8w8_blockscale_bpreshuffle", "fp8_block", "gfx942"));
  EXPECT_FALSE(reads("a8w8_blockscale", "fp8", "gfx942"));
  EXPECT_FALSE(reads("fmoe", "fp8", "gfx942"));
  EXPECT_THAT(sglang.SchemesOf("a8w8", "gfx942"), testing::ElementsAre("int8"));
  EXPECT_THAT(sglang.SchemesOf("a8w8_blockscale_bpreshuffle", "gfx942"), testing::IsEmpty());
}

TEST(EngineReads, RefuseWhatIsNoRuleWithItsPlace) {
  const auto said = [](const char* rule) {
    const auto read = ParseEngineReads(
        "e.json", std::string(R"({"engines":[{"name":"e","title":"E","reads":[)") + rule + "]}]}");
    return read.ok() ? "" : read.error().code + " " + read.error().detail;
  };
  EXPECT_EQ(said(R"({"of":"dense","families":["a8w8"]})"), "");
  EXPECT_THAT(
      said(R"({"of":"sparse","families":["a8w8"]})"),
      testing::AllOf(testing::HasSubstr("bad_engines e.json"),
                     testing::HasSubstr("/engines/0/reads/0/of"), testing::HasSubstr("'sparse'")));
  EXPECT_THAT(said(R"({"of":"dense"})"), testing::HasSubstr("names no table"));
  EXPECT_THAT(said(R"({"of":"dense","families":["a8w8"],"scheme":"fp8"})"),
              testing::HasSubstr("scheme"));
}

}  // namespace
}  // namespace tunehub::core
