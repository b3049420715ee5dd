// Speed-ups, comparisons and heuristics over HTTP of a real server.
#include <algorithm>

#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

class Analysis : public HubTest {
 protected:
  static int NewRun(const std::string& members) {
    const auto answer = Submitter().Post("/runs", members);
    return JsonOf(answer).at("id").get<int>();
  }
  static Json Measured(int m, double us, const std::string& kernel, const std::string& gfx,
                       bool is_default = false) {
    Json row = {{"gfx", gfx}, {"cu_num", 304},       {"M", m},        {"N", 1280},
                {"K", 5120},  {"libtype", "ck"},     {"kernelId", 1}, {"splitK", 0},
                {"us", us},   {"kernelName", kernel}};
    if (is_default) row["is_default"] = true;
    return row;
  }
  // `rows` rows for each N. Small products run one kernel, large products another.
  static std::vector<Json> Learnable(int rows, const std::vector<int>& ns, const std::string& gfx,
                                     const std::string& prefix = "") {
    std::vector<Json> all;
    for (int i = 1; i <= rows; ++i) {
      for (const int n : ns) {
        const char* const size = i * 16 * n <= 2'000'000 ? "small" : "large";
        all.push_back(Measured(i * 16, 500, prefix + size, gfx));
        all.back()["N"] = n;
      }
    }
    return all;
  }
  // Sends rows with an admin's key, because their kernels belong to no family.
  static void Send(int run, const std::vector<Json>& rows) {
    Good(Admin().PostJson(kResults + "?run=" + std::to_string(run), {{"rows", rows}}));
  }
};

TEST_F(Analysis, speedups_are_of_what_was_measured_and_count_what_was_not) {
  const int run = NewRun(R"({"host":"a","campaign":"spring"})");
  Send(run, {Measured(16, 40, "slow", "gfx2001", true), Measured(16, 10, "fast", "gfx2001"),
             Measured(32, 30, "slow", "gfx2001", true), Measured(32, 20, "fast", "gfx2001"),
             Measured(64, 30, "other", "gfx2001"), Measured(64, 20, "fast", "gfx2001"),
             Measured(128, 20, "fast", "gfx2001")});
  const Json json = JsonOf(Open().Get("/speedups?gfx=gfx2001"));
  EXPECT_EQ(json.at("keys"), 3);
  EXPECT_EQ(json.at("without_default"), 1);
  EXPECT_EQ(json.at("tuned_alone"), 1);
  const Json& tuned = json.at("tuned_over_default");
  EXPECT_EQ(tuned.at("keys"), 2);
  EXPECT_NEAR(tuned.at("geometric_mean").get<double>(), 2.4495, 1e-4);
  EXPECT_DOUBLE_EQ(tuned.at("median").get<double>(), 2.75);
  EXPECT_DOUBLE_EQ(tuned.at("above_2x").get<double>(), 0.5);
  EXPECT_EQ(tuned.at("worst_key").at("shape"), "M=32 N=1280 K=5120");
  EXPECT_EQ(tuned.at("histogram"), Json::parse(R"([{"log2_from":0.5,"log2_to":0.75,"keys":1},
                            {"log2_from":2.0,"log2_to":2.25,"keys":1}])"));
  EXPECT_EQ(json.at("by").at("campaign").at(0).at("name"), "spring");
  EXPECT_EQ(json.at("by").at("m_bucket").size(), 3U);
  // At TP 8, 1280 x 5120 is the model's qkv projection on each GPU.
  const Json model = JsonOf(Open().Get("/speedups?gfx=gfx2001&model=qwen3-vl-32b&tp=8"));
  EXPECT_EQ(model.at("keys"), 3);
  EXPECT_EQ(JsonOf(Open().Get("/speedups?gfx=gfx2001&model=qwen3-vl-32b&tp=4")).at("keys"), 0);
  EXPECT_EQ(JsonOf(Open().Get("/speedups?gfx=gfx2001&campaign=autumn")).at("keys"), 0);
  const auto csv = Open().Get("/speedups?gfx=gfx2001&format=csv");
  EXPECT_THAT(csv.body, HasSubstr("a8w8_blockscale,gfx2001:304,M=16 N=1280 K=5120,spring,"
                                  "40.0,,10.0,4.0,,\n"));
  // The next answer must include later measurements.
  Send(run, {Measured(64, 80, "slow", "gfx2001", true)});
  EXPECT_EQ(JsonOf(Open().Get("/speedups?gfx=gfx2001")).at("without_default"), 0);
}

