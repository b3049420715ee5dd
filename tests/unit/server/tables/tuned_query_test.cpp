#include "server/tables/tuned_query.h"

#include <gmock/gmock.h>

#include <set>
#include <string_view>

#include "tests/support/query.h"
#include "tests/support/result.h"
#include "tests/support/shipped.h"
#include "tests/support/words.h"

namespace tunehub::server {
namespace {

core::Result<TunedQuery> Parse(const std::string& query,
                               std::string_view family = "a8w8_blockscale") {
  return ParseTunedQuery(test::ShippedFamily(family), test::ShippedTargets(),
                         test::ParametersOf(query));
}

std::string TargetsOf(const std::string& asked) {
  const auto query = Parse(asked);
  if (!query.ok()) return query.error().code;
  std::string text;
  for (const core::Target& target : query->targets)
    text += (text.empty() ? "" : " ") + TextOf(target);
  return text;
}

std::string CodeOf(const std::string& query, std::string_view family = "a8w8_blockscale") {
  return ErrorCode(Parse(query, family));
}

TEST(TunedQuery, targets_are_lists_pairs_or_every_combination) {
  EXPECT_EQ(TargetsOf(""), "");
  EXPECT_EQ(TargetsOf("gfx=gfx942"), "gfx942");
  EXPECT_EQ(TargetsOf("gfx=gfx942, gfx950"), "gfx942 gfx950");
  EXPECT_EQ(TargetsOf("gfx=gfx942;gfx950"), "gfx942 gfx950");
  EXPECT_EQ(TargetsOf("gfx=gfx942&gfx=gfx950"), "gfx942 gfx950");
  EXPECT_EQ(TargetsOf("gfx=gfx942:sramecc+:xnack-"), "gfx942");
  EXPECT_EQ(TargetsOf("gfx=GFX 942"), "bad_parameter");
  EXPECT_EQ(TargetsOf("cu_num=304"), "*:304");
  EXPECT_EQ(TargetsOf("gfx=gfx942,gfx950&cu_num=80,304"),
            "gfx942:80 gfx942:304 gfx950:80 gfx950:304");
  for (const char* bad : {"0", "-1", "many", "65537", "80.5", "99999999999"}) {
    EXPECT_EQ(TargetsOf(std::string("cu_num=") + bad), "bad_parameter") << bad;
  }
  EXPECT_EQ(TargetsOf("target=gfx950:256,gfx942:304"), "gfx950:256 gfx942:304");
  EXPECT_EQ(TargetsOf("target=gfx942:sramecc+:xnack-:304"), "gfx942:304");
  for (const char* bad : {"gfx950", "gfx950:", ":256", "gfx950:x"}) {
    EXPECT_EQ(TargetsOf(std::string("target=") + bad), "bad_parameter") << bad;
  }
  EXPECT_EQ(TargetsOf("target=gfx950:128;gfx950:256"), "gfx950:128 gfx950:256");
}

std::string DeviceErrorOf(const std::string& name, const std::string& value) {
  return ErrorText(Parse(name + "=" + value));
}

TEST(TunedQuery, a_device_is_a_product_an_alias_or_a_pci_id) {
  for (const char* name : {"MI325X", "AMD_Instinct_MI325_OAM", "1002:74a5"}) {
    const auto query = Parse(std::string("device=") + name);
    ASSERT_TRUE(query.ok()) << name;
    EXPECT_EQ(query->runs.devices, std::vector<std::string>{"MI325X"}) << name;
    EXPECT_TRUE(query->among_candidates());
    EXPECT_EQ(query->canonical, Parse("device=mi325x")->canonical);
  }
  EXPECT_EQ(DeviceErrorOf("device", "MI999"),
            "bad_parameter: device: 'MI999' is unknown; expected a product such as MI325X, an "
            "alias or a PCI id");
  EXPECT_EQ(DeviceErrorOf("device", "MI325"),
            "bad_parameter: device: 'MI325' is unknown; expected a product such as MI325X, an "
            "alias or a PCI id; did you mean MI325X?");
  EXPECT_EQ(DeviceErrorOf("device", "AMD_Radeon_Graphics"),
            "bad_parameter: device: 'AMD_Radeon_Graphics' is a name that several devices share; "
            "use a GPU's trade name");
  EXPECT_EQ(DeviceErrorOf("prefer", "device=MI999"), DeviceErrorOf("device", "MI999"));
}

TEST(TunedQuery, what_is_preferred_is_a_name_and_a_value_and_a_cu_num_excludes_no_row_for_any) {
  const auto query = Must(Parse("prefer=triton=3.5.1&prefer=device=MI300X"));
  EXPECT_EQ(query.preferred.triton, "3.5.1");
  EXPECT_EQ(query.preferred.devices, std::vector<std::string>{"MI300X"});
  EXPECT_NE(query.canonical, Parse("triton=3.5.1&device=MI300X")->canonical);
  for (const char* bad : {"", "triton", "triton=", "cuda=12", "since=2026-01-01"})
    EXPECT_EQ(CodeOf(std::string("prefer=") + bad), "bad_parameter") << bad;
  const core::Target filter{"gfx942", 304};
  EXPECT_TRUE(filter.Includes("gfx942", 304));
  EXPECT_TRUE(filter.Includes("gfx942", 0));
  EXPECT_FALSE(filter.Includes("gfx942", 80));
  EXPECT_FALSE(filter.Includes("gfx950", 304));
}

TEST(TunedQuery, gpu_archs_is_what_aiter_makes_of_it) {
  EXPECT_EQ(TargetsOf("gpu_archs=gfx942;gfx950"), "gfx942:304 gfx950:256");
  EXPECT_EQ(TargetsOf("gpu_archs=gfx942;gfx950&cu_num=80"), "gfx942:80 gfx950:80");
  EXPECT_EQ(TargetsOf("gpu_archs=native"), "unknown_gfx");
  EXPECT_EQ(TargetsOf("gpu_archs=gfx942,gfx950"), "unknown_gfx") << "only ';' separates";
  EXPECT_EQ(TargetsOf("gpu_archs=gfx942&gfx=gfx950"), "bad_parameter");
  EXPECT_EQ(TargetsOf("gpu_archs=gfx942&cu_num=80,304"), "bad_parameter");
  EXPECT_THAT(Parse("gpu_archs=native").error().detail, testing::HasSubstr("gfx942, gfx950"));
  EXPECT_THAT(Parse("gpu_archs=Native").error().detail, testing::HasSubstr("the host that builds"));
  EXPECT_EQ(TargetsOf("gpu_archs= gfx942 ; ;gfx950;"), "gfx942:304 gfx950:256");
}

TEST(TunedQuery, a_model_goes_with_its_tp_and_a_requirement_with_both_and_whole_targets) {
  const auto query =
      Must(Parse("model=qwen3-32b&tp=8&require=padded&target=gfx942:304&prune=padded"));
  EXPECT_EQ(query.tp, 8);
  EXPECT_EQ(query.require, Require::kPadded);
  EXPECT_TRUE(query.prune && query.narrows());
  EXPECT_FALSE(Parse("prune=none")->narrows());
  EXPECT_EQ(CodeOf("model=qwen3-32b"), "bad_parameter");
  EXPECT_EQ(CodeOf("tp=8"), "bad_parameter");
  EXPECT_EQ(CodeOf("require=exact&target=gfx942:304"), "bad_parameter");
  EXPECT_EQ(CodeOf("fill=heuristic&target=gfx942:304"), "bad_parameter");
  for (const std::string more : {"provider=aiter", "gfx=gfx942", "cu_num=304", "revision=1"}) {
    EXPECT_EQ(CodeOf("model=qwen3-32b&tp=8&require=exact&" + more), "bad_parameter") << more;
  }
  EXPECT_EQ(CodeOf("model=qwen3-32b&tp=8&revision=1"), "bad_parameter");
  EXPECT_EQ(CodeOf("prune=padded&revision=1"), "") << "pruning needs only the revision's rows";
}

TEST(TunedQuery, unknown_parameters_and_values_out_of_their_words_are_refused) {
  const auto query = Parse("colour=red");
  ASSERT_EQ(query.error().code, "unknown_parameter");
  for (const char* name : {"gfx", "gpu_archs", "revision", "libtype", "M", "N", "K"}) {
    EXPECT_THAT(query.error().detail, testing::HasSubstr(name)) << name;
  }
  EXPECT_EQ(CodeOf("us=7"), "unknown_parameter") << "us is no key column";
  for (const std::string& bad : test::Words(
           "provider=nvidia revision=-1 revision=1x revision=99999999999999999999 measured=yes "
           "columns=old format=xml allow_empty=yes prune=all model= tp=0 tp=1025 tp=x require=all "
           "rocm= since=yesterday since=2026-02-30 M=wide M= M=0")) {
    EXPECT_EQ(CodeOf(bad), "bad_parameter") << bad;
  }
  EXPECT_EQ(CodeOf("aiter=" + std::string(101, 'a')), "bad_parameter");
  EXPECT_EQ(CodeOf("libtype=ck&revision=1"), "bad_parameter");
  EXPECT_EQ(CodeOf("libtype=ck", "a8w8"), "bad_parameter") << "the family has no libtype column";
  // If GFX is unset, ?gfx=$GFX must not select every target's rows.
  for (const char* name : {"gfx", "cu_num", "target", "gpu_archs", "libtype"}) {
    for (const char* value : {"", " ", ",", ";"}) {
      const bool is_libtype = std::string_view(name) == "libtype";
      if (is_libtype && (*value == ';' || *value == ' ')) continue;  // a libtype that no row has
      EXPECT_NE(CodeOf(std::string(name) + "=" + value), "") << name << "=" << value;
    }
  }
}

TEST(TunedQuery, a_build_has_a_name_and_a_revision_goes_with_nothing_that_moves) {
  const std::string digest(64, 'a');
  EXPECT_EQ(Parse("build=wheel-0.1")->build->Text(), "wheel-0.1");
  EXPECT_EQ(Parse("build=wheel@" + digest)->build->sha256, digest);
  for (const std::string& bad :
       std::vector<std::string>{"", "a b", "@" + digest, "wheel@", "wheel@" + digest + "0",
                                "wheel@" + std::string(64, 'A'), std::string(101, 'a')}) {
    EXPECT_EQ(CodeOf("build=" + bad), "bad_build_name") << bad;
  }
  // A build's bare name means its newest manifest, and measurements change with the next batch.
  // Neither can be combined with a revision.
  const std::string pinned = "wheel@" + std::string(64, 'a');
  EXPECT_EQ(CodeOf("build=wheel&revision=1"), "bad_parameter");
  EXPECT_EQ(CodeOf("build=" + pinned + "&revision=1"), "");
  EXPECT_FALSE(Parse("build=" + pinned + "&revision=1")->chooses());
  EXPECT_TRUE(Parse("build=" + pinned)->chooses());
  for (const char* name : {"rocm", "aiter", "since"}) {
    EXPECT_EQ(CodeOf(name + std::string("=2026-01-31&revision=1")), "bad_parameter") << name;
  }
}

TEST(TunedQuery, one_answer_has_one_canonical_text_and_others_have_others) {
  const auto canonical = [](const std::string& query) { return Parse(query)->canonical; };
  EXPECT_EQ(canonical("gfx=gfx942,gfx950&M=16"), canonical("M=16.0&gfx=gfx950&gfx=gfx942:xnack-"));
  EXPECT_EQ(canonical("gfx=gfx942&cu_num=304"), canonical("target=gfx942:304"));
  EXPECT_EQ(canonical("gpu_archs=gfx942"), canonical("target=gfx942:304"));
  EXPECT_EQ(canonical("M=32&M=16&M=32"), canonical("M=16&M=32"));
  EXPECT_EQ(canonical("libtype=ck,asm,ck"), canonical("libtype=asm&libtype=ck"));
  EXPECT_EQ(canonical("format=csv&columns=current&measured=all"), canonical(""));
  std::vector<std::string> requests = test::Words(
      "gfx=gfx942 gfx=gfx950 cu_num=304 target=gfx942:304 M=16 N=16 M=16&M=32 provider=aiter "
      "provider=tunehub revision=0 revision=1 measured=only columns=legacy format=json libtype=ck "
      "libtype=ck,asm prune=padded model=a&tp=1 model=b&tp=1 model=a&tp=2 build=a build=b rocm=6 "
      "aiter=6 since=2026-01-31 since=2026-01-30");
  requests.push_back("");
  requests.push_back("build=a@" + std::string(64, '0'));
  std::set<std::string> texts;
  for (const std::string& request : requests) texts.insert(Parse(request)->canonical);
  EXPECT_EQ(texts.size(), requests.size());
}

// Versions are free text. The query must never take a version's text for another parameter.
TEST(TunedQuery, no_text_of_a_parameter_makes_the_canonical_text_of_two_parameters) {
  std::set<std::string> texts;
  const std::vector<std::string> requests = {"rocm=a&aiter=b",
                                             "rocm=a\x1f"
                                             "A=b",
                                             "rocm=a3:A=b",
                                             "rocm=a&aiter=b3:S=1",
                                             "libtype=ck&rocm=a",
                                             "libtype=ck\x1fR=a"};
  for (const std::string& request : requests) texts.insert(Parse(request)->canonical);
  EXPECT_EQ(texts.size(), requests.size());
}

}  // namespace
}  // namespace tunehub::server
