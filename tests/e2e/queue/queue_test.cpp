// The queue over HTTP of a real server: an agent's requests in order, lists and refusals.
#include "tests/e2e/queue/queue_hub.h"

namespace tunehub::test {
namespace {

class QueueEndpoints : public QueueHubTest {};

struct WrongBody {
  const char *body, *named;
};

TEST_F(QueueEndpoints, a_job_goes_from_the_admin_to_the_agent_and_back) {
  const auto job = NewJob("gfx1001", R"(,"priority":3,"campaign":"release")");
  const Json claimed = JsonOf(Claim("node/gpu0", "gfx1001"));
  EXPECT_EQ(claimed.at("id"), job);
  EXPECT_EQ(claimed.at("state"), "running");
  EXPECT_EQ(claimed.at("shapes"), Json::parse(R"([{"M":16,"N":1280,"K":5120}])"));
  EXPECT_EQ(claimed.at("cu_num"), Json());
  EXPECT_EQ(claimed.at("lease").at("epoch"), 1);
  EXPECT_EQ(claimed.at("lease").at("seconds"), 120.0);
  const RawAnswer beat =
      Good(Say("heartbeat", job, "node/gpu0", 1, R"(,"progress":{"done":1,"total":2})"));
  EXPECT_GE(JsonOf(beat).at("lease").at("expires"), claimed.at("lease").at("expires"));
  const Json agents = JsonOf(Open().Get("/agents?after=node/gpu&limit=1"));
  EXPECT_EQ(agents.at("agents").at(0).at("agent"), "node/gpu0");
  EXPECT_EQ(agents.at("agents").at(0).at("job"), job);
  const Json shown = JsonOf(Open().Get("/jobs/" + std::to_string(job)));
  EXPECT_EQ(shown.at("progress"), Json::parse(R"({"done":1,"total":2})"));
  EXPECT_EQ(shown.at("campaign"), "release");

  const auto run = JsonOf(Agent().Post("/runs", R"({"host":"node"})")).at("id").get<int>();
  Good(Agent().Post(kResults + "?run=" + std::to_string(run),
                    kHeader + Row(16, "900.0", "gfx1001", "304")));
  const RawAnswer done =
      Good(Say("complete", job, "node/gpu0", 1, ",\"run\":" + std::to_string(run)));
  EXPECT_EQ(JsonOf(done).at("state"), "done");
  EXPECT_EQ(JsonOf(done).at("run"), run);
  EXPECT_EQ(Verdict(Say("complete", job, "node/gpu0", 1)), "200");
  EXPECT_EQ(Claim("node/gpu0", "gfx1001").status, 204);
}

TEST_F(QueueEndpoints, another_epoch_agent_or_job_is_told_so) {
  const auto job = NewJob("gfx1002");
  ASSERT_EQ(Claim("a", "gfx1002").status, 200);
  for (const char* step : {"heartbeat", "complete", "release"}) {
    EXPECT_EQ(Verdict(Say(step, job, "a", 2)), "409 lease_lost") << step;
    EXPECT_EQ(Verdict(Say(step, job, "b", 1)), "409 lease_lost") << step;
    EXPECT_EQ(Verdict(Say(step, 123456, "a", 1)), "404 unknown_job") << step;
  }
  EXPECT_EQ(Verdict(Say("fail", job, "a", 2, R"(,"reason":"late")")), "409 lease_lost");
  EXPECT_EQ(Verdict(Say("complete", job, "a", 1, R"(,"run":999999)")), "404 unknown_run");
  EXPECT_EQ(Verdict(Say("complete", job, "a", 1)), "200");
}

TEST_F(QueueEndpoints, a_failing_job_is_parked_and_an_admin_queues_it_again) {
  const auto job = NewJob("gfx1003");
  for (int epoch = 1; epoch <= 3; ++epoch) {
    const std::string agent = "agent" + std::to_string(epoch);
    ASSERT_EQ(Claim(agent, "gfx1003").status, 200);
    const auto failed = Say("fail", job, agent, epoch, R"(,"reason":"the tuner hangs"})").status;
    EXPECT_EQ(failed, 422);  // the body has one brace too many
    EXPECT_EQ(Verdict(Say("fail", job, agent, epoch, R"(,"reason":"the tuner hangs")")), "200");
  }
  const Json parked = JsonOf(Open().Get("/jobs?state=parked&gfx=gfx1003"));
  ASSERT_EQ(parked.at("jobs").size(), 1U);
  EXPECT_EQ(parked.at("jobs").at(0).at("reasons").size(), 3U);
  EXPECT_EQ(parked.at("jobs").at(0).at("shape_count"), 1);
  EXPECT_FALSE(parked.at("jobs").at(0).contains("shapes"));
  const std::string path = "/jobs/" + std::to_string(job) + "/retry";
  EXPECT_EQ(Verdict(Agent().Post(path, "")), "403 wrong_scope");
  EXPECT_EQ(Verdict(Admin().Post(path, "")), "200");
  EXPECT_EQ(Verdict(Admin().Post(path, "")), "409 not_parked");
  EXPECT_EQ(Claim("agent9", "gfx1003").status, 200);
}

TEST_F(QueueEndpoints, name_what_is_wrong_with_a_body) {
  const WrongBody cases[] = {
      {"", "expected JSON"},
      {"[]", "must be an object"},
      {"{\"gfx\":\"gfx942\",\"cu_num\":304}", "/agent: is missing"},
      {R"({"agent":"","gfx":"gfx942","cu_num":304})", "/agent: must be 1 to 128 bytes"},
      {R"({"agent":"a\nb","gfx":"gfx942","cu_num":304})", "/agent: must be 1 to 128 bytes"},
      {R"({"agent":7,"gfx":"gfx942","cu_num":304})", "/agent: must be a string"},
      {R"({"agent":"a","gfx":"GFX","cu_num":304})", "/gfx: 'GFX': expected a GPU's product"},
      {R"({"agent":"a","gfx":"gfx942"})", "/cu_num: is missing"},
      {R"({"agent":"a","gfx":"gfx942","cu_num":0})", "/cu_num: must be 1 to 4096, but is 0"},
      {R"({"agent":"a","gfx":"gfx942","cu_num":"304"})", "/cu_num: must be an integer"},
      {R"({"agent":"a","gfx":"gfx942","cu_num":304,"families":[]})",
       "/families: must name at least one"},
      {R"({"agent":"a","gfx":"gfx942","cu_num":304,"familys":["bf16"]})",
       "/familys: is an unknown member"},
      {R"({"agent":"a","agent":"b","gfx":"gfx942","cu_num":304})", "twice"}};
  for (const WrongBody& it : cases) {
    const auto answer = Agent().Post("/jobs/claim", it.body);
    EXPECT_EQ(Verdict(answer), "422 bad_request_body") << it.body;
    EXPECT_THAT(JsonOf(answer).at("detail").get<std::string>(), testing::HasSubstr(it.named))
        << answer.body;
  }
  const Json excluded = {
      {"agent", "a"}, {"gfx", "gfx942"}, {"cu_num", 304}, {"except", std::vector<int>(1001, 1)}};
  const auto many = Agent().PostJson("/jobs/claim", excluded);
  EXPECT_EQ(many.status, 422) << many.body;
  EXPECT_THAT(many.body, HasSubstr("must be a list of at most 1000 jobs"));
  const std::string long_name(129, 'a');
  EXPECT_EQ(Verdict(Claim(long_name, "gfx942")), "422 bad_request_body");
  EXPECT_EQ(Verdict(Agent().Post("/jobs/claim", R"({"agent":"a","gfx":"gfx942","cu_num":304,)"
                                                R"("families":["nonesuch"]})")),
            "404 unknown_family");
  EXPECT_EQ(Verdict(Agent().Post("/jobs/claim", std::string(70'000, ' '))), "413 too_large");
  const std::string deep = std::string(30'000, '[') + std::string(30'000, ']');
  EXPECT_EQ(Verdict(Say("heartbeat", 1, "a", 1, ",\"progress\":" + deep)), "422 bad_request_body");
  EXPECT_EQ(Verdict(Agent().Post("/jobs/claim?x=1", "{}")), "400 unknown_parameter");
  EXPECT_EQ(Verdict(Agent().Post("/jobs/zero/fail", "{}")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Say("fail", 1, "a", 1)), "422 bad_request_body");
  EXPECT_EQ(Verdict(Say("heartbeat", 1, "a", 0)), "422 bad_request_body");
  EXPECT_EQ(
      Verdict(Say("heartbeat", 1, "a", 1, ",\"progress\":\"" + std::string(5000, 'x') + "\"")),
      "422 bad_request_body");
}

TEST_F(QueueEndpoints, name_what_is_wrong_with_a_shape) {
  const WrongBody cases[] = {
      {R"([{"M":16,"N":0,"K":1}])", "/shapes/0/N: out_of_range: 0: expected a number"},
      {R"([{"M":1,"N":1,"K":1},{"M":"x","N":1,"K":1}])", "/shapes/1/M: not_an_integer: 'x'"},
      {R"([{"M":16,"N":1}])", "/shapes/0/K: missing_column"},
      {R"([{"M":16,"N":1,"K":1,"us":3}])", "/shapes/0/us: unknown_column"},
      {R"([{"M":16,"N":1,"K":[1]}])", "/shapes/0/K: not_a_value"},
      {R"([7])", "/shapes/0: not_a_shape"}};
  for (const WrongBody& it : cases) {
    const auto answer = Admin().Post(
        "/jobs",
        std::string(R"({"family":"a8w8_blockscale","gfx":"gfx942","shapes":)") + it.body + "}");
    EXPECT_EQ(Verdict(answer), "422 bad_shape") << it.body;
    EXPECT_THAT(JsonOf(answer).at("detail").get<std::string>(), testing::HasSubstr(it.named))
        << answer.body;
  }
  for (const char* body :
       {R"({"family":"a8w8","gfx":"gfx942","shapes":[]})", R"({"family":"a8w8","gfx":"gfx942"})",
        R"({"family":"a8w8","gfx":"gfx942","shapes":[{}],"priority":1001})"}) {
    EXPECT_EQ(Verdict(Admin().Post("/jobs", body)), "422 bad_request_body") << body;
  }
  EXPECT_EQ(Verdict(Admin().Post("/jobs", R"({"family":"x","gfx":"gfx942","shapes":[{"M":1}]})")),
            "404 unknown_family");
}

TEST_F(QueueEndpoints, a_job_that_is_posted_again_with_its_key_is_the_same_job) {
  const std::string body =
      R"({"family":"a8w8_blockscale","gfx":"gfx1004","shapes":[{"M":1,"N":1,"K":1}]})";
  const Headers key = {{"Idempotency-Key", "job-1"}};
  const auto first = Admin().Post("/jobs", body, key);
  const auto again = Admin().Post("/jobs", body, key);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.Header("idempotency-replayed"), "true");
  EXPECT_EQ(JsonOf(first).at("id"), JsonOf(again).at("id"));
  EXPECT_EQ(first.Header("location"), "/jobs/" + JsonOf(first).at("id").dump());
  EXPECT_EQ(JsonOf(Open().Get("/jobs?gfx=gfx1004")).at("jobs").size(), 1U);
}

TEST_F(QueueEndpoints, two_agents_of_one_name_hold_a_job_each_by_their_instances) {
  const auto claim = [](const std::string& instance) {
    return JsonOf(Agent().Post("/jobs/claim", R"({"agent":"node/gpu","instance":")" + instance +
                                                  R"(","gfx":"gfx1101","cu_num":304})"));
  };
  NewJob("gfx1101");
  NewJob("gfx1101");
  const auto first = claim("one"), second = claim("other");
  EXPECT_NE(first["id"], second["id"]);
  EXPECT_EQ(claim("one")["id"], first["id"]);
  for (const char* step : {"heartbeat", "complete"}) {
    EXPECT_EQ(Verdict(Say(step, second["id"], "node/gpu", 1, R"(,"instance":"one")")),
              "409 lease_lost");
  }
  EXPECT_EQ(Verdict(Say("complete", second["id"], "node/gpu", 1, R"(,"instance":"other")")), "200");
  std::map<std::string, Json> jobs;
  const Json list = JsonOf(Open().Get("/agents?after=node"));
  for (const auto& agent : list.at("agents")) {
    if (agent["agent"] == "node/gpu") jobs[agent["instance"]] = agent["job"];
  }
  EXPECT_EQ(jobs["one"], first["id"]);
  EXPECT_EQ(jobs["other"], nullptr);
  EXPECT_EQ(JsonOf(Open().Get(
                "/agents?after=node/gpu&after_instance=one&limit=1"))["agents"][0]["instance"],
            "other");
}

TEST_F(QueueEndpoints, shapes_whose_results_arrived_are_not_handed_out_again) {
  const RawAnswer made = Good(
      Admin().Post("/jobs", R"({"family":"a8w8_blockscale","gfx":"gfx1102","cu_num":304,"shapes":[)"
                            R"({"M":16,"N":2048,"K":3072},{"M":32,"N":2048,"K":3072}]})"),
      201);
  const std::int64_t job = JsonOf(made)["id"];
  EXPECT_EQ(JsonOf(Claim("a", "gfx1102"))["shapes"].size(), 2U);
  const auto push = [](int m) {
    Good(Submitter().Post(kResults, kHeader + Row(m, "900.0", "gfx1102", "304")));
  };
  push(16);
  EXPECT_EQ(Verdict(Say("release", job, "a", 1)), "200");
  const auto rest = JsonOf(Claim("b", "gfx1102"));
  ASSERT_EQ(rest["shapes"].size(), 1U) << rest;
  EXPECT_EQ(rest["shapes"][0]["M"], 32);
  push(32);
  EXPECT_EQ(Verdict(Say("fail", job, "b", 2, R"(,"reason":"it was killed")")), "200");
  EXPECT_EQ(Claim("c", "gfx1102").status, 204);
  EXPECT_EQ(JsonOf(Open().Get("/jobs/" + std::to_string(job)))["state"], "done");
}

TEST_F(QueueEndpoints, lists_go_page_by_page) {
  for (int i = 0; i < 3; ++i) NewJob("gfx1005");
  const auto page = Open().Get("/jobs?gfx=gfx1005&limit=2");
  ASSERT_EQ(JsonOf(page).at("jobs").size(), 2U);
  ASSERT_THAT(page.NextPage(), testing::StartsWith("/jobs?gfx=gfx1005&limit=2&after="));
  const auto rest = Open().Get(page.NextPage());
  EXPECT_EQ(JsonOf(rest).at("jobs").size(), 1U);
  EXPECT_EQ(rest.Header("link"), "");
  EXPECT_EQ(Verdict(Open().Get("/jobs?state=lost")), "400 bad_parameter");
  EXPECT_EQ(Verdict(Open().Get("/jobs?family=lost")), "404 unknown_family");
  EXPECT_EQ(Verdict(Open().Get("/jobs/77777777")), "404 unknown_job");
  EXPECT_EQ(Verdict(Open().Get("/demand?after=1")), "400 bad_parameter");
}

}  // namespace
}  // namespace tunehub::test
