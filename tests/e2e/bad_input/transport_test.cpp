// Bad input, part two: bytes that are no proper request. The server answers or closes, and lives.
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

}  // namespace
}  // namespace tunehub::test
