// How the transport refuses requests that break HTTP's rules or the server's limits.
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "tests/api/transport_fixture.h"

namespace tunehub::http {
namespace {

using test::RawHttp;

constexpr const char* kChunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST_P(TransportTest, a_malformed_chunk_is_400_and_kills_nothing) {
  Start();
  for (const char* chunk :
       {"-1\r\n", "-2\r\nabc", "zz\r\nabc\r\n", "\r\n", " 3\r\nabc\r\n", "0x3\r\nabc\r\n\r\n",
        "3\r\nabcXX0\r\n\r\n", "3;=\r\nabc\r\n", "10000000000000000\r\nabc\r\n"}) {
    EXPECT_EQ(StatusOf(std::string(kChunked) + chunk), 400) << chunk;
  }
  EXPECT_EQ(StatusOf(Get("/fast")), 200);
}

TEST_P(TransportTest, a_chunk_above_the_limit_is_413_before_it_comes) {
  Start();
  for (const char* chunk : {"7fffffff\r\n", "ffffffff\r\n", "fffffffffffffffe\r\n"}) {
    EXPECT_EQ(StatusOf(std::string(kChunked) + chunk), 413) << chunk;
  }
}

TEST_P(TransportTest, an_endless_chunk_line_or_trailer_is_400) {
  Start();
  const std::string filler(20'000, 'a');
  EXPECT_EQ(StatusOf(std::string(kChunked) + "3;a=" + filler), 400);
  EXPECT_EQ(StatusOf(std::string(kChunked) + "0\r\nx: " + filler), 400);
}

TEST_P(TransportTest, a_length_that_is_not_one_number_is_400) {
  Start();
  for (const std::string length :
       {"abc", "-1", "+3", "3, 4", "", "18446744073709551619", "3\r\nContent-Length: 4"}) {
    EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + length + "\r\n\r\nabc"),
              400)
        << length;
  }
}

TEST_P(TransportTest, a_length_beside_chunks_is_400_in_either_order) {
  Start();
  EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"
                     "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            400);
  EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                     "Content-Length: 3\r\n\r\n0\r\n\r\n"),
            400);
}

TEST_P(TransportTest, a_transfer_encoding_other_than_chunked_is_501) {
  Start();
  for (const std::string encoding :
       {"gzip, chunked", "chunked, gzip", "identity", "xchunked", "gzip", "chunked, chunked", ""}) {
    EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: " + encoding +
                       "\r\n\r\n0\r\n\r\n"),
              501)
        << encoding;
  }
  EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n"),
            200);
}

