// The agent's HTTP client over a real socket: what it sends, and what it makes of answers.
#include "agent/hub/http_client.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "agent/hub/retry.h"
#include "core/system/fd.h"
#include "core/system/gzip.h"

namespace tunehub::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

// Gives one answer per connection, in order, and keeps what came. An empty answer closes the
// connection; kSilence keeps it open without a word.
constexpr char kSilence[] = "silence";
class SocketHub {
 public:
  explicit SocketHub(std::deque<std::string> answers) : answers_(std::move(answers)) {
    listener_ = core::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_.get(), 8), 0);
    EXPECT_EQ(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  SocketHub(const SocketHub&) = delete;
  SocketHub& operator=(const SocketHub&) = delete;
  ~SocketHub() {
    if (thread_.joinable()) Join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // Once every answer was given.
  std::vector<std::string> Requests() {
    Join();
    return requests_;
  }

 private:
  void Join() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }

  void Serve() {
    for (const std::string& answer : answers_) {
      core::Fd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!connection.ok()) return;
      requests_.push_back(ReadRequest(connection.get()));
      if (answer == kSilence) {
        held_.push_back(std::move(connection));
      } else {
        EXPECT_EQ(::send(connection.get(), answer.data(), answer.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(answer.size()));
      }
    }
  }

  static std::string ReadRequest(int fd) {
    std::string request;
    char buffer[4096];
    for (;;) {
      const std::size_t head = request.find("\r\n\r\n");
      if (head != std::string::npos) {
        const std::size_t length = request.find("Content-Length:");
        const std::size_t body =
            length < head ? std::stoul(request.substr(length + 15)) : std::size_t{0};
        if (request.size() >= head + 4 + body) return request;
      }
      const ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
      if (got <= 0) return request;
      request.append(buffer, static_cast<std::size_t>(got));
    }
  }

  std::deque<std::string> answers_;
  std::vector<std::string> requests_;
  std::vector<core::Fd> held_;
  core::Fd listener_;
  int port_ = 0;
  std::thread thread_;
};

std::string Response(const std::string& head, const std::string& body) {
  return "HTTP/1.1 " + head +
         "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

std::unique_ptr<HubClient> ClientOf(const std::string& url, int timeout_s = 10) {
  auto client = MakeHttpClient({url, "thub_secret", std::chrono::seconds(timeout_s)});
  EXPECT_TRUE(client.ok());
  return *std::move(client);
}

TEST(AgentHttpClient, SendsKeyHeadersAndBodyAndNeverExpect) {
  SocketHub hub({Response("200 OK\r\nETag: \"x\"", "fine")});
  const std::string body(100'000, 'b');
  const auto answer = ClientOf(hub.url())->Send(
      {"POST", "/results/fmoe?run=a%20b", {{"Idempotency-Key", "k1"}}, body});
  ASSERT_TRUE(answer.ok()) << answer.error().detail;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "fine");
  EXPECT_EQ(answer->Header("etag"), "\"x\"");
  const std::string request = hub.Requests()[0];
  EXPECT_THAT(request, testing::StartsWith("POST /results/fmoe?run=a%20b HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("Authorization:Bearer thub_secret\r\n"));
  EXPECT_THAT(request, HasSubstr("Idempotency-Key:k1\r\n"));
  EXPECT_THAT(request, HasSubstr("Content-Length:100000\r\n"));
  EXPECT_THAT(request, Not(HasSubstr("Expect")));
  EXPECT_THAT(request, testing::EndsWith("\r\n\r\n" + body));
}

TEST(AgentHttpClient, KeepsThePathOfTheHubsAddress) {
  SocketHub hub({Response("200 OK", "")});
  ASSERT_TRUE(ClientOf(hub.url() + "/tunehub/")->Send({"GET", "/tuned/fmoe?gfx=x", {}, ""}).ok());
  EXPECT_THAT(hub.Requests()[0], testing::StartsWith("GET /tunehub/tuned/fmoe?gfx=x HTTP/1.1\r\n"));
}

TEST(AgentHttpClient, DecodesGzip) {
  const std::string text(50'000, 'x');
  SocketHub hub({Response("200 OK\r\nContent-Encoding: gzip", core::Gzip(text))});
  const auto answer = ClientOf(hub.url())->Send({"GET", "/", {}, ""});
  ASSERT_TRUE(answer.ok()) << answer.error().detail;
  EXPECT_EQ(answer->body, text);
}

TEST(AgentHttpClient, FollowsNoRedirect) {
  SocketHub hub({Response("302 Found\r\nLocation: http://127.0.0.1:1/elsewhere", "")});
  const auto answer = ClientOf(hub.url())->Send({"GET", "/", {}, ""});
  ASSERT_TRUE(answer.ok()) << answer.error().detail;
  EXPECT_EQ(answer->status, 302);
}

TEST(AgentHttpClient, AnAnswerThatBreaksOffIsNoAnswer) {
  SocketHub hub({"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this", ""});
  const auto client = ClientOf(hub.url());
  for (int i = 0; i < 2; ++i) {
    const auto answer = client->Send({"GET", "/", {}, ""});
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, "hub_unreachable");
    EXPECT_THAT(answer.error().detail, HasSubstr(hub.url()));
  }
}

TEST(AgentHttpClient, AHubThatSaysNothingRunsIntoTheTimeout) {
  SocketHub hub({kSilence});
  const auto answer = ClientOf(hub.url(), 1)->Send({"GET", "/", {}, ""});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, "hub_unreachable");
}

TEST(AgentHttpClient, NobodyThereIsUnreachable) {
  const auto answer = ClientOf("http://127.0.0.1:1")->Send({"GET", "/", {}, ""});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, "hub_unreachable");
}

TEST(AgentHttpClient, NamesWhatIsWrongWithAnAddress) {
  for (const char* url :
       {"", "hub:8080", "ftp://hub", "http://", "http://hub/?x=1", "http://a b"}) {
    const auto client = MakeHttpClient({url, ""});
    ASSERT_FALSE(client.ok()) << url;
    EXPECT_EQ(client.error().code, "bad_hub");
  }
}

TEST(AgentHttpClient, SendsAgainOverTheSocketUntilTheHubIsThere) {
  SocketHub hub({Response("503 Busy\r\nRetry-After: 0", ""), Response("200 OK", "now")});
  const auto client = ClientOf(hub.url());
  const Pauses pauses{[](std::chrono::milliseconds) {}, [] { return 0.0; }};
  const auto answer = SendWithRetries(*client, {"GET", "/", {}, ""}, {}, pauses);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->body, "now");
}

}  // namespace
}  // namespace tunehub::agent
