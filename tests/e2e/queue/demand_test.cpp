// Demand over HTTP: clients post misses, read the shapes worth tuning, and make jobs by plans.
#include <chrono>
#include <set>
#include <thread>

#include "tests/e2e/queue/queue_hub.h"
#include "tests/support/comes.h"
#include "tests/support/gzip.h"

namespace tunehub::test {
namespace {

class DemandEndpoints : public QueueHubTest {
 protected:
  // All tests share a registry, so each test uses its own N.
  static Json Post(const std::string& query, const std::string& csv, const Headers& headers = {}) {
    return JsonOf(Good(Submitter().Post("/untuned/a8w8_blockscale" + query, csv, headers)));
  }
  static std::string Untuned(const std::string& query) {
    return Open().Get("/untuned/a8w8_blockscale?" + query).body;
  }
  static Json Plan(const std::string& body, const std::string& query = "") {
    return JsonOf(Good(Admin().Post("/jobs/plan" + query, body)));
  }
};

TEST_F(DemandEndpoints, counts_add_up_by_the_shape_that_a_lookup_pads_to) {
  const Json first =
      Post("?gfx=gfx1101&cu_num=80", "M,N,K,count\n37,101,3072,5\n37,101,3072,2\n9,101,3072,1\n");
  EXPECT_EQ(first.at("rows"), 3);
  EXPECT_EQ(first.at("shapes"), 2);
  EXPECT_EQ(first.at("new"), 2);
  EXPECT_EQ(first.at("count"), 8);
  const RawAnswer second = Good(Submitter().Post(
      "/untuned/a8w8_blockscale",
      R"({"gfx":"gfx1101","cu_num":80,"shapes":[{"M":37,"N":"101","K":3072,"count":10},{"M":0,"N":1,"K":1}]})",
      {{"Content-Type", "application/json"}}));
  EXPECT_EQ(JsonOf(second).at("new"), 0);
  EXPECT_EQ(JsonOf(second).at("rejected").at(0).at("row"), 2);
  EXPECT_EQ(JsonOf(second).at("rejected").at(0).at("column"), "M");
  const Json demand = JsonOf(Open().Get("/demand?gfx=gfx1101&family=a8w8_blockscale"));
  ASSERT_EQ(demand.at("demand").size(), 2U);
  EXPECT_EQ(demand.at("demand").at(0).at("shape"), Json::parse(R"({"M":48,"N":101,"K":3072})"));
  EXPECT_EQ(demand.at("demand").at(0).at("count"), 17);
  const auto page = Open().Get("/demand?gfx=gfx1101&limit=1");
  ASSERT_NE(page.NextPage().find("after="), std::string::npos);
  const Json rest = JsonOf(Open().Get(page.NextPage()));
  EXPECT_EQ(rest.at("demand").at(0).at("count"), 1);
}

TEST_F(DemandEndpoints, of_a_json_body_may_name_a_product_in_the_place_of_its_target) {
  const auto post = [](const std::string& target) {
    Good(Submitter().Post("/untuned/a8w8_blockscale",
                          "{" + target + R"(,"shapes":[{"M":3,"N":111,"K":3072}]})",
                          {{"Content-Type", "application/json"}}));
  };
  post(R"("gfx":"MI300X")");
  post(R"("gfx":"mi300x","cu_num":null)");
  post(R"("gfx":"MI300X","cu_num":80)");
  EXPECT_EQ(Untuned("gfx=gfx942&cu_num=304"), "M,N,K\n16,111,3072\n");
  const Json demand = JsonOf(Open().Get("/demand?gfx=gfx942&family=a8w8_blockscale")).at("demand");
  ASSERT_EQ(demand.size(), 2U);
  EXPECT_EQ(demand.at(0).at("cu_num"), 304);
  EXPECT_EQ(demand.at(0).at("count"), 2);
  EXPECT_EQ(demand.at(1).at("cu_num"), 80);
  EXPECT_EQ(Verdict(Submitter().Post("/untuned/a8w8_blockscale", R"({"gfx":"MI1","shapes":[]})",
                                     {{"Content-Type", "application/json"}})),
            "422 bad_json");
}

TEST_F(DemandEndpoints, a_body_that_is_sent_twice_with_one_key_counts_once) {
  const Headers key = {{"Idempotency-Key", "demand-1"}};
  const Json first = Post("?gfx=gfx1102", "M,N,K\n5,102,3072\n", key);
  EXPECT_EQ(Post("?gfx=gfx1102", "M,N,K\n5,102,3072\n", key), first);
  EXPECT_EQ(JsonOf(Open().Get("/demand?gfx=gfx1102")).at("demand").at(0).at("count"), 1);
  EXPECT_EQ(
      Verdict(Submitter().Post("/untuned/a8w8_blockscale?gfx=gfx1102", "M,N,K\n6,102,3072\n", key)),
      "422 idempotency_key_reused");
  EXPECT_EQ(Post("?gfx=gfx1102&dry_run=1", "M,N,K\n300,102,3072\n").at("new"), 1);
  EXPECT_EQ(JsonOf(Open().Get("/demand?gfx=gfx1102")).at("demand").size(), 1U);
}

TEST_F(DemandEndpoints, go_out_mapped_to_what_a_lookup_uses_the_most_wanted_first) {
  Post("?gfx=gfx1103&cu_num=80",
       "M,N,K,count\n37,103,3072,5\n40,103,3072,5\n1,103,3072,7\n300,103,3072,1\n");
  EXPECT_EQ(Untuned("gfx=gfx1103&cu_num=80"), "M,N,K\n48,103,3072\n1,103,3072\n320,103,3072\n");
  EXPECT_EQ(Untuned("gfx=gfx1103&cu_num=80&limit=1"), "M,N,K\n48,103,3072\n");
  const Json json = Json::parse(Untuned("gfx=gfx1103&cu_num=80&format=json"));
  EXPECT_EQ(json.at("shapes").at(0), Json::parse(R"({"M":48,"N":103,"K":3072,"count":10})"));
  EXPECT_EQ(Untuned("gfx=gfx1103&cu_num=81"), "M,N,K\n");
  EXPECT_EQ(Verdict(Open().Get("/untuned/a8w8_blockscale")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get("/untuned/a8w8_blockscale?gfx=gfx1103")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get("/untuned/nonesuch?gfx=gfx942")), "404 unknown_family");
}

TEST_F(DemandEndpoints, leave_out_what_the_target_has_tuned_and_nothing_else) {
  // Demand without a CU count counts for all targets with this gfx.
  Post("?gfx=gfx1104", "M,N,K,count\n37,2048,3072,2\n60,2048,3072,1\n");
  const std::string target = "gfx=gfx1104&cu_num=80";
  EXPECT_EQ(Untuned(target), "M,N,K\n48,2048,3072\n64,2048,3072\n");
  EXPECT_EQ(Submitter().Post(kResults, kHeader + Row(48, "0", "gfx1104")).status, 200);
  EXPECT_EQ(Untuned(target), "M,N,K\n48,2048,3072\n64,2048,3072\n") << "a row without a time";
  EXPECT_EQ(Submitter().Post(kResults, kHeader + Row(48, "900.0", "gfx1104")).status, 200);
  EXPECT_EQ(Untuned(target), "M,N,K\n64,2048,3072\n");
  EXPECT_EQ(Untuned("gfx=gfx1104&cu_num=81"), "M,N,K\n48,2048,3072\n64,2048,3072\n");
}

TEST_F(DemandEndpoints, come_out_of_a_log_whatever_stands_around_the_lines) {
  const std::string line =
      "[aiter] shape is M:77, N:107, K:3072, not found tuned config in "
      "/tmp/aiter_configs/a8w8_blockscale_tuned_gemm.csv, will use default config!\n";
  const std::string log =
      "INFO 01-31 loading\n(Worker_TP0 pid=7) " + line + "(Worker_TP1 pid=8) " + line + "done\n";
  for (const bool packed : {false, true}) {
    const RawAnswer answer =
        Good(packed ? Submitter().Post("/demand/logs?gfx=gfx1107&cu_num=80", Gzip(log),
                                       {{"Content-Encoding", "gzip"}})
                    : Submitter().Post("/demand/logs?gfx=gfx1107&cu_num=80", log));
    const Json receipt = JsonOf(answer);
    EXPECT_EQ(receipt.at("misses"), 2) << answer.body;
    EXPECT_EQ(receipt.at("families").at("a8w8_blockscale").at("shapes"), 1);
    EXPECT_EQ(receipt.at("new"), packed ? 0 : 1);
  }
  const Json demand = JsonOf(Open().Get("/demand?gfx=gfx1107"));
  EXPECT_EQ(demand.at("demand").at(0).at("shape").at("M"), 80);
  EXPECT_EQ(demand.at("demand").at(0).at("count"), 4);
  EXPECT_EQ(Untuned("gfx=gfx1107&cu_num=80"), "M,N,K\n80,107,3072\n");
  const auto nothing =
      JsonOf(Submitter().Post("/demand/logs", "nothing\n[aiter] shape is M:1, N\n"));
  EXPECT_EQ(nothing.at("misses"), 0);
  EXPECT_EQ(nothing.at("known"), 0);
  EXPECT_EQ(nothing.at("fragments"), 1);
  EXPECT_EQ(Verdict(Open().Post("/demand/logs", log)), "401 no_key");
}

// `capture --hub` makes the same demand from the same log.
TEST_F(DemandEndpoints, of_a_log_line_with_a_cu_count_alone_have_the_gfx_that_aiter_backfills) {
  const auto line = [](const std::string& target) {
    return "[aiter] [fused_moe] using 2stage default for (" + target +
           ", 64, 7168, 211, 257, 9, 'ActivationType.Silu', 'torch.bfloat16', "
           "'torch.float8_e4m3fn', 'torch.float8_e4m3fn', 'QuantType.per_1x128', True, False)\n";
  };
  const Json receipt = JsonOf(
      Good(Submitter().Post("/demand/logs", line("256") + line("'gfx950', 256") + line("257"))));
  EXPECT_EQ(receipt.at("families").at("fmoe").at("shapes"), 2) << receipt;
  const Json demand = JsonOf(Open().Get("/demand?family=fmoe")).at("demand");
  ASSERT_EQ(demand.size(), 2U);
  EXPECT_EQ(demand.at(0).at("gfx"), "gfx950");
  EXPECT_EQ(demand.at(0).at("cu_num"), 256);
  EXPECT_EQ(demand.at(0).at("count"), 2);
  EXPECT_EQ(demand.at(1).at("gfx"), Json()) << "AITER does not know this GPU";
}

TEST_F(DemandEndpoints, without_a_target_are_wanted_by_every_target) {
  EXPECT_EQ(Submitter().Post("/untuned/a4w4_blockscale", "M,N,K\n3,128,256\n").status, 200);
  EXPECT_EQ(Open().Get("/untuned/a4w4_blockscale?gfx=gfx942").body, "M,N,K\n16,128,256\n");
  EXPECT_EQ(Open().Get("/untuned/a4w4_blockscale?gfx=cpu-x86-64-v3&cu_num=2").body,
            "M,N,K\n16,128,256\n");
}

TEST_F(DemandEndpoints, what_is_wrong_is_named) {
  const auto refused = [](const std::string& body, const Headers& headers = {}) {
    return Verdict(Submitter().Post("/untuned/a8w8_blockscale", body, headers));
  };
  const Headers json = {{"Content-Type", "application/json"}};
  EXPECT_EQ(refused(""), "422 empty_table");
  EXPECT_EQ(refused("M,N\n1,2\n"), "422 missing_column");
  EXPECT_EQ(refused("{", json), "422 bad_json");
  EXPECT_EQ(refused("{\"rows\":[]}", json), "422 bad_json");
  EXPECT_EQ(refused("{\"shapes\":7}", json), "422 bad_json");
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(refused("{\"gfx\":" + deep + ",\"shapes\":[]}", json), "422 bad_json");
  EXPECT_EQ(refused("{\"shapes\":[{\"M\":1,\"N\":2,\"K\":3,\"count\":" + deep + "}]}", json),
            "422 bad_json");
  EXPECT_EQ(refused("<a/>", {{"Content-Type", "text/xml"}}), "415 bad_content_type");
  EXPECT_EQ(Verdict(Submitter().Post("/untuned/a8w8_blockscale?cu_num=0", "M,N,K\n")),
            "400 bad_parameter");
  EXPECT_EQ(Verdict(Submitter().Post("/untuned/a8w8_blockscale?atomic=1", "M,N,K\n0,1,1\n")),
            "422 rejected_rows");
}

TEST_F(DemandEndpoints, plans_make_jobs_of_what_is_neither_tuned_nor_queued) {
  Post("?gfx=gfx1105&cu_num=80",
       "M,N,K,count\n1,2048,3072,5\n2,2048,3072,4\n4,2048,3072,3\n8,2048,3072,2\n16,2048,3072,1\n");
  EXPECT_EQ(Submitter().Post(kResults, kHeader + Row(16, "900.0", "gfx1105")).status, 200);
  const std::string body =
      R"({"gfx":"gfx1105","cu_num":80,"family":"a8w8_blockscale","max_shapes_per_job":3,"campaign":"c"})";
  const Json dry = Plan(body, "?dry_run=1");
  EXPECT_EQ(dry.at("jobs").size(), 2U);
  EXPECT_EQ(dry.at("jobs").at(0).at("id"), Json());
  EXPECT_EQ(JsonOf(Open().Get("/jobs?gfx=gfx1105")).at("jobs").size(), 0U);
  const Json plan = Plan(body);
  ASSERT_EQ(plan.at("jobs").size(), 2U);
  EXPECT_EQ(plan.at("jobs").at(0).at("shapes"), 3);
  EXPECT_EQ(plan.at("jobs").at(0).at("weight"), 12);
  const Json& counts = plan.at("families").at("a8w8_blockscale");
  EXPECT_GE(counts.at("tuned"), 1);
  EXPECT_EQ(counts.at("planned"), 4);
  EXPECT_EQ(JsonOf(Open().Get("/jobs?campaign=c")).at("jobs").size(), 2U);
  const Json again = Plan(body);
  EXPECT_TRUE(again.at("jobs").empty());
  EXPECT_EQ(again.at("families").at("a8w8_blockscale").at("queued"), 4);
}

TEST_F(DemandEndpoints, plans_of_other_targets_bring_every_shape_that_somebody_tuned) {
  Good(Submitter().Post("/results/bf16",
                        "gfx,cu_num,M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,libtype,solidx,"
                        "splitK,us,kernelName,err_ratio,tflops,bw\n"
                        "gfx950,256,16,128,256,False,torch.bfloat16,torch.bfloat16,False,False,"
                        "hipblaslt,1,0,500.0,Cijk_a,0.0,1,1\n"));
  const Json plan =
      Plan(R"({"gfx":"cpu-x86-64-v4","cu_num":2,"family":"bf16","from":["other_targets"]})");
  ASSERT_EQ(plan.at("jobs").size(), 1U);
  const Json job = JsonOf(Open().Get("/jobs/" + plan.at("jobs").at(0).at("id").dump()));
  EXPECT_EQ(job.at("gfx"), "cpu-x86-64-v4");
  EXPECT_EQ(job.at("shapes").at(0).at("M"), 16);
  EXPECT_EQ(job.at("shapes").at(0).at("dtype"), "torch.bfloat16");
  EXPECT_EQ(
      Verdict(Admin().Post("/jobs/plan", R"({"gfx":"gfx942","cu_num":304,"family":"fhmoe"})")),
      "422 not_tunable");
  for (const char* body :
       {R"({"gfx":"gfx942"})", R"({"gfx":"gfx942","cu_num":304,"from":[]})",
        R"({"gfx":"gfx942","cu_num":304,"from":["everything"]})",
        R"({"gfx":"gfx942","cu_num":304,"from":[{"shapes":[{"M":1}]}]})",
        R"({"gfx":"gfx942","cu_num":304,"family":"bf16","from":[{"shapes":[]}]})",
        R"({"gfx":"gfx942","cu_num":304,"max_shapes_per_job":257})"}) {
    EXPECT_EQ(Verdict(Admin().Post("/jobs/plan", body)), "422 bad_request_body") << body;
  }
}

TEST_F(DemandEndpoints, plans_of_a_model_bring_what_serving_it_asks_for) {
  const Json plan =
      Plan(R"({"gfx":"gfx1108","cu_num":80,"family":"a8w8_blockscale","max_shapes_per_job":256,)"
           R"("from":[{"model":"qwen3-vl-32b","tp":8,"grid":"1,16"}]})",
           "?dry_run=1");
  // Four products (qkv, o, gate_up, down) with two M each.
  EXPECT_EQ(plan.at("families").at("a8w8_blockscale").at("planned"), 8) << plan;
  const auto refused = [](const std::string& source, const std::string& family) {
    return Verdict(Admin().Post(
        "/jobs/plan", R"({"gfx":"gfx1108","cu_num":80,)" + family + R"("from":[)" + source + "]}"));
  };
  const std::string family = R"("family":"a8w8_blockscale",)";
  EXPECT_EQ(refused(R"({"model":"nonesuch"})", family), "404 unknown_model");
  EXPECT_EQ(refused(R"({"model":"../models/qwen3-32b"})", family), "404 unknown_model");
  EXPECT_EQ(refused(R"({"model":"qwen3-vl-32b","tp":7})", family), "422 bad_tp");
  EXPECT_EQ(refused(R"({"model":"qwen3-vl-32b","tp":0})", family), "422 bad_request_body");
  EXPECT_EQ(refused(R"({"model":"qwen3-vl-32b","grid":"x"})", family), "422 bad_grid");
  EXPECT_EQ(refused(R"({"model":"qwen3-vl-32b","TP":8})", family), "422 bad_request_body");
  EXPECT_EQ(refused(R"({"model":"qwen3-vl-32b"})", ""), "422 bad_request_body");
}

TEST_F(DemandEndpoints, plans_of_a_model_have_the_same_shapes_with_and_without_a_limit_of_m) {
  const auto plan = [](const std::string& family, const std::string& more) {
    return Plan(R"({"gfx":"gfx942","cu_num":304,"family":")" + family +
                    R"(","from":[{"model":"deepseek-v3","tp":8,"grid":"1,16")" + more + "}]}",
                "?dry_run=1")
        .at("families");
  };
  for (const std::string family :
       {"triton_fused_moe", "triton_block_gemm", "a8w8_blockscale", "bf16"}) {
    const Json all = plan(family, "");
    EXPECT_GT(all.at(family).at("wanted"), 0) << family;
    EXPECT_EQ(plan(family, R"(,"max_m":16384)"), all) << family;
  }
}