TEST_P(TransportTest, a_request_has_exactly_one_host) {
  Start();
  EXPECT_EQ(StatusOf("GET /fast HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET /fast HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
}

// RFC 9112 5.2: a proxy might read the folded line as a header of its own, or as part of another.
TEST_P(TransportTest, a_folded_header_is_400) {
  Start();
  for (const char* fold : {"\r\n b", "\r\n\tb", "\r\n "}) {
    const std::string head = "GET /fast HTTP/1.1\r\nHost: h\r\nX: a";
    EXPECT_EQ(StatusOf(head + fold + "\r\n\r\n"), 400) << fold;
  }
}

TEST_P(TransportTest, a_second_authorization_is_400) {
  Start();
  const std::string one = "Authorization: Bearer a\r\n";
  EXPECT_EQ(StatusOf("GET /fast HTTP/1.1\r\nHost: h\r\n" + one + "\r\n"), 200);
  EXPECT_EQ(StatusOf("GET /fast HTTP/1.1\r\nHost: h\r\n" + one + one + "\r\n"), 400);
}

TEST_P(TransportTest, another_hosts_name_is_421_and_says_what_to_set) {
  options_.hosts = Must(HostNames::Parse("hub.example, hub2"));
  Start();
  std::array<char, 256> machine{};
  ASSERT_EQ(::gethostname(machine.data(), machine.size() - 1), 0);
  const std::vector<std::string> own = {"hub.example:80", "HUB2.",   "localhost:1",
                                        "127.0.0.1",      "[::1]:8", "192.0.2.1:8080",
                                        machine.data()};
  for (const std::string& host : own) {
    EXPECT_EQ(StatusOf("GET /fast HTTP/1.1\r\nHost: " + host + "\r\n\r\n"), 200) << host;
  }
  for (const std::string host :
       {"evil.example", "evil.example:80", "hub.example.evil", "127.0.0.1.x"}) {
    EXPECT_EQ(StatusOf("GET /fast HTTP/1.1\r\nHost: " + host + "\r\n\r\n"), 421) << host;
  }
  for (const std::string host : {"", "a b", "h:8x", "[::1", "user@localhost", "[h]"}) {
    EXPECT_EQ(StatusOf("GET /fast HTTP/1.1\r\nHost: " + host + "\r\n\r\n"), 400) << host;
  }
  EXPECT_THAT(
      Answer("POST /x HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 9\r\n\r\n"),
      testing::AllOf(testing::StartsWith("421 "), testing::HasSubstr("--host evil.example")));
  // With the absolute form, the server checks the host in it. HTTP/1.0 needs no Host header.
  EXPECT_EQ(StatusOf("GET http://evil.example/fast HTTP/1.1\r\nHost: hub2\r\n\r\n"), 421);
  EXPECT_EQ(StatusOf("GET http://hub2/fast HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 200);
  EXPECT_EQ(StatusOf("GET http:///fast HTTP/1.1\r\nHost: hub2\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET /fast HTTP/1.0\r\n\r\n"), 200);
  for (const std::string path : {"/healthz", "/readyz", "/metrics"}) {
    EXPECT_EQ(StatusOf("GET " + path + " HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 200) << path;
  }
}

TEST_P(TransportTest, trace_and_connect_are_405_and_echo_nothing) {
  Start();
  RawHttp client(port(), tls());
  const auto answer =
      client.Ask("TRACE / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer thub_x\r\n\r\n");
  EXPECT_EQ(answer.status, 405);
  EXPECT_FALSE(answer.Header("allow").empty());
  EXPECT_EQ(answer.body.find("thub_x"), std::string::npos);
  EXPECT_EQ(StatusOf("CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n"), 405);
}

TEST_P(TransportTest, what_is_no_http_is_refused) {
  Start();
  const std::pair<const char*, int> kBad[] = {
      {"GET / HTTP/1.1\nHost: h\n\n", 400},
      {"GET / HTTP/1.1\r\nHost: h\r\nnocolon\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: a\x01z\r\n\r\n", 400},
      {"\x16\x03\x01\x02\x01\x01\r\n\r\n", 400},
      {"GET / HTTP/9.9\r\nHost: h\r\n\r\n", 505},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET /a%00b HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET /?a=%ff HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET * HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: h\r\nExpect: 200-ok\r\nContent-Length: 1\r\n\r\nx", 417},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
  };
  for (const auto& [bytes, status] : kBad) EXPECT_EQ(StatusOf(bytes), status) << bytes;
}

TEST_P(TransportTest, a_refusal_carries_the_clients_id) {
  Start();
  RawHttp client(port(), tls());
  const auto answer = client.Ask(
      "POST / HTTP/1.1\r\nHost: h\r\nX-Request-Id: mine\r\nContent-Length: 99999999\r\n\r\n");
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.Header("x-request-id"), "mine");
}

// The client sends more after the refusal. Without a lingering close, a reset would reach it before
// the answer does.
TEST_P(TransportTest, a_header_above_the_limit_is_431_and_no_reset) {
  Start();
  const std::string filler(300'000, 'a');
  std::string many = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 20'000; ++i) many += "a: b\r\n";
  for (const std::string& request :
       {"GET / HTTP/1.1\r\nHost: h\r\nX: " + filler, "GET /" + filler + " HTTP/1.1\r\n", many,
        std::string(300'000, '\n')}) {
    RawHttp client(port(), tls());
    client.Send(request);
    const auto answer = client.Read();
    ASSERT_TRUE(answer) << request.substr(0, 40);
    EXPECT_EQ(answer->status, 431) << request.substr(0, 40);
    EXPECT_TRUE(client.Closes());
    EXPECT_FALSE(client.was_reset());
  }
}

TEST_P(TransportTest, a_header_of_exactly_the_limit_is_accepted_and_one_byte_more_is_not) {
  Start();
  const std::string frame = Get("/fast");
  const auto padded = [&](std::size_t size) {
    const std::string field = "X: \r\n";
    std::string request = frame;
    return request.insert(frame.size() - 2,
                          "X: " + std::string(size - frame.size() - field.size(), 'a') + "\r\n");
  };
  EXPECT_EQ(StatusOf(padded(options_.limits.header_bytes)), 200);
  EXPECT_EQ(StatusOf(padded(options_.limits.header_bytes + 1)), 431);
}

TEST_P(TransportTest, a_body_above_the_limit_is_413_and_no_reset) {
  Start();
  const std::string body(800'000, 'a');
  for (const std::string& request : {Post("/", body), kChunked + ("C3500\r\n" + body)}) {
    RawHttp client(port(), tls());
    client.Send(request);
    const auto answer = client.Read().value();
    EXPECT_EQ(answer.status, 413);
    EXPECT_TRUE(client.Closes());
    EXPECT_FALSE(client.was_reset());
  }
  EXPECT_EQ(StatusOf(Post("/", std::string(options_.limits.body_bytes, 'a'))), 200);
}

}  // namespace
}  // namespace tunehub::http