TEST_F(Analysis, a_family_of_engines_has_speedups_over_what_they_run_untuned) {
  const std::string rows =
      "rocm,AMD_Instinct_MI355X,,GemmTunableOp_BFloat16_TN,tn_16_16_16_ld_16_16_16,";
  Good(Submitter().Post("/results/tunableop", "engine,device,validators,op,params,solution,us\n" +
                                                  rows + "Default,20\n" + rows +
                                                  "Gemm_Hipblaslt_1,5\n"));
  const Json json = JsonOf(Open().Get("/speedups?family=tunableop"));
  EXPECT_EQ(json.at("keys"), 1);
  EXPECT_EQ(json.at("tuned_alone"), 0);
  EXPECT_DOUBLE_EQ(json.at("tuned_over_default").at("geometric_mean").get<double>(), 4);
  EXPECT_EQ(Verdict(Open().Get("/heuristics/tunableop?gfx=gfx950&cu_num=256")), "409 too_few_rows");
}

TEST_F(Analysis, a_comparison_of_two_runs_says_what_became_slower) {
  const int before = NewRun(R"({"host":"a","rocm":"6.4","aiter":"one"})");
  const int after = NewRun(R"({"host":"a","rocm":"7.0","aiter":"one"})");
  Send(before, {Measured(16, 100, "x", "gfx2002"), Measured(32, 100, "x", "gfx2002"),
                Measured(64, 50, "x", "gfx2002"), Measured(128, 3, "x", "gfx2002")});
  Send(after, {Measured(16, 150, "x", "gfx2002"), Measured(32, 100.9, "x", "gfx2002"),
               Measured(128, 9, "x", "gfx2002"), Measured(256, 9, "x", "gfx2002")});
  const std::string path = "/compare?base=" + std::to_string(before);
  const Json json = JsonOf(Good(Open().Get(path + "&head=" + std::to_string(after))));
  EXPECT_EQ(json.at("counts").at("slower"), 1);
  EXPECT_EQ(json.at("counts").at("same"), 1);
  EXPECT_EQ(json.at("counts").at("below_floor"), 1);
  EXPECT_EQ(json.at("counts").at("not_measured_in_head"), 1);
  EXPECT_EQ(json.at("counts").at("not_measured_in_base"), 1);
  EXPECT_EQ(json.at("base").at("environment").at("rocm"), "6.4");
  EXPECT_EQ(json.at("head").at("environment").at("rocm"), "7.0");
  EXPECT_EQ(json.at("repetition"), false);
  EXPECT_EQ(json.at("differing"), Json::array({"rocm"}));
  EXPECT_EQ(json.at("shapes").at(0).at("change"), "slower");
  EXPECT_EQ(json.at("shapes").at(0).at("shape").at("M"), 16);
  const Json environments = JsonOf(Open().Get("/compare?base=rocm:6.4,aiter:one&head=rocm:7.0"));
  EXPECT_EQ(environments.at("counts"), json.at("counts"));
  const std::string head = path + "&head=" + std::to_string(after);
  EXPECT_EQ(JsonOf(Open().Get(head + "&ratio=2")).at("counts").at("slower"), 0);
  EXPECT_THAT(Open().Get(head + "&format=csv").body, HasSubstr(",slower,100.0,150.0,"));
  const auto same = Open().Get(path + "&head=" + std::to_string(before));
  EXPECT_EQ(JsonOf(same).at("counts").at("same"), 3);
  // Each kind of change has a filter, and each page an offset.
  const Json last = JsonOf(Open().Get(head + "&sort=base&after=4"));
  EXPECT_EQ(last.at("matching"), 5);
  EXPECT_EQ(last.at("listed"), 1);
  EXPECT_EQ(JsonOf(Open().Get(head + "&change=not_measured_in_head"))
                .at("shapes")
                .at(0)
                .at("shape")
                .at("M"),
            64);
  for (const char* query : {"&change=slow", "&sort=kernel", "&after=-1"}) {
    EXPECT_EQ(Verdict(Open().Get(head + query)), "400 bad_parameter") << query;
  }
}

