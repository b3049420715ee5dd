// Owners over HTTP: the keys of two teams, and the operator's view.
#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

using testing::Not;

class OwnersTest : public HubTest {
 protected:
  static std::string KeyOf(const std::string& owner, const std::string& scope = "submit",
                           std::vector<std::string> limits = {}) {
    limits.insert(limits.begin(), {"--owner", owner});
    return server_->NewKey(scope, limits);
  }
  static std::string Rows(int from, int to, const std::string& us = "7.5") {
    std::string rows = kHeader;
    for (int m = from; m <= to; ++m) rows += Row(m, us);
    return rows;
  }
  static RawAnswer Import(const std::string& key, const std::string& query,
                          const std::string& table) {
    return SendTree(server_->Client(key), query, {{"a8w8_blockscale_tuned_gemm.csv", table}});
  }
};

TEST_F(OwnersTest, another_teams_key_changes_neither_source_nor_run) {
  const std::string team = KeyOf("kernels"), other = KeyOf("engines");
  const auto receipt = JsonOf(Import(team, "source=kernels", Rows(1, 3)));
  const std::string run = "/runs/" + receipt.at("run").dump();
  EXPECT_EQ(JsonOf(Open().Get(run)).at("owner"), "kernels");
  const std::string before = Stored();
  const RawAnswer refused = Import(other, "source=kernels", Rows(1, 3, "6.5"));
  EXPECT_EQ(Verdict(refused), "403 not_owner");
  EXPECT_THAT(refused.body, HasSubstr("source 'kernels' belongs to 'kernels', but the key acts for "
                                      "'engines'"));
  EXPECT_EQ(Verdict(server_->Client(other).Post(run + "/revert", "")), "403 not_owner");
  EXPECT_EQ(Verdict(Submitter().Post(run + "/revert", "")), "403 wrong_scope")
      << "its key has no owner";
  EXPECT_EQ(Stored(), before);
  const std::string night = R"({"started":"2026-01-31T22:00:00Z","note":"night"})";
  const auto mine = JsonOf(server_->Client(team).Post("/runs", night));
  const auto theirs = JsonOf(server_->Client(other).Post("/runs", night));
  EXPECT_NE(mine.at("id"), theirs.at("id"));
  const auto colleague = server_->Client(KeyOf("kernels"));
  EXPECT_EQ(JsonOf(colleague.Post("/runs", night)).at("id"), mine.at("id"));
  EXPECT_EQ(
      Verdict(server_->Client(other).Post(kResults + "?run=" + mine.at("id").dump(), Rows(9, 9))),
      "403 not_owner");
  Good(colleague.Post(kResults + "?run=" + mine.at("id").dump(), Rows(9, 9)));
  EXPECT_EQ(Verdict(colleague.Post(run + "/revert", "")), "200");
}

TEST_F(OwnersTest, an_import_that_would_shrink_its_source_says_how_it_is_allowed) {
  const std::string key = KeyOf("shrinking");
  ASSERT_EQ(Verdict(Import(key, "source=shrinking", Rows(1, 12))), "200");
  const std::string before = Stored();
  const RawAnswer refused = Import(key, "source=shrinking", Rows(1, 10));
  EXPECT_EQ(Verdict(refused), "409 would_shrink");
  const auto problem = JsonOf(refused);
  EXPECT_EQ(problem.at("held"), 12);
  EXPECT_EQ(problem.at("going"), 2);
  EXPECT_EQ(problem.at("keys")[0], "a8w8_blockscale gfx942:80 M=11, N=2048, K=3072");
  EXPECT_EQ(Stored(), before);
  EXPECT_EQ(Verdict(Import(key, "source=shrinking&allow_shrink=2", Rows(1, 10))),
            "400 bad_parameter");
  EXPECT_EQ(Verdict(Import(key, "source=shrinking&allow_shrink=1", Rows(1, 10))),
            "403 needs_admin");
  EXPECT_EQ(Verdict(Import(AdminKey(), "source=shrinking&allow_shrink=1", Rows(1, 10))), "200");
}

