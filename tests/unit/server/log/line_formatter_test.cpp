#include "server/log/line_formatter.h"

#include <gmock/gmock.h>
#include <spdlog/details/log_msg.h>

#include <chrono>
#include <nlohmann/json.hpp>

namespace tunehub::log {
namespace {

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

TEST(LogLine, a_json_line_is_one_object_whatever_its_message_holds) {
  const std::string line = Written(Format::kJson, kProcess, "a \"b\"\n\\ \xff \xe2\x82\xac");
  EXPECT_THAT(line, EndsWith("}\n"));
  EXPECT_EQ(Json::parse(line), Json::parse(R"({"at":"1970-01-01T00:00:01.500000Z",
      "level":"warning","kind":"server","message":"a \"b\"\n\\ \ufffd \u20ac"})"));
}

TEST(LogLine, fields_are_members_numbers_stay_numbers_and_empty_texts_are_left_out) {
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

// libpq ends a value at white space alone where no quote begins it.
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

// Who probes keys would hide each 401 from what reads the log.
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