TEST_F(Analysis, differences_are_between_any_two_states) {
  const int first = NewRun(R"({"host":"a","rocm":"6.4"})");
  const int second = NewRun(R"({"host":"a","rocm":"7.0"})");
  Send(first, {Measured(16, 100, "x", "gfx2003"), Measured(32, 3, "x", "gfx2003")});
  Send(second, {Measured(16, 150, "x", "gfx2003"), Measured(32, 3.5, "x", "gfx2003"),
                Measured(64, 50, "x", "gfx2003")});
  const std::string path = "/differences?gfx=gfx2003";
  const std::string of_run = "run:" + std::to_string(second);
  const auto kinds = [&](const std::string& query) {
    std::map<std::string, std::string> found;
    const Json answer = JsonOf(Good(Open().Get(path + query)));
    for (const Json& it : answer.at("differences")) found[it.at("key").at("M")] = it.at("kind");
    return found;
  };
  const std::map<std::string, std::string> all = {
      {"16", "slower"}, {"32", "below_floor"}, {"64", "not_measured_before"}};
  EXPECT_EQ(kinds("&run=" + std::to_string(second)), all);
  EXPECT_EQ(kinds("&from=before-" + of_run + "&to=" + of_run), all);
  EXPECT_EQ(kinds("&since=before-" + of_run), all);
  EXPECT_EQ(kinds("&from=run:" + std::to_string(first) + "&to=now&kind=below_floor"),
            (std::map<std::string, std::string>{{"32", "below_floor"}}));
  EXPECT_EQ(kinds("&from=now&to=9999-12-31").size(), 0U);
  const Json back = JsonOf(Open().Get(path + "&from=" + of_run + "&to=before-" + of_run));
  EXPECT_EQ(back.at("counts").at("faster"), 1);
  EXPECT_EQ(back.at("counts").at("not_measured_after"), 1);
  EXPECT_EQ(back.at("from").at("asked"), of_run);
  EXPECT_GT(back.at("from").at("revision"), back.at("to").at("revision"));
  EXPECT_EQ(back.at("differences")[0].at("before").at("us"), 150);
  EXPECT_EQ(back.at("differences")[0].at("after").at("us"), 100);
  for (const char* query : {"&from=soon", "&to=999999", "&from=7d&since=7d", "&run=1&to=now",
                            "&run=x", "&kind=removed", "&from=2026-02-30"}) {
    EXPECT_EQ(Verdict(Open().Get(path + query)),
              std::string(query) == "&to=999999" ? "404 unknown_revision" : "400 bad_parameter")
        << query;
  }
  EXPECT_EQ(Verdict(Open().Get(path + "&to=run:999999")), "404 unknown_run");
}

// As in a suite's two sides: the same kernel name, but different compilers.
TEST_F(Analysis, a_comparison_of_pushed_runs_knows_environments_by_every_fact) {
  const auto run = [](const std::string& triton, const std::string& async, int slower,
                      const std::string& note) {
    const int id = NewRun(R"({"rocm":"7.2.0","triton":")" + triton + R"(","note":")" + note +
                          R"(","facts":{"async_copy":)" + async + R"(,"env":")" + note + R"("}})");
    std::vector<Json> rows;
    for (int i = 0; i < 110; ++i)
      rows.push_back(Measured(16 * (i + 1), i < slower ? 1000 : 100, "x", "gfx2019"));
    Send(id, rows);
    return std::to_string(id);
  };
  const std::string golden = run("3.4.0", "\"0\"", 0, "a"), before = run("3.7.0", "1", 22, "b"),
                    after = run("3.7.0", "1", 14, "c"), again = run("3.4.0", "0", 22, "d");
  const auto compared = [&](const std::string& base, const std::string& head) {
    return JsonOf(Good(Open().Get("/compare?base=" + base + "&head=" + head)));
  };
  const Json summed = compared(golden, after);
  EXPECT_EQ(summed.at("differing"), Json::array({"async_copy", "triton"}));
  EXPECT_EQ(summed.at("matching"), 110);
  EXPECT_EQ(summed.at("shapes").size(), 100U) << "by default the hub lists at most this many";
  EXPECT_EQ(compared("async_copy:0,env:a", "async_copy:1,env:c").at("counts").at("slower"), 14);
  const Json repeated = compared(golden, again);
  EXPECT_EQ(repeated.at("repetition"), true);
  EXPECT_EQ(repeated.at("counts").at("same_kernel"), 22);
  const Json mixed = compared(golden + "," + before, golden + "," + after);
  EXPECT_EQ(mixed.at("repetition"), false) << "each side has two environments";
}