TEST_F(OwnersTest, the_agent_names_what_would_go_and_goes_on_where_it_is_told) {
  const std::string key = KeyOf("trees");
  const TempDir tree;
  const auto import = [&](const std::string& by, int to, bool allowed) {
    tree.Write("configs/a8w8_blockscale_tuned_gemm.csv", Rows(1, to));
    std::vector<std::string> arguments = {"import", tree.path().string(), "--source", "trees"};
    if (allowed) arguments.push_back("--allow-shrink");
    return RunAgent(arguments, {{"TUNEHUB_KEY", by}});
  };
  ASSERT_EQ(import(key, 12, false).status, 0);
  const Finished refused = import(key, 10, false);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("would_shrink: "));
  EXPECT_THAT(refused.err, HasSubstr("would lose 2 of them, more than a tenth"));
  EXPECT_THAT(refused.err, HasSubstr("\n  would be lost: a8w8_blockscale gfx942:80 M=11, N=2048, "
                                     "K=3072\n  would be lost: a8w8_blockscale gfx942:80 M=12"));
  const Finished allowed = import(AdminKey(), 10, true);
  EXPECT_EQ(allowed.status, 0) << allowed.err;
  EXPECT_THAT(allowed.out, HasSubstr("source trees: 1 files, 10 rows"));
}

TEST_F(OwnersTest, a_limited_key_writes_to_nothing_else) {
  const std::string key = KeyOf(
      "limited", "claim",
      {"--families", "a8w8_blockscale,a8w8", "--targets", "gfx942:80", "--sources", "nightly"});
  const auto client = server_->Client(key);
  const std::string before = Stored();
  EXPECT_EQ(Verdict(Import(key, "source=daily", Rows(1, 1))), "403 key_limited");
  EXPECT_EQ(Verdict(client.Post(kResults, Rows(1, 1))), "403 key_limited") << "no source";
  EXPECT_EQ(Verdict(Import(key, "source=nightly", kHeader + Row(1, "7.5", "gfx950", "256"))),
            "403 key_limited");
  EXPECT_EQ(
      Verdict(client.Post("/untuned/a4w4_blockscale?gfx=gfx942&cu_num=80", "M,N,K\n1,2048,3072\n")),
      "403 key_limited");
  EXPECT_EQ(Verdict(client.Post("/untuned/a8w8_blockscale", "M,N,K\n1,2048,3072\n")),
            "403 key_limited")
      << "any target";
  const auto claim = [&](const std::string& gfx, const std::string& families) {
    return Verdict(client.Post(
        "/jobs/claim", R"({"agent":"a","gfx":")" + gfx + R"(","cu_num":80)" + families + "}"));
  };
  EXPECT_EQ(claim("gfx950", ""), "403 key_limited");
  EXPECT_EQ(claim("gfx942", R"(,"families":["fmoe"])"), "403 key_limited");
  EXPECT_EQ(Stored(), before);
  const RawAnswer named = client.Post(kResults, Rows(1, 1));
  EXPECT_THAT(named.body, HasSubstr("sources: the key may write only for nightly"));
  EXPECT_THAT(claim("gfx942", ""), Not(HasSubstr("403")))
      << "there is no job, but no refusal either";
  EXPECT_EQ(Verdict(Import(key, "source=nightly", Rows(1, 2))), "200");
}

TEST_F(OwnersTest, keys_are_listed_with_owner_and_limits_and_refused_where_these_are_none) {
  KeyOf("listed", "submit", {"--targets", "gfx942:304,gfx950"});
  const std::string list = server_->Tool({"key", "list"}).out;
  EXPECT_THAT(list, HasSubstr(" listed "));
  EXPECT_THAT(list, HasSubstr("targets gfx942:304 gfx950\n"));
  const std::pair<std::vector<std::string>, const char*> kWrong[] = {
      {{"--owner", "two words"}, "bad_owner: owner: 'two words'"},
      {{"--owner", ""}, "bad_owner: owner: ''"},
      {{"--families", "a8w8,a9w9"}, "unknown_family: families: unknown family 'a9w9'"},
      {{"--families", ""}, "unknown_family: families: unknown family ''"},
      {{"--targets", "gfx942:0"}, "bad_target: targets: 'gfx942:0'"},
      {{"--targets", "gfx942:304x"}, "bad_target: targets: 'gfx942:304x'"},
      {{"--targets", "GFX942"}, "bad_target: targets: 'GFX942'"},
      {{"--sources", "a,,b"}, "bad_source: sources: ''"},
      {{"--sources", "AITER"},
       "bad_source: sources: 'AITER' is not allowed; expected 1 to 100 of"}};
  for (const auto& [rights, said] : kWrong) {
    std::vector<std::string> arguments = {"key", "create", "--scope", "submit"};
    arguments.insert(arguments.end(), rights.begin(), rights.end());
    const Finished made = server_->Tool(arguments);
    EXPECT_EQ(made.status, 2) << said;
    EXPECT_EQ(made.out, "");
    EXPECT_THAT(made.err, HasSubstr(said));
  }
}

