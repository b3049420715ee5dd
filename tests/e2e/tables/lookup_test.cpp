// AITER's lookups and coverage, over HTTP of a real server.
#include <algorithm>

#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

class LookupEndpoints : public HubTest {
 protected:
  static void SetUpTestSuite() {
    HubTest::SetUpTestSuite();
    // No model has a product with Row()'s N=2048 and K=3072.
    Good(Submitter().Post(kResults, kHeader + Row(16, "12.5") + Row(48, "20.5") +
                                        Row(64, "0", "gfx942", "304") + Qkv(16) + Qkv(1024)));
  }
  // A row for a product of qwen3-vl-32b at TP 8.
  static std::string Qkv(int m) {
    return "gfx942,304," + std::to_string(m) + ",1280,5120,ck,8,0,900.5," + kKernel +
           ",2.61,1304.22,0.0\n";
  }
  static Json LookUp(const std::string& query) {
    return JsonOf(Good(Open().Get("/lookup/a8w8_blockscale?" + query)));
  }
};

TEST_F(LookupEndpoints, name_the_row_and_the_step_that_found_it) {
  const Json exact = LookUp("gfx=gfx942&cu_num=80&M=16&N=2048&K=3072");
  EXPECT_EQ(exact.at("step"), "exact");
  EXPECT_EQ(exact.at("row").at("us"), 12.5);
  EXPECT_EQ(exact.at("row").at("standing"), "measured");
  EXPECT_EQ(exact.at("wanted"), Json());
  const Json padded = LookUp("gfx=gfx942:sramecc%2B&cu_num=80&M=33&N=2048&K=3072");
  EXPECT_EQ(padded.at("step"), "gl0");
  EXPECT_EQ(padded.at("row").at("M"), 48);
  EXPECT_EQ(padded.at("tried").size(), 2U);
  EXPECT_EQ(padded.at("tried").at(0).at("found"), false);
  EXPECT_EQ(padded.at("wanted").at("exact").at("M"), 33);
  EXPECT_EQ(padded.at("wanted").at("to_tune").at("M"), 48);
  const Json none = LookUp("gfx=gfx942&cu_num=80&M=65&N=2048&K=3072");
  EXPECT_EQ(none.at("step"), "default");
  EXPECT_EQ(none.at("row"), Json());
  EXPECT_FALSE(none.at("fallback").at("reason").get<std::string>().empty());
  EXPECT_EQ(LookUp("gfx=gfx942&M=64&N=2048&K=3072").at("row").at("standing"), "unmeasured")
      << "gfx942 usually has 304 CUs";
}

TEST_F(LookupEndpoints, see_a_new_row_at_once) {
  const std::string query = "gfx=gfx942&cu_num=80&M=200&N=2048&K=3072";
  const Json before = LookUp(query);
  EXPECT_EQ(before.at("step"), "default");
  ASSERT_EQ(Submitter().Post(kResults, kHeader + Row(200, "99.5")).status, 200);
  const Json after = LookUp(query);
  EXPECT_EQ(after.at("step"), "exact");
  EXPECT_EQ(after.at("revision"), before.at("revision").get<int>() + 1);
}

TEST_F(LookupEndpoints, name_what_is_wrong_with_a_question) {
  const auto verdict = [](const std::string& query) {
    const auto answer = Open().Get("/lookup/" + query);
    return Verdict(answer) + ": " + JsonOf(answer).at("detail").get<std::string>();
  };
  const std::string at = "a8w8_blockscale?gfx=gfx942&cu_num=304&";
  EXPECT_EQ(verdict("a9?gfx=gfx942").substr(0, 18), "404 unknown_family");
  EXPECT_EQ(verdict("a8w8_blockscale?M=1&N=1&K=1"), "400 bad_parameter: gfx: is missing");
  EXPECT_EQ(verdict(at + "M=1&N=1"),
            "400 bad_parameter: K: the column 'K' of a8w8_blockscale is missing");
  EXPECT_EQ(verdict(at + "M=0&N=1&K=1").substr(0, 20), "400 bad_parameter: M");
  EXPECT_EQ(verdict(at + "M=x&N=1&K=1").substr(0, 20), "400 bad_parameter: M");
  EXPECT_EQ(verdict(at + "M=1&M=2&N=1&K=1"), "400 bad_parameter: M: the column 'M' occurs twice");
  EXPECT_EQ(verdict(at + "M=1&N=1&K=1&B=2").substr(0, 21), "400 unknown_parameter");
  EXPECT_EQ(verdict("a8w8_blockscale?gfx=gfx90a&M=1&N=1&K=1").substr(0, 27),
            "400 bad_parameter: cu_num: ");
  EXPECT_THAT(verdict("a8w8_blockscale?gfx=gfx943&M=1&N=1&K=1"), HasSubstr("did you mean gfx942?"));
}

