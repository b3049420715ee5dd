#include "server/http/memory_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "server/http/outgoing.h"

namespace tunehub::http {
namespace {

std::shared_ptr<const std::string> Body(std::size_t size) {
  return std::make_shared<const std::string>(size, 'x');
}

TEST(MemoryFiles, a_large_body_becomes_a_file_when_it_is_sent_again) {
  MemoryFiles files;
  const auto body = Body(100'000);
  EXPECT_EQ(files.Find(body), nullptr);
  const auto file = files.Find(body);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->size(), 100'000U);
  EXPECT_EQ(files.Find(body), file);
}

TEST(MemoryFiles, a_small_body_and_no_body_never_do) {
  MemoryFiles files;
  const auto body = Body(1'000);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(files.Find(body), nullptr);
    EXPECT_EQ(files.Find(nullptr), nullptr);
  }
}

TEST(MemoryFiles, the_file_goes_with_its_body) {
  MemoryFiles files;
  auto body = Body(100'000);
  files.Find(body);
  const std::weak_ptr<const MemoryFile> file = files.Find(body);
  files.Sweep();
  EXPECT_FALSE(file.expired());
  body.reset();
  files.Sweep();
  EXPECT_TRUE(file.expired());
}

TEST(MemoryFiles, all_files_together_stay_within_their_limit) {
  MemoryFiles files;
  const std::array bodies = {Body(60'000'000), Body(60'000'000), Body(60'000'000)};
  std::string made;
  for (const auto& body : bodies) {
    files.Find(body);
    made += files.Find(body) ? "file " : "none ";
  }
  EXPECT_EQ(made, "file file none ");
}

TEST(MemoryFile, a_turn_sends_the_head_and_then_the_body_from_where_it_was) {
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data()), 0);
  const auto file = MemoryFile::Of("0123456789");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->Send(pair[0], "head:", 0, 4).sent, 9U);
  EXPECT_EQ(file->Send(pair[0], "", 4, 100).sent, 6U);
  std::array<char, 64> text{};
  std::string all;
  for (ssize_t got; (got = ::read(pair[1], text.data(), text.size())) > 0;) {
    all.append(text.data(), static_cast<std::size_t>(got));
  }
  EXPECT_EQ(all, "head:0123456789");
  ::close(pair[0]);
  ::close(pair[1]);
}

using testing::HasSubstr;

// The server adds these headers to each answer, unless the answer sets them itself.
const std::string kSafe =
    "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n";

// The whole answer, written `limit` bytes at a time, without the Date line and kSafe.
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
  const std::size_t safe = text.find(kSafe);
  if (safe != text.npos) text.erase(safe, kSafe.size());
  return text;
}

std::string HeadOf(Response response, const AnswerForm& form = {}) {
  Outgoing outgoing;
  outgoing.Assign(std::move(response), form);
  return std::string(outgoing.Next(64 * 1024)[0]);
}

TEST(Outgoing, an_answer_is_its_head_and_its_body_and_a_problem_valid_json) {
  EXPECT_EQ(
      Written(TextResponse(200, "text/csv", "M,N\n"), {.request_id = "i", .keep_alive = true}),
      "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nX-Request-Id: i\r\n"
      "Content-Length: 4\r\n\r\nM,N\n");
  EXPECT_EQ(Written({.status = 200,
                     .headers = {{"X", "a\r\nSet-Cookie: b"},
                                 {"content-length", "9"},
                                 {"Transfer-Encoding", "chunked"},
                                 {"connection", "close"}},
                     .body = nullptr},
                    {.request_id = "i", .keep_alive = true}),
            "HTTP/1.1 200 OK\r\nX: a  Set-Cookie: b\r\nX-Request-Id: i\r\n"
            "Content-Length: 0\r\n\r\n");
  EXPECT_EQ(*Problem(400, "bad", "a\"b\\c\n\xff", "\"limit\":3").body,
            R"({"type":"about:blank","title":"Bad Request","status":400,"code":"bad",)"
            R"("detail":"a\"b\\c\n)"
            "\xEF\xBF\xBD"
            R"(","limit":3})");
}

TEST(Outgoing, every_answer_tells_a_browser_to_run_nothing_of_it_and_a_page_says_what_it_needs) {
  for (const int status : {200, 204, 304, 401, 500}) {
    EXPECT_THAT(HeadOf({.status = status, .headers = {}, .body = nullptr}), HasSubstr(kSafe))
        << status;
  }
  const std::string page =
      HeadOf({.headers = {{"content-security-policy", "script-src 'self'"}}, .body = nullptr});
  EXPECT_THAT(page, testing::Not(HasSubstr("default-src 'none'")));
  EXPECT_THAT(page, HasSubstr("content-security-policy: script-src 'self'\r\n"));
  EXPECT_THAT(page, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
}

}  // namespace
}  // namespace tunehub::http
