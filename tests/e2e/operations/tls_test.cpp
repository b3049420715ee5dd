// A hub with its own TLS: which clients it answers, how it replaces its certificate, and which
// certificates it refuses at its start.
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"

namespace tunehub::test {
namespace {

using testing::AllOf;
using testing::Not;

constexpr std::chrono::seconds kReloadPatience{20};

class TlsHubTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    identity_ = std::make_unique<HubIdentity>();
    server_ = std::make_unique<ServerProcess>(
        ServerOptions{.database = NewDatabase(), .tls = identity_.get()});
  }
  static void TearDownTestSuite() {
    server_.reset();
    identity_.reset();
  }

  // Pushes one row with the agent.
  static Finished Push(const std::string& hub, const std::vector<std::string>& more) {
    const TempDir dir;
    std::ofstream(dir.path() / "rows.csv") << kHeader << Row(16, "9.5");
    std::vector<std::string> arguments = {
        "push",    "--family",           "a8w8_blockscale", dir.path() / "rows.csv",
        "--spool", dir.path() / "spool", "--hub",           hub};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunToEnd({AgentBinary(), arguments, {{"TUNEHUB_KEY", server_->NewKey("submit")}}});
  }
  // Sends SIGHUP. Returns the log's new lines once they contain these words.
  static std::string Reload(const std::string& words) {
    const std::size_t before = server_->Log().size();
    server_->Signal(SIGHUP);
    std::string said;
    const bool comes = Comes(
        [&] {
          said = server_->Log().substr(before);
          return said.find(words) != std::string::npos;
        },
        kReloadPatience);
    return comes ? said : "nothing with '" + words + "': " + said;
  }
  // The certificate that a new connection gets.
  static std::string Shown() {
    const auto client = identity_->Client();
    return RawHttp(server_->port(), client.get()).certificate();
  }

  static std::unique_ptr<HubIdentity> identity_;
  static std::unique_ptr<ServerProcess> server_;
};
std::unique_ptr<HubIdentity> TlsHubTest::identity_;
std::unique_ptr<ServerProcess> TlsHubTest::server_;

TEST_F(TlsHubTest, an_agent_that_knows_the_authority_pushes) {
  const Finished pushed = Push(server_->url(), {"--ca", identity_->authority().file()});
  EXPECT_EQ(pushed.status, 0) << pushed.err;
  EXPECT_THAT(server_->Client().Get(kTable).body, HasSubstr(Row(16, "9.5")));
}

TEST_F(TlsHubTest, an_agent_that_does_not_know_it_or_asks_in_plain_http_is_told_why) {
  const Finished stranger = Push(server_->url(), {});
  EXPECT_NE(stranger.status, 0);
  EXPECT_THAT(stranger.err + stranger.out, HasSubstr("the hub's certificate is not accepted: "));
  const Finished plain = Push("http://127.0.0.1:" + std::to_string(server_->port()), {});
  EXPECT_NE(plain.status, 0);
  EXPECT_THAT(plain.err + plain.out, HasSubstr("use " + server_->url()));
}

TEST_F(TlsHubTest, openssl_itself_gets_1_2_and_1_3_and_nothing_older) {
  if (!std::filesystem::exists("/usr/bin/openssl")) {
    GTEST_SKIP() << "NOT TESTED: there is no /usr/bin/openssl for another client";
  }
  const std::string at = "127.0.0.1:" + std::to_string(server_->port());
  const auto ask = [&](const std::string& version) {
    const Finished asked =
        RunToEnd({"/bin/sh",
                  {"-c",
                   "printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' | /usr/bin/openssl s_client -quiet "
                   "-verify_return_error -cipher DEFAULT@SECLEVEL=0 -CAfile " +
                       identity_->authority().file() + " -connect " + at + " " + version}});
    return asked.out + asked.err;
  };
  for (const char* version : {"-tls1_2", "-tls1_3"}) {
    EXPECT_THAT(ask(version), HasSubstr(R"({"status":"alive"})")) << version;
  }
  for (const char* version : {"-tls1", "-tls1_1"}) {
    EXPECT_THAT(ask(version), AllOf(Not(HasSubstr("alive")), HasSubstr("protocol version")))
        << version;
  }
}

