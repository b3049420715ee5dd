// Coverage of a config.json in an untrusted request body.
#include "tests/e2e/hub_fixture.h"
#include "tests/support/gzip.h"

namespace tunehub::test {
namespace {

constexpr std::size_t kMostBytes = 4'194'304;

class CoverageConfig : public HubTest {
 protected:
  // The config of a shipped model.
  static std::string Config(const std::string& model) {
    const auto file =
        Json::parse(ReadText(ShippedFamilyFolder().parent_path() / "models" / (model + ".json")));
    return file.at("config").dump();
  }
  static RawAnswer Post(const std::string& body, const std::string& query = "tp=8",
                        const Headers& headers = {}) {
    return Open().Post("/coverage/config?gfx=gfx942&" + query, body, headers);
  }
  // Posts a body, expects that the hub refuses it and stores nothing, and returns the refusal.
  static std::string Refused(const std::string& body, const std::string& query = "tp=8",
                             const Headers& headers = {}) {
    const std::string before = Stored();
    const RawAnswer answer = Post(body, query, headers);
    EXPECT_EQ(Stored(), before);
    return Verdict(answer) + ": " + JsonOf(answer).value("detail", "");
  }
};

TEST_F(CoverageConfig, is_that_of_the_model_with_these_figures) {
  for (const std::string query : {"tp=8", "tp=8&ep=8", "tp=8&dp_attention=8&engine=vllm"}) {
    auto asked = Json::parse(Post(Config("deepseek-v3"), query).body);
    auto known = Json::parse(Open().Get("/coverage?model=deepseek-v3&gfx=gfx942&" + query).body);
    ASSERT_FALSE(known.at("families").empty()) << query;
    EXPECT_EQ(asked.at("model"), "config.json");
    asked["model"] = known["model"];
    EXPECT_EQ(asked, known) << query;
  }
  const std::string csv = "tp=8&family=a8w8_blockscale&format=csv&state=missing";
  EXPECT_EQ(Post(Config("deepseek-v3"), csv).body,
            Open().Get("/coverage?model=deepseek-v3&gfx=gfx942&" + csv).body);
}

TEST_F(CoverageConfig, says_what_an_engine_would_say_of_the_split) {
  // On 8 GPUs, each gets 192 of 1536 features, but a block has 128.
  const auto refused = Json::parse(Post(Config("qwen3-235b-a22b"), "tp=8&dtype=fp8_block").body);
  EXPECT_EQ(refused.at("findings")[0].at("code"), "kv_heads_copied");
  EXPECT_EQ(refused.at("findings")[0].at("refused"), false);
  const auto& last = refused.at("findings").back();
  EXPECT_EQ(last.at("code"), "block");
  EXPECT_EQ(last.at("refused"), true);
  EXPECT_THAT(last.at("detail").get<std::string>(), HasSubstr("192"));
}

TEST_F(CoverageConfig, of_a_split_that_leaves_no_whole_parts_is_refused) {
  const std::string config = Config("qwen3-235b-a22b");
  EXPECT_EQ(Refused(config, "tp=7"),
            "422 bad_tp: tp 7 cannot divide the 64 attention heads of config.json evenly");
  EXPECT_EQ(Refused(config, "tp=8&ep=3"), "422 bad_ep: ep must divide tp (8), but ep is 3");
  EXPECT_EQ(Refused(config, "tp=8&dp_attention=3"),
            "422 bad_dp_attention: dp-attention must divide tp (8), but dp-attention is 3");
  EXPECT_EQ(Refused(config, "tp=0"), "400 bad_parameter: tp: '0' is not allowed; expected 1..1024");
  EXPECT_EQ(Refused(config, "ep=x"), "400 bad_parameter: ep: 'x' is not allowed; expected 1..1024");
  EXPECT_THAT(Refused(config, "model=qwen3-32b"),
              HasSubstr("400 unknown_parameter: unknown parameter 'model'"));
}

TEST_F(CoverageConfig, that_is_none_is_refused_with_the_place) {
  EXPECT_EQ(Refused(""), "422 bad_model: the body is empty; send a config.json");
  EXPECT_EQ(Refused(R"({"hidden_size":1,"hidden_size":2})"),
            "422 bad_model: config.json: has the member hidden_size twice");
}

TEST_F(CoverageConfig, with_a_member_that_nobody_knows_is_noted) {
  auto config = Json::parse(Config("qwen3-32b"));
  config["zeta"] = 1;
  const std::string detail =
      "zeta is an unknown member, which may change a shape or a layer's storage";
  const auto noted = Json::parse(Post(config.dump()).body);
  EXPECT_EQ(noted.at("findings")[0],
            Json({{"code", "unknown_member"}, {"detail", detail}, {"refused", false}}));
  EXPECT_FALSE(noted.at("coverage").is_null());
  config["quantization_config"] = {{"quant_method", "hqq"}};
  const auto doubted = Json::parse(Post(config.dump()).body);
  EXPECT_TRUE(doubted.at("coverage").is_null());
  EXPECT_THAT(doubted.at("findings").dump(), HasSubstr("unknown_scheme"));
  EXPECT_THAT(doubted.at("findings").dump(), HasSubstr("quantization_config.quant_method 'hqq'"));
}

TEST_F(CoverageConfig, of_any_depth_and_size_leaves_the_server_alive) {
  std::string deep(400'000, '[');
  deep.append(400'000, ']');
  EXPECT_EQ(Refused(R"({"a":)" + deep + "}"),
            "422 bad_model: config.json: more than 32 nested brackets");
  EXPECT_THAT(Refused(deep), HasSubstr("422 bad_model"));
  const std::string large = Config("qwen3-32b") + std::string(kMostBytes, ' ');
  // This hub accepts bodies of up to 4 MiB.
  EXPECT_THAT(Refused(large), HasSubstr("413 body_too_large"));
  EXPECT_EQ(Refused(Gzip(large), "tp=8", {{"Content-Encoding", "gzip"}}),
            "413 too_large: the unpacked body is larger than 4194304 bytes");
  EXPECT_EQ(Refused("{}", "tp=8", {{"Content-Encoding", "gzip"}}),
            "400 bad_gzip: expected a gzip stream");
  const std::string most = Config("qwen3-32b");
  EXPECT_EQ(Post(most + std::string(kMostBytes - most.size(), ' ')).status, 200);
}

}  // namespace
}  // namespace tunehub::test
