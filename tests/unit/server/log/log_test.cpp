#include "server/log/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <spdlog/details/log_msg.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "server/log/line_formatter.h"

namespace tunehub::log {
namespace {

using testing::HasSubstr;

// Makes stderr a full pipe, so that the log's thread can write nothing until the test reads.
class UnreadStderr {
 public:
  UnreadStderr() : before_(::dup(STDERR_FILENO)) {
    EXPECT_EQ(::pipe2(pipe_, O_CLOEXEC), 0);
    const auto size = static_cast<std::size_t>(::fcntl(pipe_[1], F_GETPIPE_SZ));
    const std::string filling(size, '.');
    EXPECT_EQ(::write(pipe_[1], filling.data(), size), static_cast<ssize_t>(size));
    ::dup2(pipe_[1], STDERR_FILENO);
  }
  UnreadStderr(const UnreadStderr&) = delete;
  UnreadStderr& operator=(const UnreadStderr&) = delete;
  ~UnreadStderr() {
    ::dup2(before_, STDERR_FILENO);
    for (const int fd : {before_, pipe_[0], pipe_[1]}) ::close(fd);
  }
  // Returns the text after the filling, up to the end of the line that contains `last`.
  std::string ReadThrough(std::string_view last) {
    std::string text;
    char piece[65536];
    while (text.find(last) == text.npos || text.back() != '\n') {
      const ssize_t size = ::read(pipe_[0], piece, sizeof piece);
      if (size <= 0) break;
      text.append(piece, static_cast<std::size_t>(size));
    }
    return text.substr(std::min(text.find_first_not_of('.'), text.size()));
  }