TEST_F(TlsHubTest, sighup_exchanges_the_certificate_and_a_bad_one_is_left_alone) {
  const std::string first = Shown();
  EXPECT_THAT(Reload("SIGHUP"), HasSubstr("loaded the certificate (unchanged)"));
  EXPECT_EQ(Shown(), first);
  const Identity other = identity_->authority().Sign("IP:127.0.0.1");
  identity_->Renew();
  const std::string key = ReadText(identity_->key());
  EXPECT_THAT(Reload("SIGHUP"), HasSubstr("loaded the certificate (a new one)"));
  const std::string second = Shown();
  EXPECT_NE(second, first);
  identity_->Replace({other.certificate, key});
  EXPECT_THAT(Reload("bad_tls"), AllOf(HasSubstr("[error]"), HasSubstr("is not the key"),
                                       HasSubstr("the server keeps its earlier certificate")));
  EXPECT_EQ(Shown(), second);
  identity_->Renew();
  EXPECT_THAT(Reload("SIGHUP"), HasSubstr("a new one"));
  EXPECT_TRUE(server_->Lives());
}

TEST_F(TlsHubTest, metrics_count_handshakes_and_tell_the_certificates_end) {
  EXPECT_THAT(server_->Client().Get("/metrics").body,
              AllOf(HasSubstr("tunehub_tls_handshakes_total{how=\"whole\"}"),
                    HasSubstr("tunehub_tls_handshakes_total{how=\"resumed\"} 0"),
                    HasSubstr("tunehub_tls_handshakes_total{how=\"failed\"}"),
                    HasSubstr("tunehub_tls_certificate_expires_seconds 1")));
}

TEST(TlsStartTest, an_expired_certificate_ends_the_start_with_a_sentence) {
  const HubIdentity identity;
  const TempDir dir;
  identity.Replace(identity.authority().Sign("IP:127.0.0.1", -1));
  const Finished expired =
      RunToEnd({ServerBinary(),
                {"serve", "--listen", "127.0.0.1:0", "--data", dir.path() / "data",
                 "--tls-certificate", identity.certificate(), "--tls-key", identity.key()},
                {}});
  EXPECT_EQ(expired.status, 2);
  EXPECT_THAT(expired.err, AllOf(HasSubstr("bad_tls: tls_certificate"), HasSubstr("expired at")));
}

TEST(TlsStartTest, sighup_leaves_a_server_of_plain_http_alone) {
  ServerProcess server({.database = NewDatabase()});
  server.Signal(SIGHUP);
  EXPECT_TRUE(Comes([&] {
    return server.Log().find("SIGHUP: there is nothing to reload") != std::string::npos;
  }));
  EXPECT_EQ(Verdict(server.Client().Get("/healthz")), "200");
}

// Reads the terminal until it shows these words.
bool Shows(int terminal, const std::string& words) {
  std::string shown;
  char chunk[4096];
  for (ssize_t got = 0; (got = ::read(terminal, chunk, sizeof chunk)) > 0;) {
    shown.append(chunk, static_cast<std::size_t>(got));
    if (shown.find(words) != std::string::npos) return true;
  }
  std::cout << shown;
  return false;
}

TEST(TlsStartTest, the_end_of_its_terminal_ends_a_server_in_order) {
  const std::string database = NewDatabase();
  ASSERT_EQ(RunToEnd({ServerBinary(), {"migrate", "--database", database}, {}}).status, 0);
  const std::string program = ServerBinary();
  const TempDir data;  // for the signing key
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::execl(program.c_str(), program.c_str(), "serve", "--listen", "127.0.0.1:0", "--database",
            database.c_str(), "--data", data.path().c_str(), nullptr);
    ::_exit(127);
  }
  EXPECT_TRUE(Shows(terminal, "listens on"));
  ::close(terminal);
  int status = -1;
  EXPECT_TRUE(Comes([&] { return ::waitpid(child, &status, WNOHANG) != 0; }));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ::kill(child, SIGKILL);
}

}  // namespace
}  // namespace tunehub::test