// The hub reuses a comparison only while its runs stay the same.
TEST_F(Analysis, a_comparison_that_was_asked_before_knows_what_came_and_what_was_taken_back) {
  const int before = NewRun(R"({"host":"kept","rocm":"kept"})");
  const int after = NewRun(R"({"host":"kept","rocm":"later"})");
  Send(before, {Measured(16, 100, "x", "gfx2008"), Measured(32, 100, "x", "gfx2008")});
  Send(after, {Measured(16, 150, "x", "gfx2008")});
  const std::string runs =
      "/compare?base=" + std::to_string(before) + "&head=" + std::to_string(after);
  const std::string environments = "/compare?base=rocm:kept&head=rocm:later";
  const auto count = [](const std::string& path, const char* change) {
    return JsonOf(Good(Open().Get(path))).at("counts").at(change).get<int>();
  };
  EXPECT_EQ(count(runs, "slower"), 1);
  EXPECT_EQ(count(runs, "not_measured_in_head"), 1);
  EXPECT_EQ(count(environments, "not_measured_in_head"), 1);
  const std::string first = Open().Get(runs + "&change=slower").body;
  EXPECT_EQ(Open().Get(runs + "&change=slower").body, first);
  EXPECT_EQ(count(runs + "&ratio=2", "slower"), 0) << "other limits";
  Send(after, {Measured(32, 300, "x", "gfx2008")});
  EXPECT_EQ(count(runs, "slower"), 2) << "the run has another row";
  EXPECT_EQ(count(environments, "not_measured_in_head"), 0);
  Send(before, {Measured(16, 50, "y", "gfx2008")});
  EXPECT_EQ(JsonOf(Open().Get(runs)).at("shapes").at(0).at("base_us"), 50)
      << "the base run has another row, too";
  const int again = NewRun(R"({"host":"kept","rocm":"later","note":"again"})");
  Send(again, {Measured(32, 80, "x", "gfx2008"), Measured(64, 80, "x", "gfx2008")});
  EXPECT_EQ(count(environments, "not_measured_in_base"), 1)
      << "another run belongs to this environment";
  Good(Admin().Post("/runs/" + std::to_string(again) + "/revert", ""));
  EXPECT_EQ(count(environments, "not_measured_in_base"), 0) << "that run is reverted";
  // The answer "nothing can be compared" may change, too.
  const int nothing = NewRun(R"({"host":"kept","note":"nothing"})");
  const std::string none =
      "/compare?base=" + std::to_string(before) + "&head=" + std::to_string(nothing);
  EXPECT_EQ(Verdict(Open().Get(none)), "422 no_common_key");
  Send(nothing, {Measured(16, 50, "y", "gfx2008")});
  EXPECT_EQ(count(none, "same"), 1);
}

