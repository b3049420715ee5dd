#include "core/shapes/engine_reads.h"

#include <gmock/gmock.h>

#include "build_info.h"
#include "core/base/file.h"
#include "core/family/families.h"
#include "tests/support/result.h"

namespace tunehub::core {
namespace {

std::vector<EngineReads> ShippedReads() {
  const TextFolder configs{TUNEHUB_SOURCE_DIR "/configs"};
  auto reads = ParseEngineReads("engines.json", configs.Read("engines.json").value());
  EXPECT_TRUE(reads.ok()) << reads.error().detail;
  return *std::move(reads);
}

TEST(EngineReads, name_families_that_there_are_and_take_the_products_so) {
  const auto families = Must(Families::Load(TUNEHUB_SOURCE_DIR "/configs/families"));
  for (const EngineReads& engine : ShippedReads()) {
    for (const ReadRule& rule : engine.rules) {
      const Family* const family = families.Find(rule.family);
      ASSERT_NE(family, nullptr) << rule.family;
      for (const std::string& scheme : rule.schemes) {
        EXPECT_TRUE(std::ranges::any_of(family->products,
                                        [&](const ProductRule& it) {
                                          return it.of == Name(rule.of) &&
                                                 std::ranges::find(it.schemes, scheme) !=
                                                     it.schemes.end();
                                        }))
            << engine.name << " " << rule.family << " " << scheme;
      }
    }
  }
}

TEST(EngineReads, find_a_rule_by_product_scheme_and_device) {
  const auto engines = ShippedReads();
  ASSERT_EQ(engines.front().name, "vllm");
  const EngineReads& sglang = engines.at(1);
  const auto reads = [&](const char* scheme, const char* gfx, const char* rocm) {
    const ReadRule* const rule = sglang.RuleFor(ProductKind::kDense, scheme, gfx, rocm);
    return rule == nullptr ? "none" : rule->family;
  };
  EXPECT_EQ(reads("fp8_block", "gfx950", ""), "a8w8_blockscale_bpreshuffle");
  EXPECT_EQ(reads("fp8_block", "gfx950", "7.2.1"), "a8w8_blockscale_bpreshuffle");
  EXPECT_EQ(reads("fp8_block", "gfx950", "7.10"), "a8w8_blockscale_bpreshuffle");
  EXPECT_EQ(reads("fp8_block", "gfx950", "7.1"), "a8w8_blockscale");
  EXPECT_EQ(reads("fp8_block", "gfx942", "7.2"), "a8w8_blockscale");
  EXPECT_EQ(reads("fp8", "gfx942", ""), "a8w8_bpreshuffle");
  EXPECT_EQ(reads("int4", "gfx942", ""), "none");
  EXPECT_EQ(engines.front().RuleFor(ProductKind::kDense, "bf16", "gfx942", ""), nullptr);
  EXPECT_THAT(sglang.SchemesOf("a8w8", "gfx942", ""), testing::ElementsAre("int8"));
  EXPECT_THAT(sglang.SchemesOf("a8w8_blockscale_bpreshuffle", "gfx942", ""), testing::IsEmpty());
  EXPECT_THAT(sglang.SchemesOf("a8w8_blockscale", "gfx950", "7.2"), testing::IsEmpty());
}

TEST(EngineReads, read_the_numbers_that_a_version_begins_with) {
  EXPECT_THAT(VersionNumbers("0.1.16.post3"), testing::ElementsAre(0, 1, 16));
  EXPECT_THAT(VersionNumbers("7.10"), testing::ElementsAre(7, 10));
  EXPECT_THAT(VersionNumbers("new"), testing::IsEmpty());
  EXPECT_TRUE(IsRocmVersion("7.2.1"));
  for (const char* none : {"", "7.", ".7", "7.2rc", "7.2.post1"}) EXPECT_FALSE(IsRocmVersion(none));
}

TEST(EngineReads, refuse_what_is_no_rule_with_its_place) {
  const auto said = [](const char* rule) {
    const auto read = ParseEngineReads(
        "e.json", std::string(R"({"engines":[{"name":"e","title":"E","source":"s","reads":[)") +
                      rule + "]}]}");
    return read.ok() ? "" : read.error().code + " " + read.error().detail;
  };
  EXPECT_EQ(said(R"({"of":"dense","family":"a8w8"})"), "");
  EXPECT_THAT(
      said(R"({"of":"sparse","family":"a8w8"})"),
      testing::AllOf(testing::HasSubstr("bad_engines e.json"),
                     testing::HasSubstr("/engines/0/reads/0/of"), testing::HasSubstr("'sparse'")));
  EXPECT_THAT(said(R"({"of":"dense"})"), testing::HasSubstr("/family: is missing"));
  EXPECT_THAT(said(R"({"of":"dense","family":"a8w8","rocm_from":"new"})"),
              testing::HasSubstr("'new' is no version"));
  EXPECT_THAT(said(R"({"of":"dense","family":"a8w8","scheme":"fp8"})"),
              testing::HasSubstr("scheme"));
}

}  // namespace
}  // namespace tunehub::core
