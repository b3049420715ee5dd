// Sign-in by a proxy's header. The test is the proxy: it connects from 127.0.0.1.
#include <fstream>

#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

using testing::StartsWith;

constexpr const char* kUserHeader = "X-Remote-User";

class SignInTest : public testing::Test {
 protected:
  SignInTest() {
    std::ofstream(dir_.path() / "owners") << "# people\nann kernels\nbob@lab.example  bob\n";
  }

  std::unique_ptr<ServerProcess> Hub(const std::string& proxies, bool listed = true) const {
    std::map<std::string, std::string> environment = {{"TUNEHUB_READS", "key"},
                                                      {"TUNEHUB_TRUSTED_PROXIES", proxies},
                                                      {"TUNEHUB_USER_HEADER", kUserHeader}};
    if (listed) environment["TUNEHUB_USER_OWNERS"] = dir_ / "owners";
    return std::make_unique<ServerProcess>(
        ServerOptions{.database = NewDatabase(), .environment = environment});
  }
  static std::string Asked(const ServerProcess& hub, const std::string& user,
                           const std::string& target = "/tuned") {
    return Verdict(hub.Client().Get(target, {{kUserHeader, user}}));
  }

  TempDir dir_;
};

TEST_F(SignInTest, a_user_whom_a_trusted_proxy_names_may_read_for_the_owner_of_the_table) {
  const auto hub = Hub("10.0.0.1, 127.0.0.1");
  EXPECT_EQ(Asked(*hub, "ann"), "200");
  EXPECT_EQ(Asked(*hub, "ann", "/tuned/a8w8?allow_empty=1"), "200");
  const Json self = JsonOf(hub->Client().Get("/keys/self", {{kUserHeader, "bob@lab.example"}}));
  EXPECT_EQ(self.dump(), R"({"admin":false,"key":null,"owner":"bob","quotas":null})");
  EXPECT_EQ(Verdict(hub->Client().Get("/tuned")), "401 no_key");
  EXPECT_EQ(Asked(*hub, "eve"), "403 unknown_user");
  EXPECT_EQ(Asked(*hub, "Ann"), "403 unknown_user");
  const RawAnswer read = hub->Client().Get("/tuned", {{kUserHeader, "ann"}});
  EXPECT_THAT(read.Header("cache-control"), HasSubstr("private"));
}

TEST_F(SignInTest, a_user_writes_nothing_and_has_no_page_of_an_admin) {
  const auto hub = Hub("127.0.0.1");
  const Headers ann = {{kUserHeader, "ann"}};
  EXPECT_EQ(Verdict(hub->Client().Post("/keys", R"({"scope":"admin"})", ann)), "403 wrong_scope");
  EXPECT_EQ(Verdict(hub->Client().Get("/keys", ann)), "403 wrong_scope");
  EXPECT_EQ(Verdict(hub->Client().Get("/audit", ann)), "403 wrong_scope");
  EXPECT_EQ(Verdict(hub->Client().Post(kResults, "", ann)), "403 wrong_scope");
  EXPECT_EQ(Verdict(hub->Client().Post("/jobs/claim", "{}", ann)), "403 wrong_scope");
}

// A key counts more than the header, also a wrong key.
TEST_F(SignInTest, a_key_is_judged_as_without_the_header) {
  const auto hub = Hub("127.0.0.1");
  const auto with = [&](const std::string& key) {
    return Verdict(hub->Client(key).Get("/tuned", {{kUserHeader, "ann"}}));
  };
  EXPECT_EQ(with(hub->NewKey("read")), "200");
  EXPECT_EQ(with(hub->NewKey("submit")), "403 wrong_scope");
  EXPECT_EQ(with("thub_" + std::string(32, 'a')), "401 wrong_key");
}

// A header from anybody else has no effect. X-Forwarded-For does not make its sender a proxy.
TEST_F(SignInTest, nobody_but_a_trusted_proxy_names_a_user) {
  const auto hub = Hub("10.0.0.1");
  EXPECT_EQ(Asked(*hub, "ann"), "401 no_key");
  const RawAnswer forged =
      hub->Client().Get("/tuned", {{kUserHeader, "ann"}, {"X-Forwarded-For", "10.0.0.1"}});
  EXPECT_EQ(Verdict(forged), "401 no_key");
  EXPECT_THAT(JsonOf(forged).at("detail").get<std::string>(),
              HasSubstr("the hub ignores x-remote-user of 127.0.0.1, which is not in the setting "
                        "trusted_proxies"));
  const std::string key = hub->NewKey("read");
  EXPECT_EQ(Verdict(hub->Client(key).Get("/tuned", {{kUserHeader, "ann"}})), "200");
}

TEST_F(SignInTest, a_header_that_is_no_user_is_refused) {
  const auto hub = Hub("127.0.0.1", false);
  EXPECT_EQ(Asked(*hub, "anybody"), "200") << "without a table every user reads";
  for (const std::string& user :
       {std::string(), std::string("a b"), std::string("a,b"), std::string("a\tb"),
        std::string("\xc3\xa4"), std::string("a\x01z"), std::string(255, 'a'),
        std::string(10'000, 'a')}) {
    const std::string verdict = Asked(*hub, user);
    EXPECT_THAT(verdict, StartsWith("4")) << user.size() << user.substr(0, 10);
  }
  EXPECT_EQ(Asked(*hub, "a b"), "400 bad_user");
  EXPECT_EQ(Asked(*hub, std::string(10'000, 'a')), "400 bad_user");
  EXPECT_EQ(Asked(*hub, ""), "400 bad_user");
  const RawAnswer two =
      hub->Client().Get("/tuned", {{kUserHeader, "ann"}, {"x-remote-user", "root"}});
  EXPECT_EQ(Verdict(two), "400 bad_user");
  EXPECT_THAT(
      JsonOf(two).at("detail").get<std::string>(),
      StartsWith("x-remote-user: comes 2 times; the proxy must remove the client's header"));
}

}  // namespace
}  // namespace tunehub::test