TEST_F(Analysis, what_runs_do_not_agree_on_becomes_a_job_to_measure_it_again) {
  const int run = NewRun(R"({"host":"b","rocm":"6.4"})");
  const int again = NewRun(R"({"host":"b","rocm":"6.4","campaign":"again"})");
  const int after = NewRun(R"({"host":"b","rocm":"7.0"})");
  Send(run, {Measured(16, 100, "x", "gfx2006"), Measured(32, 100, "x", "gfx2006")});
  Send(again, {Measured(16, 102, "x", "gfx2006"), Measured(32, 120, "x", "gfx2006")});
  Send(after, {Measured(16, 100, "x", "gfx2006"), Measured(32, 100, "x", "gfx2006")});
  const Json compared = {{"base", std::to_string(run) + "," + std::to_string(again)},
                         {"head", std::to_string(after)}};
  const auto plan = [](Json from) {
    const Json body = {{"gfx", "gfx2006"},
                       {"cu_num", 304},
                       {"family", "a8w8_blockscale"},
                       {"from", std::move(from)}};
    return Admin().PostJson("/jobs/plan", body);
  };
  const Json planned = JsonOf(plan({compared}));
  ASSERT_EQ(planned.at("jobs").size(), 1U) << planned;
  const std::string id = std::to_string(planned["jobs"][0]["id"].get<int>());
  const Json job = JsonOf(Open().Get("/jobs/" + id));
  EXPECT_EQ(job.at("purpose"), "verify");
  EXPECT_EQ(job.at("shapes"), Json::parse(R"([{"M":32,"N":1280,"K":5120}])"));
  EXPECT_EQ(JsonOf(plan({compared})).at("jobs").size(), 0U) << "the job is still open";
  EXPECT_EQ(Verdict(plan({compared, "demand"})), "422 bad_request_body");
  EXPECT_EQ(Verdict(plan({{{"base", "1"}, {"head", "x"}}})), "400 bad_parameter");
}

TEST_F(Analysis, a_plan_measures_the_tuned_shapes_of_a_model_whose_default_nobody_measured) {
  const int run = NewRun(R"({"host":"c"})");
  Send(run, {Measured(16, 40, "slow", "gfx2009", true), Measured(16, 10, "fast", "gfx2009"),
             Measured(32, 30, "slow", "gfx2009", true), Measured(64, 20, "fast", "gfx2009")});
  Json body = {{"gfx", "gfx2009"},
               {"cu_num", 304},
               {"family", "a8w8_blockscale"},
               {"purpose", "verify"},
               {"from", {{{"model", "qwen3-vl-32b"}, {"tp", 8}, {"max_m", 32}}}}};
  EXPECT_EQ(JsonOf(Admin().PostJson("/jobs/plan", body)).at("jobs").size(), 0U)
      << "no shape has an M up to that limit";
  body["from"][0].erase("max_m");
  const Json planned = JsonOf(Admin().PostJson("/jobs/plan", body));
  ASSERT_EQ(planned.at("jobs").size(), 1U) << planned;
  const Json job = JsonOf(Open().Get("/jobs/" + planned["jobs"][0]["id"].dump()));
  EXPECT_EQ(job.at("purpose"), "verify");
  EXPECT_EQ(job.at("shapes"), Json::parse(R"([{"M":64,"N":1280,"K":5120}])"));
}

TEST_F(Analysis, says_what_is_wrong_with_a_question) {
  const int run = NewRun(R"({"host":"lonely"})");
  Send(run, {Measured(16, 100, "x", "gfx2003")});
  const int other = NewRun(R"({"host":"other"})");
  Send(other, {Measured(32, 100, "x", "gfx2003")});
  const std::string base = "/compare?base=" + std::to_string(run);
  EXPECT_EQ(Verdict(Open().Get(base)), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get(base + "&head=abc")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get(base + "&head=99999")), "404 unknown_run");
  EXPECT_EQ(Verdict(Open().Get(base + "&head=rocm:none")), "404 no_runs");
  EXPECT_EQ(Verdict(Open().Get(base + "&head=" + std::to_string(other))), "422 no_common_key");
  EXPECT_EQ(Verdict(Open().Get(base + "&head=1&ratio=nan")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get("/speedups?model=none")), "404 unknown_model");
  EXPECT_EQ(Verdict(Open().Get("/speedups?tp=8")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get("/speedups?family=none")), "404 unknown_family");
  EXPECT_EQ(Verdict(Open().Get("/heuristics/a8w8_blockscale")), "400 bad_parameter");
  const auto few = Open().Get("/heuristics/a8w8_blockscale?gfx=gfx2003&cu_num=304");
  EXPECT_EQ(Verdict(few), "409 too_few_rows");
  EXPECT_THAT(few.body, HasSubstr("at least 200 tuned shapes"));
}