// engine=any, because the model is bf16 and vLLM reads no bf16 table.
const std::string kModel = "/coverage?model=qwen3-vl-32b&tp=8&gfx=gfx942&cu_num=304&engine=any";

TEST_F(LookupEndpoints, cover_a_model) {
  const RawAnswer answer = Good(Open().Get(kModel));
  const Json json = JsonOf(answer);
  EXPECT_EQ(json.at("tp"), 8);
  const auto found = std::ranges::find_if(
      json.at("families"), [](const Json& it) { return it.at("family") == "a8w8_blockscale"; });
  ASSERT_NE(found, json.at("families").end()) << answer.body;
  const Json& family = *found;
  EXPECT_EQ(family.at("columns"), Json::parse(R"(["N","K"])"));
  EXPECT_EQ(family.at("pairs").size(), 4U);
  // 64 layers, with two operations per element of N x K.
  EXPECT_EQ(family.at("pairs").at(0),
            Json::parse(R"({"N":1280,"K":5120,"layer":"qkv","flops_per_token":838860800.0})"));
  EXPECT_EQ(family.at("buckets").size(), 15U);
  EXPECT_EQ(family.at("cells").size(), 60U);
  EXPECT_EQ(family.at("totals").at("shapes"), 4 * 188);
  EXPECT_EQ(family.at("totals").at("exact"), 2) << "M=16 and M=1024 of qkv";
  // M = 1, 2, 4 and 8 find M = 16. The grid's points between 512 and 1024 find M = 1024.
  EXPECT_EQ(family.at("totals").at("gl0"), 4);
  EXPECT_EQ(family.at("totals").at("gl1"), 15);
  // In the buckets 1, 2, 3-4, 5-8 and 9-16, one pair of four is covered. In 513-1024 it is 16 of
  // 64.
  EXPECT_DOUBLE_EQ(family.at("headline").at("covered").get<double>(), 6 * 0.25 / 15);
}

TEST_F(LookupEndpoints, weigh_a_model_by_its_demand) {
  Good(Submitter().Post("/untuned/a8w8_blockscale?gfx=gfx942&cu_num=304",
                        "M,N,K,count\n1000,6400,5120,6\n3,1280,5120,2\n"));
  const Json family = JsonOf(Open().Get(kModel + "&family=a8w8_blockscale")).at("families").at(0);
  EXPECT_EQ(family.at("totals").at("demand"), 8);
  EXPECT_DOUBLE_EQ(family.at("headline").at("covered_by_demand").get<double>(), 0.25);
  EXPECT_DOUBLE_EQ(family.at("headline").at("covered").get<double>(), 6 * 0.25 / 15);
}

TEST_F(LookupEndpoints, list_the_missing_shapes_as_csv) {
  const RawAnswer answer =
      Good(Open().Get(kModel + "&family=a8w8_blockscale&format=csv&state=missing&grid=1,16,2048"));
  EXPECT_EQ(std::count(answer.body.begin(), answer.body.end(), '\n'), 1 + 3 * 3 + 1);
  EXPECT_THAT(answer.body, testing::HasSubstr("2048,1280,5120,missing,"));
}

TEST_F(LookupEndpoints, cover_a_list_of_shapes) {
  const std::string path = "/coverage?family=a8w8_blockscale&gfx=gfx942&cu_num=304";
  const RawAnswer csv = Good(Open().Post(path, "M,N,K,count\n16,1280,5120,3\n17,1280,5120,1\n"));
  const Json totals = JsonOf(csv).at("families").at(0).at("totals");
  EXPECT_EQ(totals.at("exact"), 1);
  EXPECT_EQ(totals.at("missing"), 1);
  EXPECT_EQ(totals.at("demand"), 4);
  const RawAnswer json = Good(Open().Post(path, R"({"shapes":[{"M":1000,"N":1280,"K":5120}]})",
                                          {{"Content-Type", "application/json"}}));
  EXPECT_EQ(JsonOf(json).at("families").at(0).at("totals").at("gl1"), 0);
  EXPECT_EQ(JsonOf(json).at("families").at(0).at("totals").at("gl0"), 1);
}

