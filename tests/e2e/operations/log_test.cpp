// The log's lines about requests, as JSON and as text. ServerProcess fails each test whose log
// contains the secret of an API key.
#include <sstream>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using testing::AllOf;
using testing::Not;

constexpr const char* kTrace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

// The line of this kind about `request`, or null. All lines of the log must be well-formed.
Json LineOf(const ServerProcess& server, const std::string& kind, const std::string& request) {
  Json found;
  std::istringstream log(server.Log());
  for (std::string line; std::getline(log, line);) {
    const Json json = Json::parse(line, nullptr, false);
    EXPECT_TRUE(json.is_object() && json.contains("at") && json.contains("level")) << line;
    if (!found.is_null() || !json.is_object()) continue;
    if (json.value("kind", "") == kind && json.value("request", "") == request) found = json;
  }
  return found;
}

class JsonLogTest : public testing::Test {
 protected:
  JsonLogTest()
      : database_(NewDatabase()),
        server_({.database = database_,
                 .environment = {{"TUNEHUB_LOG_FORMAT", "json"}, {"TUNEHUB_LOG_LEVEL", "debug"}}}),
        key_(server_.NewKey("submit")) {}

  std::string database_;
  ServerProcess server_;
  std::string key_;
};

TEST_F(JsonLogTest, every_answer_has_a_line_with_its_key_request_and_trace) {
  const HttpClient client = server_.Client(key_);
  const RawAnswer sent = Good(client.Post(kResults, kHeader + Row(1, "5.0"),
                                          {{"X-Request-Id", "write-1"}, {"traceparent", kTrace}}));
  EXPECT_EQ(sent.Header("traceparent"), kTrace);
  server_.Client().Get(kTable, {{"X-Request-Id", "read-1"}});
  server_.Client("thub_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
      .Post(kResults, "x", {{"X-Request-Id", "stranger-1"}});
  EXPECT_EQ(server_.Stop(), 0);  // after the server's end, all lines are written
  const Json write = LineOf(server_, "access", "write-1");
  EXPECT_EQ(write.value("key", 0), 1) << write;
  EXPECT_EQ(write.value("traceparent", ""), kTrace);
  EXPECT_EQ(write.value("method", "") + " " + write.value("path", ""), "POST " + kResults);
  EXPECT_EQ(write.value("status", 0), 200);
  EXPECT_EQ(write.value("peer", ""), "127.0.0.1");
  EXPECT_GT(write.value("bytes", 0), 0);
  EXPECT_GT(write.value("ms", 0.0), 0.0);
  const Json read = LineOf(server_, "access", "read-1");
  EXPECT_EQ(read.value("status", 0), 200) << read;
  EXPECT_FALSE(read.contains("key")) << read;
  EXPECT_EQ(LineOf(server_, "access", "stranger-1").value("status", 0), 401);
}

TEST_F(JsonLogTest, every_write_has_an_audit_line_and_no_read_has) {
  Good(server_.Client(key_).Post(kResults, kHeader + Row(1, "5.0"), {{"X-Request-Id", "write-2"}}));
  EXPECT_EQ(Verdict(server_.Client(key_).Post("/runs", "{", {{"X-Request-Id", "write-3"}})),
            "422 bad_json");
  server_.Client().Get("/runs", {{"X-Request-Id", "read-2"}});
  EXPECT_EQ(server_.Stop(), 0);  // after the server's end, all lines are written
  const Json audit = LineOf(server_, "audit", "write-2");
  EXPECT_EQ(audit.value("action", ""), "POST /results/{family}") << audit;
  EXPECT_EQ(audit.value("key", 0), 1);
  EXPECT_EQ(audit.value("status", 0), 200);
  EXPECT_EQ(LineOf(server_, "audit", "write-3").value("status", 0), 422);
  EXPECT_TRUE(LineOf(server_, "audit", "read-2").is_null());
}

TEST_F(JsonLogTest, an_error_names_its_request) {
  Execute(database_, "ALTER TABLE agent RENAME TO hidden");
  const RawAnswer failed =
      server_.Client().Get("/agents", {{"X-Request-Id", "broken-1"}, {"traceparent", kTrace}});
  Execute(database_, "ALTER TABLE hidden RENAME TO agent");
  EXPECT_EQ(Verdict(failed), "500 internal_error");
  EXPECT_THAT(failed.body, Not(HasSubstr("relation")))
      << "only the log may contain internal details";
  EXPECT_EQ(server_.Stop(), 0);  // after the server's end, all lines are written
  const Json error = LineOf(server_, "error", "broken-1");
  EXPECT_THAT(error.value("message", ""), HasSubstr("agent")) << error;
  EXPECT_EQ(error.value("level", ""), "error");
  EXPECT_EQ(error.value("traceparent", ""), kTrace);
  EXPECT_EQ(error.value("path", ""), "/agents");
}

TEST_F(JsonLogTest, a_key_that_a_client_puts_where_it_does_not_belong_is_masked) {
  server_.Client().Get("/runs/" + key_, {{"X-Request-Id", "leak-1"}});
  server_.Client().Get("/runs?key=" + key_, {{"X-Request-Id", "leak-2"}});
  server_.Client().Get("/x%0a%22" + key_, {{"X-Request-Id", "leak-3"}});
  EXPECT_EQ(server_.Stop(), 0);  // after the server's end, all lines are written
  EXPECT_EQ(LineOf(server_, "access", "leak-1").value("path", ""),
            "/runs/" + key_.substr(0, 9) + std::string(28, '*'));
  EXPECT_EQ(LineOf(server_, "access", "leak-2").value("path", ""), "/runs");
  EXPECT_FALSE(LineOf(server_, "access", "leak-3").is_null());
  EXPECT_THAT(server_.Log(), Not(HasSubstr(key_)));
}

TEST(TextLogTest, text_has_no_line_of_reads_and_one_of_each_write) {
  ServerProcess server({.database = NewDatabase()});
  server.Client().Get(kTable, {{"X-Request-Id", "read-9"}});
  server.Client(server.NewKey("submit"))
      .Post(kResults, kHeader + Row(1, "5.0"), {{"X-Request-Id", "write-9"}});
  EXPECT_EQ(server.Stop(), 0);
  EXPECT_THAT(server.Log(), Not(HasSubstr("read-9")));
  EXPECT_THAT(server.Log(), AllOf(HasSubstr("[audit] [info] request=write-9"),
                                  HasSubstr("action=\"POST /results/{family}\" status=200 key=1")));
}

}  // namespace
}  // namespace tunehub::test