TEST_F(Analysis, a_heuristic_is_learned_once_for_a_revision) {
  Send(NewRun(R"({"host":"a","note":"heuristic"})"), Learnable(120, {1280, 2560, 5120}, "gfx2004"));
  const std::string path = "/heuristics/a8w8_blockscale?gfx=gfx2004&cu_num=304";
  const RawAnswer answer = Good(Open().Get(path));
  const Json json = JsonOf(answer);
  EXPECT_EQ(json.at("rows"), 360);
  EXPECT_EQ(json.at("sizes"), 3);
  EXPECT_LE(json.at("leaves"), 24);
  EXPECT_EQ(json.at("written_down"), Json());
  EXPECT_GT(json.at("scores").at("left_out").at("share"), 0.95);
  EXPECT_EQ(json.at("learned").at("tree").at("feature"), "MN");
  EXPECT_EQ(Open().Get(path).body, answer.body);
}

TEST_F(Analysis, a_filled_table_answers_every_shape_and_changes_no_row) {
  const std::string kGrammar = "a8w8_blockscale_1x128x128_";
  Send(NewRun(R"({"host":"a","note":"fill"})"),
       Learnable(100, {1280, 2560, 3840}, "gfx2005", kGrammar));
  const std::string path = "/tuned/a8w8_blockscale?target=gfx2005:304&model=qwen3-vl-32b&tp=8";
  const auto plain = Open().Get(path), filled = Open().Get(path + "&fill=heuristic");
  ASSERT_EQ(filled.status, 200) << filled.body;
  // Four products with 188 points each. 100 points of one product are tuned, and padding covers
  // more of its points.
  ASSERT_NE(filled.Header("tunehub-filled-rows"), "") << filled.body;
  const int count = std::stoi(filled.Header("tunehub-filled-rows"));
  EXPECT_GE(count, 3 * 188);
  EXPECT_LT(count, 4 * 188);
  EXPECT_EQ(std::count(filled.body.begin(), filled.body.end(), '\n'),
            std::count(plain.body.begin(), plain.body.end(), '\n') + count);
  EXPECT_THAT(filled.body,
              HasSubstr("gfx2005,304,1,5120,1024,ck,1,0,inf," + kGrammar + "small,0.0,0.0,0.0\n"));
  EXPECT_THAT(filled.body,
              HasSubstr("gfx2005,304,16384,5120,1024,ck,1,0,inf," + kGrammar + "large,"));
  const std::string a = Write("a.csv", filled.body), b = Write("b.csv", plain.body);
  const std::string merged = Path("merged.csv");
  RunToEnd({AgentBinary(), {"merge", a, b, "-o", merged, "--family", "a8w8_blockscale"}});
  EXPECT_EQ(ReadText(merged), filled.body);
  ASSERT_EQ(PutBuild("smalls", BuildOf(kGrammar + "small", "gfx2005")).status, 201);
  const RawAnswer fitted = Good(Open().Get(path + "&fill=heuristic&build=smalls"));
  EXPECT_THAT(fitted.body, testing::Not(HasSubstr("large")));
  ASSERT_NE(fitted.Header("tunehub-unfilled-rows"), "") << fitted.body;
  EXPECT_GT(std::stoi(fitted.Header("tunehub-unfilled-rows")), 0);
  EXPECT_GT(std::stoi(fitted.Header("tunehub-filled-rows")), 0);
  // A filled row covers nothing, so the hub still refuses require=padded.
  EXPECT_EQ(Verdict(Open().Get(path + "&fill=heuristic&require=padded")), "409 not_covered");
  EXPECT_EQ(Verdict(Open().Get(path + "&fill=heuristic&measured=only")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get("/tuned/a8w8_blockscale?target=gfx2006:304&model=qwen3-vl-32b&tp=8"
                               "&fill=heuristic")),
            "409 too_few_rows");
  // The header is 0 if the heuristic had nothing to fill.
  ASSERT_EQ(Submitter().Post("/results/a8w8_blockscale", filled.body).status, 200);
  EXPECT_EQ(Open().Get(path + "&fill=heuristic").Header("tunehub-filled-rows"), "0");
  EXPECT_EQ(Open().Get(path).Header("tunehub-filled-rows"), "");
}

}  // namespace
}  // namespace tunehub::test