 private:
  int before_;
  int pipe_[2] = {};
};

// A pipe that nobody reads must not block the reactors.
TEST(Log, lines_that_nobody_reads_stop_nobody_and_are_counted) {
  UnreadStderr unread;
  Use(Format::kJson);
  WaitForNoReader();
  for (int i = 0; i < 20'000; ++i) {
    if (i % 100 == 0) spdlog::warn("of the process itself, {}", i);
    Say(spdlog::level::info, "access", std::string(100, 'x'), {{"number", std::int64_t{i}}});
  }
  const std::string text = unread.ReadThrough("\"number\":19999");
  EXPECT_THAT(text, HasSubstr("of the process itself, 19900"));
  // Each line is either in the text or counted as missing.
  std::size_t missing = 0, said = 0;
  constexpr std::string_view kMissing =
      " lines are missing here, because nobody read stderr in time";
  for (std::size_t at = 0; (at = text.find(kMissing, at)) != text.npos; ++at, ++said) {
    const std::size_t begin = text.rfind('"', at) + 1;
    missing += std::stoul(text.substr(begin, at - begin));
  }
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  EXPECT_EQ(lines - said + missing, 20'200u);
  // The log's thread may start its first notice before the last lines drop. So two notices may
  // appear.
  EXPECT_LE(said, 2u);
  Use(Format::kText);
}

TEST(Log, lines_that_nobody_reads_keep_no_process_from_its_end) {
  const auto end = [] {
    UnreadStderr unread;
    ::alarm(120);  // ends this process if it hangs
    Use(Format::kJson);
    WaitForNoReader();
    for (int i = 0; i < 5'000; ++i) spdlog::warn("{}", std::string(100, 'x'));
    std::exit(0);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

using Json = nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string Written(Format format, std::string_view kind, std::string_view message,
                    const LineFields& fields = {}) {
  const std::string payload =
      kind == kProcess ? std::string(message) : Payload(format, message, fields);
  const spdlog::details::log_msg line(
      std::chrono::system_clock::time_point(std::chrono::milliseconds(1'500)), {},
      {kind.data(), kind.size()}, spdlog::level::warn, payload);
  spdlog::memory_buf_t out;
  LineFormatter(format).format(line, out);
  return {out.data(), out.size()};
}

TEST(LogLine, a_json_line_is_one_object_whatever_its_message_and_fields_hold) {
  const std::string line = Written(Format::kJson, kProcess, "a \"b\"\n\\ \xff \xe2\x82\xac");
  EXPECT_THAT(line, EndsWith("}\n"));
  EXPECT_EQ(Json::parse(line), Json::parse(R"({"at":"1970-01-01T00:00:01.500000Z",
      "level":"warning","kind":"server","message":"a \"b\"\n\\ \ufffd \u20ac"})"));
  const LineFields fields = {
      {"path", "/a b\""}, {"status", std::int64_t{200}}, {"ms", 1.25}, {"traceparent", ""}};
  EXPECT_EQ(Json::parse(Written(Format::kJson, "access", "", fields)),
            Json::parse(R"({"at":"1970-01-01T00:00:01.500000Z","level":"warning","kind":"access",
                "path":"/a b\"","status":200,"ms":1.25})"));
  EXPECT_THAT(Written(Format::kText, "access", "", fields),
              EndsWith("[access] [warning] path=\"/a b\\\"\" status=200 ms=1.250\n"));
}

TEST(LogLine, no_client_begins_a_line_of_its_own) {
  for (const Format format : {Format::kText, Format::kJson}) {
    for (const std::string_view kind : {kProcess, std::string_view("error")}) {
      const std::string line =
          Written(format, kind, "ERROR\n[info] all is well\r", {{"path", "/\n[info] x"}});
      EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
      EXPECT_THAT(line, Not(HasSubstr("\r"))) << line;
    }
  }
}

TEST(LogLine, keys_are_masked_behind_their_hint_and_passwords_wholly_in_either_form) {
  const std::string key = "thub_abcdefghijklmnopqrstuvwxyz234567";
  for (const Format format : {Format::kText, Format::kJson}) {
    const std::string line = Written(format, "error", "no /x/" + key + "/y",
                                     {{"database",
                                       "postgresql://hub:se:c@ret@db:5432/tunehub and host=db "
                                       "password=secret dbname=x password='one two' user=y "
                                       "password = 'thr\\'ee' postgres://hub:fo\"ur@db/ "}});
    EXPECT_THAT(line, HasSubstr("/thub_abcd****************************/y")) << line;
    EXPECT_THAT(line, Not(HasSubstr("efgh")));
    EXPECT_THAT(line, HasSubstr("postgresql://hub:********@db:5432/tunehub")) << line;
    EXPECT_THAT(line, HasSubstr("password=****** dbname=x"));
    for (const char* part : {"one", "two", "thr", "ee'", "fo", "ur@"})
      EXPECT_THAT(line, Not(HasSubstr(part))) << line;
    EXPECT_TRUE(format == Format::kText || Json::accept(line)) << line;
  }
  EXPECT_THAT(Written(Format::kText, kProcess, "listens on http://127.0.0.1:8080/ at revision 0"),
              EndsWith("listens on http://127.0.0.1:8080/ at revision 0\n"));
}

// A value that does not begin with a quote ends only at white space, as in libpq.
TEST(LogLine, a_password_is_masked_to_its_last_character) {
  for (const char* value : {"ab\"cd", "ab'cd", "ab&cd", "ab\\ cd", "'ab\\'cd'"}) {
    const std::string message = std::string("host=db password=") + value + " dbname=x";
    for (const Format format : {Format::kText, Format::kJson}) {
      const std::string line = Written(format, kProcess, message);
      EXPECT_THAT(line, Not(HasSubstr("cd"))) << line;
      EXPECT_THAT(line, HasSubstr(" dbname=x"));
    }
  }
}

// If the log masked more, a client that probes keys could hide each 401 from the log's readers.
TEST(LogLine, what_a_client_asks_for_hides_nothing_but_itself) {
  for (const char* path : {"/x/password='", "/password=a\"b", "/://a:", "/password=a\\"}) {
    const LineFields fields = {{"path", path}, {"status", std::int64_t{401}}, {"key", "a@b"}};
    const Json line = Json::parse(Written(Format::kJson, "access", "", fields));
    EXPECT_EQ(line["status"], 401) << path;
    EXPECT_EQ(line["key"], "a@b") << path;
    EXPECT_THAT(Written(Format::kText, "access", "", fields), EndsWith(" status=401 key=a@b\n"));
  }
}

}  // namespace
}  // namespace tunehub::log
