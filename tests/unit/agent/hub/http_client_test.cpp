#include "agent/hub/http_client.h"

#include <gmock/gmock.h>

#include <chrono>
#include <string>

#include "agent/hub/connection.h"
#include "agent/hub/hub_client.h"
#include "core/base/archive.h"
#include "tests/support/result.h"
#include "tests/support/socket_hub.h"

namespace tunehub::agent {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using tunehub::test::ScriptedAnswer;
using tunehub::test::SocketHub;

ScriptedAnswer Response(const std::string& head, const std::string& body) {
  return SocketHub::Closing(head, body);
}

const ScriptedAnswer kHangsUp{"", ScriptedAnswer::Then::kClose};

std::string UrlOf(const SocketHub& hub) {
  return "http://" + hub.origin();
}

std::unique_ptr<HubClient> ClientOf(const std::string& url, int timeout_s = 10) {
  auto client = MakeHttpClient({url, "thub_secret", std::chrono::seconds(timeout_s), ""});
  EXPECT_TRUE(client.ok()) << client.error().detail;
  return *std::move(client);
}

TEST(AgentHttpClient, sends_key_headers_and_body_and_never_expect) {
  SocketHub hub({Response("200 OK\r\nETag: \"x\"", "fine")});
  const std::string body(100'000, 'b');
  const auto answer =
      Must(ClientOf(UrlOf(hub))
               ->Send({"POST", "/results/fmoe?run=a%20b", {{"Idempotency-Key", "k1"}}, body}));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "fine");
  EXPECT_EQ(answer.Header("etag"), "\"x\"");
  const std::string request = hub.Requests()[0];
  EXPECT_THAT(request, StartsWith("POST /results/fmoe?run=a%20b HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("Host: " + hub.origin() + "\r\n"));
  EXPECT_THAT(request, HasSubstr("Authorization: Bearer thub_secret\r\n"));
  EXPECT_THAT(request, HasSubstr("Idempotency-Key: k1\r\n"));
  EXPECT_THAT(request, HasSubstr("Content-Length: 100000\r\n"));
  EXPECT_THAT(request, Not(HasSubstr("Expect")));
  EXPECT_THAT(request, testing::EndsWith("\r\n\r\n" + body));
}

TEST(AgentHttpClient, a_post_of_nothing_says_its_length) {
  SocketHub hub({Response("204 No Content", "")});
  ASSERT_TRUE(ClientOf(UrlOf(hub))->Send({"POST", "/jobs/1/fail", {}, ""}).ok());
  EXPECT_THAT(hub.Requests()[0], HasSubstr("Content-Length: 0\r\n"));
}

TEST(AgentHttpClient, keeps_the_path_of_the_hubs_address) {
  SocketHub hub({Response("200 OK", "")});
  ASSERT_TRUE(ClientOf(UrlOf(hub) + "/tunehub/")->Send({"GET", "/tuned/fmoe?gfx=x", {}, ""}).ok());
  EXPECT_THAT(hub.Requests()[0], StartsWith("GET /tunehub/tuned/fmoe?gfx=x HTTP/1.1\r\n"));
}

TEST(AgentHttpClient, decodes_gzip) {
  const std::string text(50'000, 'x');
  SocketHub hub({Response("200 OK\r\nContent-Encoding: gzip", core::Gzip(text))});
  EXPECT_EQ(Must(ClientOf(UrlOf(hub))->Send({"GET", "/", {}, ""})).body, text);
}

TEST(AgentHttpClient, a_body_that_is_no_gzip_is_named) {
  SocketHub hub({Response("200 OK\r\nContent-Encoding: gzip", "plain")});
  EXPECT_EQ(ErrorCode(ClientOf(UrlOf(hub))->Send({"GET", "/", {}, ""})), "bad_gzip");
}

TEST(AgentHttpClient, an_answer_beyond_the_limit_is_not_read) {
  SocketHub hub(
      {{"HTTP/1.1 200 OK\r\nContent-Length: 268435457\r\n\r\nx", ScriptedAnswer::Then::kClose}});
  const auto answer = ClientOf(UrlOf(hub))->Send({"GET", "/", {}, ""});
  EXPECT_EQ(ErrorCode(answer), "answer_too_large");
  EXPECT_THAT(answer.error().detail, HasSubstr("268435456 bytes"));
}

TEST(AgentHttpClient, follows_no_redirect) {
  SocketHub hub({Response("302 Found\r\nLocation: http://127.0.0.1:1/elsewhere", "")});
  EXPECT_EQ(Must(ClientOf(UrlOf(hub))->Send({"GET", "/", {}, ""})).status, 302);
}

TEST(AgentHttpClient, remarks_on_the_way_are_not_the_answer) {
  ScriptedAnswer answer = Response("200 OK", "now");
  answer.text = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + answer.text;
  SocketHub hub({answer});
  EXPECT_EQ(Must(ClientOf(UrlOf(hub))->Send({"GET", "/", {}, ""})).body, "now");
}

TEST(AgentHttpClient, an_answer_that_breaks_off_is_no_answer) {
  SocketHub hub(
      {{"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this", ScriptedAnswer::Then::kClose},
       {"HTTP/1.1 200", ScriptedAnswer::Then::kClose}});
  const auto client = ClientOf(UrlOf(hub));
  for (int i = 0; i < 2; ++i) {
    const auto answer = client->Send({"GET", "/", {}, ""});
    EXPECT_EQ(ErrorCode(answer), "hub_unreachable");
    EXPECT_THAT(answer.error().detail, HasSubstr(UrlOf(hub)));
  }
}

TEST(AgentHttpClient, a_hub_that_says_nothing_runs_into_the_timeout) {
  SocketHub hub({{"", ScriptedAnswer::Then::kSilent}});
  const auto answer = ClientOf(UrlOf(hub), 1)->Send({"GET", "/", {}, ""});
  EXPECT_EQ(ErrorCode(answer), "hub_unreachable");
  EXPECT_THAT(answer.error().detail, HasSubstr("within the time allowed"));
}

// The timeout covers the whole request, not each step of it.
TEST(AgentHttpClient, a_hub_that_stops_halfway_runs_into_the_timeout_too) {
  SocketHub hub({{"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this",
                  ScriptedAnswer::Then::kSilent}});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(ErrorCode(ClientOf(UrlOf(hub), 1)->Send({"GET", "/", {}, ""})), "hub_unreachable");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(AgentHttpClient, nobody_there_is_unreachable) {
  EXPECT_EQ(ErrorCode(ClientOf("http://127.0.0.1:1")->Send({"GET", "/", {}, ""})),
            "hub_unreachable");
}

TEST(AgentHttpClient, takes_every_form_of_an_address_and_names_what_is_wrong_with_one) {
  for (const char* url : {"", "hub:8080", "ftp://hub", "http://", "http://hub/?x=1", "http://a b",
                          "http://hub:0", "http://hub:65536", "http://hub:x",
                          "http://hub:", "http://[::1", "http://me@hub", "http://hub/#x"}) {
    EXPECT_EQ(ErrorCode(MakeHttpClient({url, "", kRequestTimeout, ""})), "bad_hub") << url;
  }
  for (const char* url : {"http://hub", "HTTP://hub:8080", "http://[::1]:8080/x", "http://[::1]"}) {
    EXPECT_TRUE(MakeHttpClient({url, "", kRequestTimeout, ""}).ok()) << url;
  }
}

TEST(AgentHttpClient, one_connection_carries_many_requests) {
  SocketHub hub({SocketHub::Keeping("200 OK", "a"), SocketHub::Keeping("200 OK", "b"),
                 SocketHub::Keeping("404 Not Found", "c")});
  const auto client = ClientOf(UrlOf(hub));
  std::string bodies;
  for (int i = 0; i < 3; ++i) bodies += client->Send({"GET", "/", {}, ""})->body;
  EXPECT_EQ(bodies, "abc");
  EXPECT_THAT(hub.Requests(), SizeIs(3));
  EXPECT_EQ(hub.connections(), 1);
}

// The hub reads a request on a kept connection and closes the connection, as a stopping hub does.
TEST(AgentHttpClient, a_kept_connection_that_is_closed_is_replaced_once) {
  SocketHub hub({SocketHub::Keeping("200 OK", "a"), kHangsUp, SocketHub::Keeping("200 OK", "b"),
                 kHangsUp, kHangsUp});
  const auto client = ClientOf(UrlOf(hub));
  EXPECT_EQ(client->Send({"GET", "/", {}, ""})->body, "a");
  EXPECT_EQ(Must(client->Send({"POST", "/", {{"Idempotency-Key", "k"}}, "x"})).body, "b");
  EXPECT_EQ(client->Send({"GET", "/", {}, ""}).error().code, "hub_unreachable");
  EXPECT_THAT(hub.Requests(), SizeIs(5));
  EXPECT_EQ(hub.connections(), 3);
}

TEST(AgentHttpClient, what_would_count_twice_is_not_sent_again) {
  SocketHub hub({SocketHub::Keeping("200 OK", "a"), kHangsUp, SocketHub::Keeping("200 OK", "b")});
  const auto client = ClientOf(UrlOf(hub));
  EXPECT_EQ(client->Send({"GET", "/", {}, ""})->body, "a");
  EXPECT_EQ(client->Send({"POST", "/jobs/claim", {}, "{}"}).error().code, "hub_unreachable");
  EXPECT_EQ(client->Send({"GET", "/", {}, ""})->body, "b");
  EXPECT_THAT(hub.Requests(), SizeIs(3));
}

TEST(AgentHttpClient, sends_again_over_the_socket_until_the_hub_is_there) {
  SocketHub hub({Response("503 Busy\r\nRetry-After: 0", ""), Response("200 OK", "now")});
  const auto client = ClientOf(UrlOf(hub));
  const Pauses pauses{[](std::chrono::milliseconds) {}, [] { return 0.0; }};
  EXPECT_EQ(Must(SendWithRetries(*client, {"GET", "/", {}, ""}, {}, pauses)).body, "now");
}

// All bytes have already arrived, so only the deadline can end the reading.
TEST(AgentHttpClient, a_flood_that_is_no_answer_ends_at_the_deadline) {
  constexpr std::size_t kBytes = 40'000'000;
  std::string remarks, chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  while (remarks.size() < kBytes) remarks += "HTTP/1.1 100 Continue\r\n\r\n";
  while (chunks.size() < kBytes) chunks += "1;" + std::string(4000, 'a') + "\r\nx\r\n";
  for (const std::string& text :
       {remarks + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", chunks + "0\r\n\r\n"}) {
    SocketHub hub({{text, ScriptedAnswer::Then::kClose}});
    const auto connection = MakeConnection(*ParseUrl(UrlOf(hub)), {});
    const auto answer = connection->Exchange(
        {"GET", "/", {}, ""}, Connection::Clock::now() + std::chrono::milliseconds(5));
    ASSERT_FALSE(answer.ok()) << text.substr(0, 20);
    EXPECT_THAT(answer.error().detail, HasSubstr("within the time allowed"));
  }
}

TEST(AgentHttpClient, a_problem_and_a_receipt_are_small) {
  const std::string large(kMaxReceiptBytes + 1, ' ');
  const std::string packed = "\r\nContent-Encoding: gzip";
  SocketHub hub({Response("422 No", large), Response("422 No" + packed, core::Gzip(large)),
                 Response("200 OK", large), Response("200 OK" + packed, core::Gzip(large)),
                 Response("200 OK", large)});
  const auto client = ClientOf(UrlOf(hub));
  const Request get{"GET", "/", {}, ""}, post{"POST", "/jobs/claim", {}, "{}"};
  EXPECT_EQ(client->Send(get).error().code, "answer_too_large");
  EXPECT_EQ(client->Send(get).error().code, "bad_gzip");
  EXPECT_EQ(client->Send(post).error().code, "answer_too_large");
  EXPECT_EQ(client->Send(post).error().code, "bad_gzip");
  EXPECT_TRUE(client->Send(get).ok());
}

TEST(AgentHttpClient, SendsNoLineOfItsOwnThatAHubHasThoughtOf) {
  SocketHub hub({Response("200 OK", "")});
  const auto client = ClientOf(UrlOf(hub));
  for (const Request& request :
       {Request{"GET", "/x HTTP/1.1\r\nHost: evil\r\n\r\nDELETE /jobs", {}, ""},
        Request{"GET", "/a b", {}, ""}, Request{"GET", "", {}, ""},
        Request{"GET", "/", {{"If-None-Match", "\"x\"\r\nX-Evil: 1"}}, ""}}) {
    EXPECT_EQ(ErrorCode(client->Send(request)), "bad_request") << request.target;
  }
  EXPECT_TRUE(client->Send({"GET", "/", {{"If-None-Match", "\"x\""}}, ""}).ok());
  EXPECT_THAT(hub.Requests(), SizeIs(1));
}

TEST(AgentHttpClient, a_headers_value_is_a_line_of_text) {
  SocketHub hub(
      {Response("502 Bad\r\nServer: nginx\xff\r\nWarning: a\xc2\x9b"
                "2J b",
                "")});
  const auto answer = Must(ClientOf(UrlOf(hub))->Send({"GET", "/", {}, ""}));
  EXPECT_EQ(answer.Header("server"), "nginx\xEF\xBF\xBD");
  EXPECT_EQ(answer.Header("warning"),
            "a\xEF\xBF\xBD"
            "2J b");
}

// tests/e2e/agent/proxy_test.cpp tests the answers of proxies.
TEST(Between, the_hubs_own_answers_are_not) {
  for (const Answer& answer :
       {Answer{304, {}, ""}, Answer{204, {}, ""}, Answer{200, {{"content-type", "text/csv"}}, "a"},
        Answer{200, {}, ""}}) {
    EXPECT_FALSE(ErrorOfBetween(answer)) << answer.status;
  }
}

// The time Sun, 06 Nov 1994 08:49:37 GMT.
constexpr std::chrono::system_clock::time_point kNow{std::chrono::seconds(784111777)};

std::string Said(const std::string& date, std::chrono::seconds took = {}) {
  return ClockDifference({200, {{"date", date}}, ""}, kNow - took, kNow);
}

TEST(ClockCheck, says_which_clock_is_ahead_by_more_than_a_minute) {
  EXPECT_THAT(Said("Sun, 06 Nov 1994 08:54:40 GMT"),
              StartsWith("this host's clock is 5 min behind the hub's clock. "));
  EXPECT_THAT(Said("Sun, 06 Nov 1994 06:44:37 GMT"),
              StartsWith("this host's clock is 2 h 5 min ahead of the hub's clock. "));
  EXPECT_THAT(Said("Fri, 31 Dec 9999 23:59:59 GMT"), StartsWith("this host's clock is "));
  for (const char* date : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:50:37 GMT",
                           "Sun, 06 Nov 1994 08:48:37 GMT"}) {
    EXPECT_EQ(Said(date), "") << date;
  }
  EXPECT_NE(Said("Sun, 06 Nov 1994 08:50:38 GMT"), "");
  EXPECT_NE(Said("Sun, 06 Nov 1994 08:48:36 GMT"), "");
  EXPECT_EQ(Said("Sun, 06 Nov 1994 08:44:37 GMT", std::chrono::minutes(4)), "")
      << "a long upload or download";
  for (const char* date :
       {"", "now", "1994-11-06T00:00:00Z", "Sun, 06 Nov 1994 00:00:00", "06 Nov 1994 00:00:00 GMT",
        "Sun, 06 Nov 1994 00:00:00 GMT!", "Sun, 99 Nov 1994 00:00:00 GMT", "0"}) {
    EXPECT_EQ(Said(date), "") << date;
  }
  const Answer cached{200, {{"date", "Sun, 06 Nov 1994 00:00:00 GMT"}, {"age", "31777"}}, ""};
  EXPECT_EQ(ClockDifference(cached, kNow, kNow), "");
  EXPECT_EQ(ClockDifference({}, kNow, kNow), "");
}

}  // namespace
}  // namespace tunehub::agent
