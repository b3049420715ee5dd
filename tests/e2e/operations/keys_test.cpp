// A request with an unknown key costs the server neither memory nor a listing of keys.
#include "tests/e2e/hub_fixture.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

constexpr const char* kUnknownKey = "thub_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

using KeysTest = HubTest;

// Twenty such bodies would take 750 MB.
TEST_F(KeysTest, the_body_of_an_unknown_key_is_never_read) {
  RawHttp client(server_->port());
  const auto answer = client.Exchange(
      "POST /results/a8w8_blockscale HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
      std::string(kUnknownKey) + "\r\nContent-Length: 4000000\r\n\r\n");  // the body never comes
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

TEST(KeyEpochTest, no_unknown_key_makes_a_server_list_the_keys) {
  const std::string database = NewDatabase();
  ServerProcess server({.database = database});
  const std::string known = server.NewKey("submit");
  ASSERT_EQ(Verdict(server.Client(known).Post(kResults, kHeader + Row(1, "5.0"))), "200");
  Execute(database, "ALTER TABLE api_key RENAME TO hidden");  // so a listing would fail
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Verdict(server.Client(kUnknownKey).Post(kResults, kHeader)), "401 wrong_key");
  }
  Execute(database, "ALTER TABLE hidden RENAME TO api_key");
  EXPECT_EQ(Verdict(server.Client(known).Post(kResults, kHeader + Row(2, "5.0"))), "200");
}

}  // namespace
}  // namespace tunehub::test