TEST_F(LookupEndpoints, name_what_is_wrong_with_a_coverage) {
  const auto get = [](const std::string& query) {
    const auto answer = Open().Get("/coverage?" + query);
    return Verdict(answer) + ": " + JsonOf(answer).at("detail").get<std::string>();
  };
  EXPECT_EQ(get("gfx=gfx942"), "400 bad_parameter: model: is missing");
  EXPECT_EQ(get("model=qwen3-vl-32b"), "400 bad_parameter: gfx: is missing");
  EXPECT_EQ(get("model=gpt&gfx=gfx942").substr(0, 45),
            "404 unknown_model: unknown model 'gpt'; did y");
  EXPECT_EQ(get("model=../x&gfx=gfx942").substr(0, 17), "404 unknown_model");
  EXPECT_EQ(get("model=qwen3-vl-32b&tp=7&gfx=gfx942&family=a8w8_blockscale"),
            "422 bad_tp: tp 7 cannot divide the 64 attention heads of qwen3-vl-32b evenly");
  EXPECT_EQ(get("model=qwen3-vl-32b&tp=8&gfx=gfx942&family=a8w8_blockscale&grid=0").substr(0, 12),
            "422 bad_grid");
  EXPECT_EQ(get("model=qwen3-vl-32b&gfx=gfx942&family=fmoe").substr(0, 14), "422 no_experts");
  EXPECT_EQ(get("model=qwen3-vl-32b&gfx=gfx942&format=csv"),
            "400 bad_parameter: family: is missing; a CSV has rows of one family");
  EXPECT_EQ(
      get("model=qwen3-vl-32b&gfx=gfx942&family=a8w8_blockscale&format=csv&state=x").substr(0, 13),
      "400 bad_state");
  const auto post = [](const std::string& query, const std::string& body) {
    return Verdict(Open().Post("/coverage?" + query, body));
  };
  const std::string at = "family=a8w8_blockscale&gfx=gfx942&cu_num=304";
  EXPECT_EQ(post("gfx=gfx942", "M,N,K\n"), "400 bad_parameter");
  EXPECT_EQ(post(at, ""), "422 empty_table");
  EXPECT_EQ(post(at, "M,N,K\n"), "422 no_shapes");
  EXPECT_EQ(post(at, "M,N\n1,2\n"), "422 missing_column");
  EXPECT_EQ(post(at, "M,N,K\n0,2,3\n"), "422 rejected_rows");
  EXPECT_EQ(post(at, "gfx,M,N,K\ngfx950,1,2,3\n"), "422 other_target");
}

// The start page sends this request.
TEST_F(LookupEndpoints, cover_the_known_models_table_by_table) {
  const RawAnswer answer = Good(Open().Get("/coverage/models?tp=8"));
  const Json json = JsonOf(answer);
  EXPECT_EQ(json.at("tp"), 8);
  const auto is_ours = [](const Json& it) {
    return it.at("family") == "a8w8_blockscale" && it.at("gfx") == "gfx942" &&
           it.at("cu_num") == 304;
  };
  const auto table = std::ranges::find_if(json.at("tables"), is_ours);
  ASSERT_NE(table, json.at("tables").end()) << answer.body;
  int covered = 0;
  for (const Json& model : table->at("models")) {
    const Json one =
        JsonOf(Open().Get("/coverage?tp=8&gfx=gfx942&cu_num=304&family=a8w8_blockscale&model=" +
                          model.at("model").get<std::string>()));
    const Json& family = one.at("families").at(0);
    EXPECT_EQ(model.at("covered"), family.at("headline").at("covered"));
    EXPECT_EQ(model.at("exact"), family.at("headline").at("exact"));
    EXPECT_EQ(model.at("shapes"), family.at("totals").at("shapes"));
    EXPECT_EQ(model.at("missing"), family.at("totals").at("missing").get<int>() +
                                       family.at("totals").at("unmeasured").get<int>());
    covered += model.at("missing") == 0 ? 1 : 0;
  }
  ASSERT_GT(table->at("models").size(), 3U);
  EXPECT_EQ(table->at("covered"), covered);
  const Json ours =
      JsonOf(Open().Get("/coverage/models?tp=8&family=a8w8_blockscale&gfx=gfx942&cu_num=304"));
  EXPECT_EQ(ours.at("tables"), Json::array({*table}));
  EXPECT_EQ(Verdict(Open().Get("/coverage/models?family=none")), "404 unknown_family");
}

