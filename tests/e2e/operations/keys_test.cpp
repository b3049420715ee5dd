// A request with an unknown key costs the server no memory and no listing of the keys.
#include "tests/e2e/hub_fixture.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

constexpr const char* kUnknownKey = "thub_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

using KeysTest = HubTest;

// Twenty of these bodies would take 750 MB.
TEST_F(KeysTest, the_body_of_an_unknown_key_is_never_read) {
  RawHttp client(server_->port());
  const auto answer = client.Exchange(
      "POST /results/a8w8_blockscale HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
      std::string(kUnknownKey) +
      "\r\nContent-Length: 4000000\r\n\r\n");  // the test never sends the body
  ASSERT_TRUE(answer);
  EXPECT_EQ(Verdict(*answer), "401 wrong_key");
  EXPECT_TRUE(client.Closes());
}

TEST_F(KeysTest, the_word_bearer_may_have_any_case) {
  for (const std::string scheme : {"bearer ", "BEARER   ", "Bearer "}) {
    EXPECT_EQ(Verdict(Open().Get("/keys/self", {{"Authorization", scheme + submit_key_}})), "200");
  }
  for (const std::string scheme : {"Basic ", "Bearer", "bearers "}) {
    EXPECT_EQ(Verdict(Open().Get("/keys/self", {{"Authorization", scheme + submit_key_}})),
              "401 no_key");
  }
}

TEST(KeyQuotaTest, a_write_over_a_quota_is_429_and_the_key_sees_what_is_left) {
  const std::string database = NewDatabase();
  ServerOptions options{.database = database, .environment = {{"TUNEHUB_QUOTA_ROWS", "1"}}};
  std::string key, admin;
  {
    const ServerProcess before(options);
    key = before.NewKey("submit"), admin = before.NewKey("admin");
    EXPECT_EQ(Verdict(before.Client(key).Post(kResults, kHeader + Row(1, "5.0"))), "200");
  }
  const ServerProcess server(options);
  const auto quotas = [&] { return JsonOf(server.Client(key).Get("/keys/self")).at("quotas"); };
  EXPECT_EQ(quotas().at("rows"), (Json{{"used", 1}, {"limit", 1}}));
  EXPECT_EQ(quotas().at("keys").at("used"), 1);
  const auto over = server.Client(key).Post(kResults, kHeader + Row(2, "5.0"));
  EXPECT_EQ(Verdict(over), "429 over_quota");
  EXPECT_THAT(JsonOf(over).at("detail").get<std::string>(), HasSubstr("quota_rows"));
  EXPECT_EQ(quotas().at("rows").at("used"), 1);
  EXPECT_EQ(Verdict(server.Client(admin).Post(kResults, kHeader + Row(2, "5.0"))), "200");
  EXPECT_EQ(Verdict(server.Client(admin).Post(kResults, kHeader + Row(3, "5.0"))), "200");
}

TEST(KeyEpochTest, no_unknown_key_makes_a_server_list_the_keys) {
  const std::string database = NewDatabase();
  ServerProcess server({.database = database});
  const std::string known = server.NewKey("submit");
  ASSERT_EQ(Verdict(server.Client(known).Post(kResults, kHeader + Row(1, "5.0"))), "200");
  Execute(database,
          "ALTER TABLE api_key RENAME TO hidden");  // a listing of the keys would now fail
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Verdict(server.Client(kUnknownKey).Post(kResults, kHeader)), "401 wrong_key");
  }
  Execute(database, "ALTER TABLE hidden RENAME TO api_key");
  EXPECT_EQ(Verdict(server.Client(known).Post(kResults, kHeader + Row(2, "5.0"))), "200");
}

}  // namespace
}  // namespace tunehub::test