TEST_F(OwnersTest, the_audit_is_for_admins_and_comes_page_by_page) {
  const std::string key = KeyOf("audited"), admin = server_->NewKey("admin");
  Good(server_->Client(key).Post(kResults, Rows(40, 41), {{"X-Request-Id", "mine-7"}}));
  EXPECT_EQ(Verdict(Open().Get("/audit")), "401 no_key");
  EXPECT_EQ(Verdict(server_->Client(key).Get("/audit")), "403 wrong_scope");
  const RawAnswer page = Good(server_->Client(admin).Get("/audit?limit=1"));
  EXPECT_THAT(page.Header("cache-control"), HasSubstr("private"));
  const auto row = JsonOf(page).at("audit").at(0);
  EXPECT_EQ(row.at("owner"), "audited");
  EXPECT_EQ(row.at("action"), "results");
  EXPECT_EQ(row.at("request"), "mine-7");
  EXPECT_THAT(row.at("detail").get<std::string>(), HasSubstr("2 rows, 2 new, 2 keys changed"));
  EXPECT_THAT(page.body, Not(HasSubstr(key)));
  const auto next = server_->Client(admin).Get(page.NextPage());
  EXPECT_EQ(JsonOf(next).at("audit").at(0).at("action"), "key create");
  EXPECT_EQ(Verdict(server_->Client(admin).Get("/audit?limit=0")), "400 bad_parameter");
}

// Everybody can read an agent's name, instance and epoch.
TEST_F(OwnersTest, a_lease_is_its_owners) {
  const RawAnswer asked =
      Good(Admin().Post("/jobs", R"({"family":"a8w8","gfx":"gfx1200","shapes":)"
                                 R"([{"M":16,"N":1280,"K":5120,"q_dtype_w":"torch.int8"}]})"),
           201);
  const std::string job = "/jobs/" + JsonOf(asked).at("id").dump();
  const auto holder = server_->Client(KeyOf("kernels", "claim"));
  const auto stranger = server_->Client(KeyOf("engines", "claim"));
  const std::string claim = R"({"agent":"node","instance":"one","gfx":"gfx1200","cu_num":64})";
  const std::string lease = R"({"agent":"node","instance":"one","epoch":1})";
  const std::string failed =
      R"({"agent":"node","instance":"one","epoch":1,"reason":"x","park":true})";
  ASSERT_EQ(holder.Post("/jobs/claim", claim).status, 200);
  EXPECT_EQ(stranger.Post("/jobs/claim", claim).status, 204);
  EXPECT_EQ(Verdict(stranger.Post(job + "/heartbeat", lease)), "409 lease_lost");
  EXPECT_EQ(Verdict(stranger.Post(job + "/complete", lease)), "409 lease_lost");
  EXPECT_EQ(Verdict(stranger.Post(job + "/release", lease)), "409 lease_lost");
  EXPECT_EQ(Verdict(stranger.Post(job + "/fail", failed)), "409 lease_lost");
  EXPECT_EQ(JsonOf(Open().Get(job)).at("owner"), "kernels");
  const auto other_key = server_->Client(KeyOf("kernels", "claim"));
  EXPECT_EQ(Verdict(other_key.Post(job + "/heartbeat", lease)), "200");
  EXPECT_EQ(Verdict(holder.Post(job + "/complete", lease)), "200");
}

}  // namespace
}  // namespace tunehub::test
