// API keys over HTTP, on two servers of one database.
#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"

namespace tunehub::test {
namespace {

using testing::MatchesRegex;
using testing::Not;

class ApiKeysTest : public testing::Test {
 protected:
  Json Made(const std::string& path, const Json& body) const {
    const RawAnswer answer = admin_.PostJson(path, body);
    EXPECT_EQ(answer.status, 201) << answer.body;
    EXPECT_EQ(answer.Header("cache-control"), "no-store");
    return JsonOf(answer);
  }
  std::string Detail(const std::string& body, const std::string& path = "/keys") const {
    const RawAnswer answer = admin_.Post(path, body, {{"Content-Type", "application/json"}});
    return Verdict(answer) + ": " + JsonOf(answer).value("detail", "");
  }
  std::string Self(const ServerProcess& server, const Json& key) const {
    return Verdict(server.Client(key.at("secret")).Get("/keys/self"));
  }

  const std::string database_ = NewDatabase();
  ServerProcess one_{{.database = database_}}, two_{{.database = database_}};
  const std::string admin_key_ = one_.NewKey("admin");
  HttpClient admin_ = one_.Client(admin_key_);
};

TEST_F(ApiKeysTest, an_admin_makes_lists_rotates_and_revokes_keys) {
  const Json made = Made("/keys", {{"scope", "submit"},
                                   {"owner", "ci"},
                                   {"expires", "2999-12-31"},
                                   {"limits", {{"sources", {"nightly"}}}}});
  EXPECT_THAT(made.at("secret").get<std::string>(), MatchesRegex("thub_[a-z2-7]{32}"));
  EXPECT_EQ(made.at("expires"), "2999-12-31T00:00:00Z");
  EXPECT_EQ(JsonOf(two_.Client(made.at("secret")).Get("/keys/self")).at("owner"), "ci");
  const std::string path = "/keys/" + made.at("id").dump();
  const Json fresh = Made(path + "/rotate", {{"grace_hours", 1}});
  EXPECT_EQ(fresh.at("limits"), made.at("limits"));
  EXPECT_EQ(Self(two_, fresh), "200");
  EXPECT_EQ(Self(two_, made), "200") << "within its grace";
  EXPECT_EQ(Verdict(admin_.Post(path + "/rotate", "")), "409 key_replaced");
  const RawAnswer revoked = Good(admin_.Post(path + "/revoke", ""));
  EXPECT_EQ(JsonOf(revoked).at("successor"), fresh.at("id"));
  EXPECT_EQ(revoked.Header("cache-control"), "no-store");
  EXPECT_EQ(Verdict(admin_.Post(path + "/revoke", "")), "409 key_ended");

  const RawAnswer page = Good(admin_.Get("/keys?limit=2"));
  EXPECT_EQ(page.Header("cache-control"), "no-store");
  EXPECT_EQ(JsonOf(page).at("keys").size(), 2U);
  const RawAnswer last = Good(admin_.Get(page.NextPage()));
  ASSERT_EQ(JsonOf(last).at("keys").size(), 1U);
  Json listed = fresh;
  listed.erase("secret");
  listed["last_used"] = JsonOf(last).at("keys")[0].at("last_used");
  EXPECT_EQ(JsonOf(last).at("keys")[0], listed);
  EXPECT_THAT(last.body, Not(HasSubstr("thub_" + fresh.at("secret").get<std::string>().substr(5))));
  EXPECT_EQ(last.NextPage(), "");

  const Json audit = JsonOf(Good(admin_.Get("/audit?limit=3"))).at("audit");
  EXPECT_EQ(audit[0].at("action"), "key revoke");
  EXPECT_EQ(audit[0].at("key"), 1) << "the key that asked";
  EXPECT_EQ(audit[0].at("detail"),
            "key 2: submit of ci, limited to sources nightly, replaced by key 3");
  EXPECT_EQ(audit[2].at("action"), "key create");
  for (const ServerProcess* server : {&one_, &two_}) {
    for (const Json& key : {made, fresh})
      EXPECT_THAT(server->Log(), Not(HasSubstr(key.at("secret").get<std::string>())));
  }
}

// The promise: a second, even if no notification arrives (keys.cpp, kPoll).
TEST_F(ApiKeysTest, an_ended_key_ends_on_the_other_server_too) {
  for (const char* how : {"/revoke", "/rotate"}) {
    const Json key = Made("/keys", {{"scope", "read"}});
    ASSERT_EQ(Self(two_, key), "200");
    const std::string body = std::string(how) == "/rotate" ? R"({"grace_hours":0})" : "";
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_LT(admin_.Post("/keys/" + key.at("id").dump() + how, body).status, 300);
    EXPECT_TRUE(Comes([&] { return Self(two_, key) == "401 revoked_key"; })) << how;
    EXPECT_TRUE(Comes([&] { return Self(one_, key) == "401 revoked_key"; })) << how;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << how;
  }
}

TEST_F(ApiKeysTest, the_last_admin_key_stays) {
  EXPECT_EQ(Verdict(admin_.Post("/keys/1/revoke", "")), "409 last_admin_key");
  EXPECT_EQ(Verdict(admin_.Post("/keys/1/rotate", R"({"grace_hours":0})")), "409 last_admin_key");
  const Json successor = Made("/keys/1/rotate", {{"grace_hours", 720}});
  EXPECT_EQ(Verdict(one_.Client(successor.at("secret")).Post("/keys/1/revoke", "")), "200");
  EXPECT_EQ(Verdict(one_.Client(successor.at("secret")).Post("/keys/2/revoke", "")),
            "409 last_admin_key");
  EXPECT_EQ(one_.Tool({"key", "revoke", "2"}).status, 0) << "a command can make another key";
}

// A key that may write only for some families must not make a key without limits.
TEST_F(ApiKeysTest, a_limited_admin_key_cannot_get_rid_of_its_limits) {
  const auto limited = one_.Client(one_.NewKey("admin", {"--sources", "nightly"}));
  EXPECT_EQ(Verdict(limited.Post("/keys", R"({"scope":"admin"})")), "403 key_limited");
  EXPECT_EQ(Verdict(limited.Post("/keys/1/rotate", "")), "403 key_limited");
  EXPECT_EQ(Verdict(limited.Post("/keys/1/revoke", "")), "403 key_limited");
}

TEST_F(ApiKeysTest, a_wrong_body_is_answered_with_its_member_and_value) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"", "422 bad_request_body: "},
      {"[]", "422 bad_request_body: body: "},
      {R"({"owner":"a"})", "422 bad_request_body: body: /scope: "},
      {R"({"scope":"all"})", "422 bad_scope: scope: 'all': expected read, submit, claim or admin"},
      {R"({"scope":"read","scop":1})", "422 bad_request_body: body: /scop: "},
      {R"({"scope":"read","scope":"admin"})",
       "422 bad_request_body: body: has the member scope twice"},
      {R"({"scope":"read","owner":""})", "422 bad_owner: owner: '' is not allowed"},
      {R"({"scope":"read","owner":"a b"})", "422 bad_owner: owner: 'a b' is not allowed"},
      {R"({"scope":"read","expires":"2020-01-01"})",
       "422 bad_expires: expires: '2020-01-01' is in the past; it is now 2"},
      {R"({"scope":"read","expires":7})", "422 bad_request_body: body: /expires: "},
      {R"({"scope":"read","limits":{"families":[]}})",
       "422 bad_request_body: body: /limits/families: must name at least one"},
      {R"({"scope":"read","limits":{"familes":["a8w8"]}})",
       "422 bad_request_body: body: /limits/familes: "},
      {R"({"scope":"read","limits":{"families":["foo"]}})",
       "404 unknown_family: families: unknown family 'foo'"},
      {R"({"scope":"read","limits":{"targets":["gfx942:0"]}})",
       "422 bad_target: targets: 'gfx942:0'"},
  };
  for (const auto& [body, said] : kWrong)
    EXPECT_THAT(Detail(body), testing::StartsWith(said)) << body;
  for (const char* hours : {"-1", "721", "1.5", "\"1\""}) {
    EXPECT_THAT(Detail(std::string(R"({"grace_hours":)") + hours + "}", "/keys/1/rotate"),
                testing::StartsWith("422 bad_request_body: body: /grace_hours: "));
  }
  EXPECT_EQ(Detail("", "/keys/99/rotate"), "404 unknown_key: no key has the id 99");
  EXPECT_THAT(Detail("", "/keys/0/revoke"), testing::StartsWith("400 bad_parameter: id: '0'"));
  EXPECT_EQ(JsonOf(admin_.Get("/keys")).at("keys").size(), 1U) << "nothing was made";
}

}  // namespace
}  // namespace tunehub::test
