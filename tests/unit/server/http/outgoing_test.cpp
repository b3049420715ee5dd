#include "server/http/outgoing.h"

#include <gtest/gtest.h>

namespace tunehub::http {
namespace {

// The answer as written in turns of `limit` bytes, without the Date line.
std::string Written(Response response, const AnswerForm& form, std::size_t limit = 7) {
  Outgoing outgoing;
  outgoing.Assign(std::move(response), form);
  std::string text;
  while (!outgoing.done()) {
    const auto [head, body] = outgoing.Next(limit);
    EXPECT_LE(head.size() + body.size(), limit);
    text.append(head).append(body);
    outgoing.Advance(head.size() + body.size());
  }
  const std::size_t date = text.find("Date: ");
  if (date != text.npos) text.erase(date, text.find("\r\n", date) + 2 - date);
  return text;
}

TEST(Outgoing, an_answer_is_its_head_and_its_body) {
  EXPECT_EQ(
      Written(TextResponse(200, "text/csv", "M,N\n"), {.request_id = "i", .keep_alive = true}),
      "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nX-Request-Id: i\r\n"
      "Content-Length: 4\r\n\r\nM,N\n");
}

TEST(Outgoing, head_announces_the_length_and_sends_no_body) {
  EXPECT_EQ(Written(TextResponse(200, "text/csv", "M,N\n"), {.request_id = "i", .head_only = true}),
            "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nX-Request-Id: i\r\n"
            "Content-Length: 4\r\nConnection: close\r\n\r\n");
}

TEST(Outgoing, a_304_has_neither_body_nor_length) {
  EXPECT_EQ(
      Written(TextResponse(304, "text/csv", "M,N\n"), {.request_id = "i", .keep_alive = true}),
      "HTTP/1.1 304 Not Modified\r\nContent-Type: text/csv\r\nX-Request-Id: i\r\n\r\n");
}

TEST(Outgoing, http_1_0_is_told_that_the_connection_stays) {
  EXPECT_EQ(Written({.status = 200, .headers = {}, .body = nullptr},
                    {.request_id = "i", .keep_alive = true, .http10 = true}),
            "HTTP/1.1 200 OK\r\nX-Request-Id: i\r\nContent-Length: 0\r\n"
            "Connection: keep-alive\r\n\r\n");
}

TEST(Outgoing, a_handler_can_neither_split_an_answer_nor_frame_it) {
  EXPECT_EQ(Written({.status = 200,
                     .headers = {{"X", "a\r\nSet-Cookie: b"},
                                 {"content-length", "9"},
                                 {"Transfer-Encoding", "chunked"},
                                 {"connection", "close"}},
                     .body = nullptr},
                    {.request_id = "i", .keep_alive = true}),
            "HTTP/1.1 200 OK\r\nX: a  Set-Cookie: b\r\nX-Request-Id: i\r\n"
            "Content-Length: 0\r\n\r\n");
}

TEST(Outgoing, a_problem_is_valid_json_whatever_its_detail_is) {
  EXPECT_EQ(*Problem(400, "bad", "a\"b\\c\n\xff", "\"limit\":3").body,
            R"({"type":"about:blank","title":"Bad Request","status":400,"code":"bad",)"
            R"("detail":"a\"b\\c\u000a?","limit":3})");
}

}  // namespace
}  // namespace tunehub::http