// A family without any row is the largest gap, unless the architecture cannot run the family.
TEST_F(LookupEndpoints, cover_nothing_of_a_family_without_a_row_and_say_so) {
  const Json json = JsonOf(Open().Get(kModel));
  const auto of = [&](const std::string& name) {
    for (const Json& it : json.at("families")) {
      if (it.at("family") == name) return it;
    }
    return Json();
  };
  const Json empty = of("a8w8_bpreshuffle");
  ASSERT_TRUE(empty.is_object()) << json;
  EXPECT_EQ(empty.at("totals").at("missing"), empty.at("totals").at("shapes"));
  EXPECT_GT(empty.at("totals").at("shapes"), 100);
  EXPECT_EQ(empty.at("headline").at("covered"), 0);
  EXPECT_TRUE(of("a4w4_blockscale").is_null()) << "gfx942 has no fp4";
}

TEST_F(LookupEndpoints, cover_the_known_models_as_of_now) {
  const auto exact = [] {
    const Json json = JsonOf(Open().Get("/coverage/models?tp=8"));
    for (const Json& it : json.at("tables")) {
      for (const Json& model : it.at("models")) {
        if (it.at("cu_num") == 304 && model.at("model") == "Qwen/Qwen3-VL-32B-Instruct-FP8") {
          return model.at("exact").get<double>();
        }
      }
    }
    return -1.0;
  };
  const double before = exact();
  ASSERT_EQ(Submitter().Post(kResults, kHeader + Qkv(2048)).status, 200);
  EXPECT_GT(exact(), before);
}

TEST_F(LookupEndpoints, cover_no_model_that_cannot_be_split_so) {
  const Json json = JsonOf(Open().Get("/coverage/models?tp=7"));
  EXPECT_EQ(json.at("tables"), Json::array());
  EXPECT_EQ(Verdict(Open().Get("/coverage/models?tp=0")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get("/coverage/models?model=x")), "400 unknown_parameter");
}

// AITER's lookup of fused MoE ignores the activation and uses the file's first row that fits.
class FoundFirst : public HubTest {};

TEST_F(FoundFirst, a_strangers_slower_row_of_another_activation_is_not_found) {
  const std::string header =
      "gfx,cu_num,token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,"
      "use_g1u1,doweight_stage1,block_m,ksplit,kernelName1,err1,kernelName2,err2,us\n";
  const auto row = [](const std::string& activation, const std::string& us) {
    return "gfx942,304,16,4096,1536,128,8,ActivationType." + activation +
           ",torch.bfloat16,torch.float8_e4m3fnuz,torch.float8_e4m3fnuz,QuantType.per_Token,1,0,32,"
           "0,moe_ck2stages_a,0.0%,moe_ck2stages_b,0.0%," +
           us + "\n";
  };
  const auto found = [] {
    return JsonOf(Open().Get("/lookup/fmoe?gfx=gfx942&cu_num=304&token=16&model_dim=4096&inter_dim="
                             "1536&expert=128&topk=8&act_type=ActivationType.Silu&dtype="
                             "torch.bfloat16&q_dtype_a=torch.float8_e4m3fnuz&q_dtype_w="
                             "torch.float8_e4m3fnuz&q_type=QuantType.per_Token&use_g1u1=1&"
                             "doweight_stage1=0"))
        .at("row")
        .at("us")
        .get<double>();
  };
  const auto first = [](const std::string& query) {
    const std::string table = Open().Get("/tuned/fmoe?gfx=gfx942" + query).body;
    const auto at = table.find("ActivationType.");
    return table.substr(at, table.find(',', at) - at);
  };
  Good(Admin().Post("/results/fmoe", header + row("Gelu", "900")));
  const std::string pin = JsonOf(Open().Get("/revisions")).at("revisions")[0].at("pin");
  Good(Submitter().Post("/results/fmoe", header + row("No", "990") + row("Silu", "950")));
  EXPECT_EQ(first(""), "ActivationType.Gelu");
  EXPECT_EQ(first("&revision=" + pin), "ActivationType.Gelu");
  EXPECT_EQ(first("&act_type=ActivationType.Silu"), "ActivationType.Silu");
  EXPECT_EQ(found(), 900);
  ASSERT_EQ(Submitter().Post("/results/fmoe", header + row("Silu", "890")).status, 200);
  EXPECT_EQ(first(""), "ActivationType.Silu");
  EXPECT_EQ(found(), 890);
  const std::string now = JsonOf(Open().Get("/revisions")).at("revisions")[0].at("pin");
  ASSERT_EQ(Submitter().Post("/results/fmoe", header + row("Silu", "895")).status, 200);
  EXPECT_EQ(first("&revision=" + now), "ActivationType.Silu");
}

}  // namespace
}  // namespace tunehub::test
