// Bad input, part two: bytes that are no proper request. The server answers or closes, and lives.
#include <chrono>

#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

class BadTransportTest : public HubTest {
 protected:
  static std::string VerdictOn(std::string_view bytes) {
    RawHttp connection(server_->port());
    const auto answer = connection.Exchange(bytes);
    return answer ? Verdict(*answer) : "no answer";
  }
  static std::string Authorized() { return "Authorization: Bearer " + submit_key_ + "\r\n"; }
};

TEST_F(BadTransportTest, a_body_above_the_limit_is_413_whether_announced_or_chunked) {
  const std::string before = Stored();
  EXPECT_EQ(VerdictOn("POST /results/a8w8_blockscale HTTP/1.1\r\nHost: h\r\n" + Authorized() +
                      "Content-Length: 4194305\r\n\r\n"),
            "413 body_too_large");
  std::string chunked = "POST /results/a8w8_blockscale HTTP/1.1\r\nHost: h\r\n" + Authorized() +
                        "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 5; ++i) chunked += "100000\r\n" + std::string(1 << 20, 'a') + "\r\n";
  EXPECT_EQ(VerdictOn(chunked), "413 body_too_large");
  EXPECT_EQ(VerdictOn("GET /tuned HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"),
            "413 body_not_allowed");
  EXPECT_EQ(Stored(), before);
}

TEST_F(BadTransportTest, a_header_above_the_limit_is_431) {
  EXPECT_EQ(VerdictOn("GET /tuned HTTP/1.1\r\nHost: h\r\nX-Long: " + std::string(20'000, 'a') +
                      "\r\n\r\n"),
            "431 header_too_large");
}

TEST_F(BadTransportTest, a_bad_chunk_size_is_400) {
  for (const char* size : {"-1", "zz", "ffffffffffffffffff", ""}) {
    EXPECT_THAT(VerdictOn("POST /results/a8w8_blockscale HTTP/1.1\r\nHost: h\r\n" + Authorized() +
                          "Transfer-Encoding: chunked\r\n\r\n" + size + "\r\nabc\r\n0\r\n\r\n"),
                testing::StartsWith("400 "))
        << size;
  }
}

TEST_F(BadTransportTest, what_is_no_http_is_400) {
  for (const char* bytes : {"\x16\x03\x01\x02\r\n\r\n", "GET\r\n\r\n",
                            "GET /tuned HTTP/1.1\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n",
                            "POST /runs HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n"}) {
    EXPECT_THAT(VerdictOn(bytes), testing::StartsWith("400 ")) << bytes;
  }
}

TEST_F(BadTransportTest, pipelined_requests_are_answered_in_their_order) {
  RawHttp connection(server_->port());
  connection.Send(
      "GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n"
      "GET /nowhere HTTP/1.1\r\nHost: h\r\n\r\n"
      "HEAD /tuned HTTP/1.1\r\nHost: h\r\n\r\n"
      "GET /families HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(connection.Read().value().status, 200);
  EXPECT_EQ(connection.Read().value().status, 404);
  EXPECT_EQ(connection.Read(RawHttp::Body::kNone).value().status, 200);
  EXPECT_THAT(connection.Read().value().body, testing::StartsWith("{\"families\":"));
  EXPECT_TRUE(connection.Closes());
}

TEST_F(BadTransportTest, a_half_close_after_a_whole_request_is_answered_and_one_within_closes) {
  RawHttp whole(server_->port());
  whole.Send("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
  whole.HalfClose();
  EXPECT_EQ(whole.Read().value().status, 200);
  EXPECT_TRUE(whole.Closes());
  const std::string before = Stored();
  const std::string table = kHeader + Row(5, "5.0");
  RawHttp part(server_->port());
  part.Send("POST /results/a8w8_blockscale HTTP/1.1\r\nHost: h\r\n" + Authorized() +
            "Content-Length: " + std::to_string(table.size() + 1) + "\r\n\r\n" + table);
  part.HalfClose();
  EXPECT_TRUE(part.Closes());
  EXPECT_EQ(Stored(), before);
}

TEST_F(BadTransportTest, trace_and_other_methods_are_405_with_those_allowed) {
  for (const char* method : {"TRACE", "PUT", "DELETE", "POST"}) {
    RawHttp connection(server_->port());
    const auto answer =
        connection.Exchange(std::string(method) + " /tuned HTTP/1.1\r\nHost: h\r\n\r\n");
    ASSERT_TRUE(answer) << method;
    EXPECT_EQ(Verdict(*answer), "405 method_not_allowed") << method;
    EXPECT_THAT(answer->Header("allow"), testing::HasSubstr("GET")) << method;
  }
  EXPECT_EQ(VerdictOn("CONNECT h:80 HTTP/1.1\r\nHost: h\r\n\r\n").substr(0, 2), "40");
}

TEST_F(BadTransportTest, an_upload_without_a_key_is_refused_before_its_body) {
  RawHttp connection(server_->port());
  const auto answer = connection.Exchange(
      "POST /results/a8w8_blockscale HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
      "Content-Length: 1000000\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(Verdict(*answer), "401 no_key");
}

}  // namespace
}  // namespace tunehub::test