TEST_F(DemandEndpoints, plans_of_demand_and_models_count_a_miss_once) {
  Post("?gfx=gfx1109&cu_num=80", "M,N,K,count\n16,1280,5120,900\n");
  for (const char* const more : {"", R"(,"max_m":16384)"}) {
    const std::string model =
        R"({"model":"qwen3-vl-32b","tp":8,"grid":"16")" + std::string(more) + "}";
    for (const std::string& from : {model, R"("demand",)" + model, model + "," + model}) {
      const Json plan = Plan(R"({"gfx":"gfx1109","cu_num":80,"family":"a8w8_blockscale",)"
                             R"("from":[)" +
                                 from + "]}",
                             "?dry_run=1");
      EXPECT_EQ(plan.at("jobs").at(0).at("weight"), 900) << from;
    }
  }
}

// The first claim for a target plans its demand. No plan uses a shape again that a job has tried,
// because an unsupported shape would return for ever.
TEST_F(DemandEndpoints, become_jobs_when_an_agent_asks_and_are_tried_once) {
  const std::string agent = "node/gpu190";
  std::set<std::string> tried;
  // The agent also gets the demand of other tests that names no target.
  const auto try_until = [&](const std::string& shape) {
    for (int i = 0; i < 300 && !tried.contains(shape); ++i) {
      const RawAnswer answer = Claim(agent, "gfx1190");
      if (answer.status == 204) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        continue;
      }
      const Json job = JsonOf(answer);
      for (const auto& it : job.at("shapes")) {
        EXPECT_TRUE(tried.insert(job.at("family").dump() + it.dump()).second) << it << " came back";
      }
      EXPECT_EQ(Say("complete", job.at("id"), agent, 1).status, 200);
    }
    return tried.contains(shape);
  };
  Post("?gfx=gfx1190&cu_num=304", "M,N,K,count\n37,190,3072,5\n");
  EXPECT_TRUE(try_until(R"("a8w8_blockscale"{"K":3072,"M":48,"N":190})"));
  Post("?gfx=gfx1190&cu_num=304", "M,N,K,count\n37,190,3072,1\n300,190,3072,1\n");
  EXPECT_TRUE(try_until(R"("a8w8_blockscale"{"K":3072,"M":320,"N":190})"));
}

}  // namespace
}  // namespace tunehub::test
