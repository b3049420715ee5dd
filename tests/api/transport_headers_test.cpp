// The security headers of every answer, also of refusals.
#include <gmock/gmock.h>

#include "tests/api/transport_fixture.h"

namespace tunehub::http {
namespace {

using test::RawAnswer;
using test::RawHttp;

void ExpectSafe(const RawAnswer& answer, const std::string& about) {
  EXPECT_EQ(answer.Header("x-content-type-options"), "nosniff") << about;
  EXPECT_EQ(answer.Header("referrer-policy"), "no-referrer") << about;
  EXPECT_THAT(answer.Header("content-security-policy"),
              testing::HasSubstr("frame-ancestors 'none'"))
      << about;
}

TEST_P(TransportTest, every_answer_has_the_security_headers_and_hsts_over_tls_alone) {
  options_.hsts = std::chrono::hours(24);
  options_.limits.header_deadline = std::chrono::milliseconds(200);
  callbacks_.admit = [](const RequestHead& head) -> std::optional<Response> {
    if (head.path == "/throws") throw std::runtime_error("on purpose");
    if (head.path == "/refused") return Problem(401, "no_key", "none");
    return std::nullopt;
  };
  Start();
  const std::string to = " HTTP/1.1\r\nHost: h\r\n";
  const std::pair<std::string, int> kRequests[] = {
      {Get("/fast"), 200},
      {Get("/slow"), 200},
      {Get("/refused"), 401},
      {Get("/throws"), 500},
      {"TRACE /" + to + "\r\n", 405},
      {"GET /%zz" + to + "\r\n", 400},
      {"GET / HTTP/9.9\r\n\r\n", 505},
      {"GET /" + to + "X: " + std::string(8192, 'x') + "\r\n\r\n", 431},
      {"GET /" + to + "Expect: a miracle\r\nContent-Length: 1\r\n\r\n", 417},
      {"POST /" + to + "Content-Length: 1000000\r\n\r\n", 413},
      {"POST /" + to + "Transfer-Encoding: gzip\r\n\r\n", 501},
      {"GET / HT", 408},
  };
  for (const auto& [bytes, status] : kRequests) {
    RawHttp client(port(), tls());
    const auto answer = client.Exchange(bytes);
    ASSERT_TRUE(answer) << bytes;
    EXPECT_EQ(answer->status, status) << bytes;
    ExpectSafe(*answer, bytes);
    EXPECT_EQ(answer->Header("strict-transport-security"),
              GetParam() == Over::kTls ? "max-age=86400" : "")
        << bytes;
  }
}

class TransportPlainOnTlsTest : public TransportFixture {
 protected:
  TransportPlainOnTlsTest() : TransportFixture(Over::kTls) {}
};

// RFC 6797 7.2: without TLS, anyone on the network could have written the answer.
TEST_F(TransportPlainOnTlsTest, a_refusal_in_plain_http_has_no_hsts) {
  options_.hsts = std::chrono::hours(24);
  Start();
  RawHttp client(port());
  const auto answer = client.Ask(Get("/fast"));
  EXPECT_EQ(answer.status, 400);
  ExpectSafe(answer, "plain");
  EXPECT_EQ(answer.Header("strict-transport-security"), "");
}

}  // namespace
}  // namespace tunehub::http
