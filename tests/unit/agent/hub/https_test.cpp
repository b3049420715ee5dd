// The agent and a hub behind TLS: the certificates that the agent trusts or refuses.
#include <gmock/gmock.h>

#include <cstdlib>
#include <string>

#include "agent/hub/http_client.h"
#include "tests/support/certificates.h"
#include "tests/support/result.h"
#include "tests/support/socket_hub.h"

namespace tunehub::agent {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using tunehub::test::Authority;
using tunehub::test::ScriptedAnswer;
using tunehub::test::SocketHub;

constexpr char kHere[] = "IP:127.0.0.1,DNS:localhost";

core::Result<Answer> Get(const std::string& url, const std::string& ca_file) {
  auto client = MakeHttpClient({url, "", std::chrono::seconds(10), ca_file});
  if (!client.ok()) return client.error();
  return (*client)->Send({"GET", "/x", {}, ""});
}

// Sets an environment variable until its destructor runs.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(AgentHttps, a_hub_of_the_named_authority_answers) {
  const Authority authority("tests");
  for (const char* host : {"127.0.0.1", "localhost"}) {
    SocketHub hub({SocketHub::Keeping("200 OK", "a"), SocketHub::Closing("200 OK", "b")},
                  authority.Sign(kHere));
    const std::string url = std::string("https://") + host + ":" + std::to_string(hub.port());
    auto client = Must(MakeHttpClient({url, "", std::chrono::seconds(10), authority.file()}));
    for (const char* body : {"a", "b"}) {
      EXPECT_EQ(Must(client->Send({"GET", "/x", {}, ""})).body, body);
    }
    hub.Requests();
    EXPECT_EQ(hub.connections(), 1);
  }
}

TEST(AgentHttps, the_environment_names_authorities_too) {
  const Authority authority("tests");
  SocketHub hub({SocketHub::Closing("200 OK", "a")}, authority.Sign(kHere));
  const Variable file("SSL_CERT_FILE", authority.file());
  Must(Get("https://" + hub.origin(), ""));
}

TEST(AgentHttps, whom_it_does_not_believe_it_names) {
  const Authority ours("ours"), others("others");
  struct Case {
    tunehub::test::Identity identity;
    const char* reason;
  };
  const Case kCases[] = {
      {others.Sign(kHere), "unable to get local issuer certificate"},
      {ours.Sign("DNS:another.example,IP:127.0.0.2"), "IP address mismatch"},
      {ours.Sign(kHere, -1), "certificate has expired"},
  };
  for (const Case& it : kCases) {
    SocketHub hub({SocketHub::Closing("200 OK", "secret")}, it.identity);
    const auto answer = Get("https://" + hub.origin(), ours.file());
    EXPECT_EQ(ErrorCode(answer), "hub_untrusted") << it.reason;
    EXPECT_THAT(answer.error().detail,
                AllOf(HasSubstr(hub.origin()), HasSubstr(it.reason), HasSubstr("--ca")));
  }
  SocketHub hub({SocketHub::Closing("200 OK", "secret")}, ours.Sign("DNS:another.example"));
  const auto answer = Get("https://localhost:" + std::to_string(hub.port()), ours.file());
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().detail, HasSubstr("hostname mismatch"));
}

TEST(AgentHttps, a_file_without_authorities_is_named) {
  const tunehub::test::TempDir folder;
  for (const char* name : {"/no/such/file.pem", "/etc/hostname"}) {
    const auto answer = Get("https://127.0.0.1:1", name);
    EXPECT_EQ(ErrorCode(answer), "bad_ca");
    EXPECT_THAT(answer.error().detail, HasSubstr(std::string("--ca ") + name));
  }
  const Variable file("SSL_CERT_FILE", "/no/such/file.pem");
  EXPECT_THAT(Get("https://127.0.0.1:1", "").error().detail,
              AllOf(HasSubstr("SSL_CERT_FILE /no/such/file.pem"), HasSubstr("No such file")));
}

TEST(AgentHttps, https_to_a_hub_of_plain_http_is_said) {
  // A plain hub's answer to a TLS hello.
  SocketHub plain(
      {{"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", ScriptedAnswer::Then::kClose}});
  const Authority authority("tests");
  const auto answer = Get("https://" + plain.origin() + "/p", authority.file());
  EXPECT_EQ(ErrorCode(answer), "bad_hub");
  EXPECT_THAT(answer.error().detail, AllOf(HasSubstr("answers plain http"),
                                           HasSubstr("use http://" + plain.origin() + "/p")));
}

TEST(AgentHttps, plain_http_to_a_hub_of_https_is_said) {
  const Authority authority("tests");
  // `speechless` starts TLS and closes, `nginx` answers in plain text, `alert` sends a TLS alert.
  SocketHub speechless({SocketHub::Closing("200 OK", "")}, authority.Sign(kHere));
  SocketHub nginx({SocketHub::Closing(
      "400 Bad Request", "<center>The plain HTTP request was sent to HTTPS port</center>")});
  SocketHub alert({{std::string("\x15\x03\x01\x00\x02\x02\x46", 7), ScriptedAnswer::Then::kClose}});
  for (const SocketHub* hub : {&speechless, &nginx, &alert}) {
    const auto answer = Get("http://" + hub->origin(), "");
    EXPECT_EQ(ErrorCode(answer), "bad_hub");
    EXPECT_THAT(answer.error().detail, AllOf(HasSubstr("answers https, not plain http"),
                                             HasSubstr("use https://" + hub->origin())));
  }
}

}  // namespace
}  // namespace tunehub::agent
