// The server's settings, and its stop.
#include <fstream>

#include "server/embedded/cluster.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using testing::AllOf;
using testing::MatchesRegex;

struct Given {
  std::string file = "{}";
  std::map<std::string, std::string> environment = {};
  std::vector<std::string> flags = {};
};

// The message with which a server refuses its settings before it opens a database.
std::string Refusal(const Given& given) {
  const TempDir dir;
  std::ofstream(dir.path() / "own.json") << given.file;
  std::vector<std::string> arguments = {"serve", "--config", dir / "own.json", "--data",
                                        dir / "data"};
  arguments.insert(arguments.end(), given.flags.begin(), given.flags.end());
  const Finished finished = RunToEnd({ServerBinary(), arguments, given.environment});
  EXPECT_NE(finished.status, 0);
  EXPECT_EQ(finished.out, "");
  return finished.err;
}

TEST(SettingsTest, a_flag_beats_the_environment_which_beats_the_file) {
  const std::string file = R"({"listen":"in-file"})";
  EXPECT_THAT(Refusal({.file = file}),
              MatchesRegex(".*listen: 'in-file' \\(from .*own.json\\).*\n"));
  EXPECT_THAT(Refusal({.file = file, .environment = {{"TUNEHUB_LISTEN", "in-environment"}}}),
              HasSubstr("listen: 'in-environment' (from TUNEHUB_LISTEN)"));
  EXPECT_THAT(Refusal({.file = file,
                       .environment = {{"TUNEHUB_LISTEN", "in-environment"}},
                       .flags = {"--listen", "in-flag"}}),
              HasSubstr("listen: 'in-flag' (from --listen)"));
}

TEST(SettingsTest, each_is_a_flag_a_variable_and_a_member_of_the_file_alike) {
  const std::pair<const char*, const char*> names[] = {
      {"cache_mib", "--cache-mib"},       {"reactors", "--reactors"},
      {"lame_duck_ms", "--lame-duck-ms"}, {"job_lease_ms", "--job-lease-ms"},
      {"log_level", "--log-level"},       {"limit_heavy_reads", "--limit-heavy-reads"}};
  for (const auto& [name, flag] : names) {
    const std::string named = std::string(name) + ": 'x' (from ";
    std::string variable = "TUNEHUB_";
    for (const char* c = name; *c != '\0'; ++c) variable.push_back(static_cast<char>(toupper(*c)));
    EXPECT_THAT(Refusal({.flags = {flag, "x"}}), HasSubstr(named + flag + ")"));
    EXPECT_THAT(Refusal({.environment = {{variable, "x"}}}), HasSubstr(named + variable + ")"));
    EXPECT_THAT(Refusal({.file = std::string("{\"") + name + "\":\"x\"}"}),
                AllOf(HasSubstr(named), HasSubstr("own.json) is not allowed; expected ")));
  }
}

TEST(SettingsTest, a_wrong_setting_is_named_with_what_is_allowed) {
  EXPECT_THAT(Refusal({.file = R"({"worker":4})"}), HasSubstr("unknown setting 'worker'"));
  EXPECT_THAT(Refusal({.file = "{"}), HasSubstr("own.json: expected a JSON object"));
  EXPECT_THAT(Refusal({.file = R"({"workers":0})"}), HasSubstr("workers: '0'"));
  EXPECT_THAT(Refusal({.file = R"({"workers":0})"}), HasSubstr("from 1 to 256"));
  EXPECT_THAT(Refusal({.environment = {{"TUNEHUB_BODY_MIB", "many"}}}),
              HasSubstr("body_mib: 'many' (from TUNEHUB_BODY_MIB)"));
  EXPECT_THAT(Refusal({.environment = {{"TUNEHUB_BODY_MIB", "65"}, {"TUNEHUB_BODIES_MIB", "64"}}}),
              HasSubstr("body_mib: '65' (from TUNEHUB_BODY_MIB) is not allowed; expected at most "
                        "bodies_mib (64)"));
  EXPECT_THAT(Refusal({.environment = {{"TUNEHUB_LOG_LEVEL", "loud"}}}),
              HasSubstr("debug, info, warn or error"));
  EXPECT_THAT(
      Refusal({.flags = {"--log-format", "xml"}}),
      HasSubstr("log_format: 'xml' (from --log-format) is not allowed; expected text or json"));
  EXPECT_THAT(Refusal({.environment = {{"TUNEHUB_HSTS_SECONDS", "-1"}}}),
              HasSubstr("hsts_seconds: '-1'"));
  EXPECT_THAT(Refusal({.flags = {"--reads", "nobody"}}), HasSubstr("open or key"));
  EXPECT_THAT(
      Refusal({.flags = {"--plan-on-claim", "perhaps"}}),
      AllOf(HasSubstr("plan_on_claim: 'perhaps' (from --plan-on-claim)"), HasSubstr("yes or no")));
  EXPECT_THAT(
      Refusal({.flags = {"--tls-certificate", "hub.pem"}}),
      HasSubstr(
          "tls_certificate: 'hub.pem' (from --tls-certificate) is not allowed; also set tls_key"));
  EXPECT_THAT(Refusal({.environment = {{"TUNEHUB_TLS_KEY", "hub.key"}}}),
              HasSubstr("tls_key: 'hub.key' (from TUNEHUB_TLS_KEY)"));
  EXPECT_THAT(Refusal({.flags = {"--listen", "127.0.0.1:65536"}}), HasSubstr("from 0 to 65535"));
  for (const char* host : {"hub.example:8080", "http://hub", "hub,", "a b"}) {
    EXPECT_THAT(Refusal({.flags = {"--host", std::string("good,") + host}}),
                HasSubstr("expected a host name without a port, such as hub.example"));
  }
  const Finished missing = RunToEnd({ServerBinary(), {"serve", "--config", "/nowhere.json"}, {}});
  EXPECT_NE(missing.status, 0);
  EXPECT_THAT(missing.err, HasSubstr("/nowhere.json: No such file or directory"));
}

// A user reads the first line of an error. Each says what was found, where, and what to type.
TEST(SettingsTest, a_mistake_is_answered_with_what_to_type) {
  const std::string lead = "tunehub-server: bad_setting: ";
  EXPECT_THAT(Refusal({.file = R"({"lisen":":80"})"}),
              HasSubstr("own.json: unknown setting 'lisen'; did you mean listen?\n"));
  EXPECT_THAT(Refusal({.flags = {"--lisen", ":80"}}),
              HasSubstr("unknown option '--lisen'; did you mean --listen?\n"));
  EXPECT_EQ(Refusal({.environment = {{"TUNEHUB_READ", "key"}}}),
            lead +
                "the variable TUNEHUB_READ is unknown; did you mean TUNEHUB_READS? If it is for "
                "another program, unset it for this one\n");
  EXPECT_THAT(Refusal({.flags = {"--listen", "8080"}}),
              HasSubstr("listen: '8080' (from --listen) is not allowed; expected HOST:PORT with a "
                        "port from 0 to 65535, such as 127.0.0.1:8080; :8080 means all IPv4 "
                        "addresses, [::]:8080 all addresses\n"));
  EXPECT_EQ(Refusal({.flags = {"--user-header", "X-Remote-User"}}),
            lead +
                "user_header: 'X-Remote-User' (from --user-header) is not allowed; also set "
                "trusted_proxies to the address of the proxy that checks users, such as "
                "127.0.0.1; anybody else could write the header\n");
  EXPECT_THAT(Refusal({.flags = {"--user-header", "X Remote", "--trusted-proxies", "::1"}}),
              HasSubstr("user_header: 'X Remote' (from --user-header) is not allowed; 'X Remote': "
                        "expected a header's name, such as X-Remote-User\n"));
  EXPECT_THAT(Refusal({.flags = {"--user-owners", "/none"}}),
              HasSubstr("; also set user_header\n"));
  const std::vector<std::string> proxy = {"--user-header", "X-User", "--trusted-proxies", "::1",
                                          "--user-owners"};
  const auto owners = [&](const std::string& text) {
    const TempDir dir;
    std::ofstream(dir.path() / "owners") << text;
    std::vector<std::string> flags = proxy;
    flags.push_back(dir / "owners");
    return Refusal({.flags = flags});
  };
  EXPECT_THAT(owners("ann kernels\nbob\n"),
              HasSubstr("owners:2: 'bob': expected a user and an owner, such as ann@lab.example "
                        "kernels\n"));
  EXPECT_THAT(owners("ann a\nann b\n"), HasSubstr("owners:2: user 'ann' has two lines\n"));
  EXPECT_THAT(owners("ann a/b\n"), HasSubstr("owners:1: owner: 'a/b' is not allowed"));
}

// Agents and other programs have variables of their own.
TEST(SettingsTest, variables_of_the_agent_are_no_mistake) {
  const std::map<std::string, std::string> others = {
      {"TUNEHUB_HUB", "x"},   {"TUNEHUB_KEY", "x"},    {"TUNEHUB_CA", "x"},
      {"TUNEHUB_SPOOL", "x"}, {"TUNEHUB_STATUS", "x"}, {"TUNEHUB_BIN", "x"},
      {"TUNEHUB_SEEDS", "1"}, {"TUNEHUB_LISTEN", "no"}};
  EXPECT_THAT(Refusal({.environment = others}), HasSubstr("listen: 'no' (from TUNEHUB_LISTEN)"));
}

TEST(SettingsTest, a_data_folder_that_cannot_be_made_is_named_with_its_reason) {
  const TempDir dir;
  std::ofstream(dir.path() / "file") << "x";
  const std::string below = dir / "file/data";
  const Finished file = RunToEnd({ServerBinary(), {"serve", "--data", below}, {}});
  EXPECT_EQ(file.status, 2);
  EXPECT_THAT(file.err,
              HasSubstr("data_dir_unusable: " + below + ": cannot be made or used, because of " +
                        below + " (Not a directory). Run `install -d -o USER " + below +
                        "` for the server's user, or name another\n"));
  const Finished proc = RunToEnd({ServerBinary(), {"serve", "--data", "/proc/none/data"}, {}});
  EXPECT_THAT(proc.err, HasSubstr("because of /proc/none (No such file or directory)"));
}

TEST(SettingsTest, a_port_alone_means_all_ipv4_addresses) {
  const std::string database = NewDatabase();
  const ServerProcess server(
      {.database = database});  // has the port, so the message names the host
  const std::string port = std::to_string(server.port());
  const Finished second =
      RunToEnd({ServerBinary(), {"serve", "--listen", ":" + port, "--database", database}, {}});
  EXPECT_THAT(second.err, HasSubstr("cannot listen on 0.0.0.0 port " + port));
}

TEST(SettingsTest, an_unreachable_database_or_one_without_the_schema_ends_the_start_with_a_reason) {
  const Finished nowhere = RunToEnd(
      {ServerBinary(), {"serve", "--listen", "127.0.0.1:0", "--database", "host=/nowhere"}, {}});
  EXPECT_NE(nowhere.status, 0);
  EXPECT_THAT(nowhere.err, HasSubstr("database"));
  const std::string empty = NewDatabase();
  const Finished bare =
      RunToEnd({ServerBinary(), {"serve", "--listen", "127.0.0.1:0", "--database", empty}, {}});
  EXPECT_NE(bare.status, 0);
  EXPECT_THAT(bare.err, HasSubstr("run 'tunehub-server migrate'"));
}

void ExpectEveryCommandRefuses(const std::string& database, const std::string& code) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"serve", "--listen", "127.0.0.1:0"},
        {"migrate"},
        {"key", "create", "--scope", "read"},
        {"key", "list"},
        {"key", "rotate", "1"},
        {"key", "revoke", "1"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--database", database});
    const Finished refused = RunToEnd({ServerBinary(), arguments, {}});
    EXPECT_NE(refused.status, 0) << command[0];
    EXPECT_THAT(refused.err, HasSubstr(code)) << command[0];
    EXPECT_EQ(refused.out, "") << command[0];
  }
}

TEST(SettingsTest, a_newer_schema_and_one_of_an_earlier_state_are_refused_by_every_command) {
  const std::string database = NewDatabase();
  ASSERT_EQ(RunToEnd({ServerBinary(), {"migrate", "--database", database}, {}}).status, 0);
  ASSERT_EQ(RunToEnd({ServerBinary(), {"migrate", "--database", database}, {}}).status, 0);
  Execute(database, "INSERT INTO schema_version (version, name) VALUES (999, 'V999__later')");
  ExpectEveryCommandRefuses(database, "newer_schema");
  Execute(database, "UPDATE schema_version SET name = 'V001__registry' WHERE version = 1");
  ExpectEveryCommandRefuses(database, "earlier_schema");
}

TEST(HostsTest, a_server_answers_to_its_own_names_and_to_those_that_it_is_given) {
  const auto asks = [](const ServerProcess& server, const std::string& host) {
    RawHttp client(server.port());
    return Verdict(client.Ask("GET /tuned HTTP/1.1\r\nHost: " + host + "\r\n\r\n"));
  };
  const std::string database = NewDatabase();
  const ServerProcess plain({.database = database});
  EXPECT_EQ(asks(plain, "127.0.0.1"), "200");
  EXPECT_EQ(asks(plain, "evil.example"), "421 unknown_host");
  const ServerProcess named(
      {.database = database, .environment = {{"TUNEHUB_HOST", "a.example, B"}}});
  EXPECT_EQ(asks(named, "b:80"), "200");
  EXPECT_EQ(asks(named, "evil.example"), "421 unknown_host");
  const ServerProcess any({.database = database, .environment = {{"TUNEHUB_HOST", "*"}}});
  EXPECT_EQ(asks(any, "evil.example"), "200");
}

// All tests of the data folder share one server with its own PostgreSQL, because making a cluster
// takes seconds.
TEST(SettingsTest, a_data_folder_has_one_server_keys_are_made_beside_it_and_it_stops_in_time) {
  const TempDir dir;
  ServerProcess server({.data = dir.path(), .environment = {{"TUNEHUB_DRAIN_MS", "1000"}}});
  const Finished second = RunToEnd(
      {ServerBinary(), {"serve", "--listen", "127.0.0.1:0", "--data", dir.path().string()}, {}});
  EXPECT_NE(second.status, 0);
  EXPECT_THAT(second.err, HasSubstr("data_dir_busy"));
  EXPECT_TRUE(server.Lives());
  EXPECT_EQ(JsonOf(server.Client().Get("/readyz?data=1")).at("data"), dir.path().string());
  EXPECT_FALSE(JsonOf(server.Client().Get("/readyz")).contains("data"));

  const Finished key = server.Tool({"key", "create", "--scope", "submit"});
  EXPECT_EQ(key.status, 0);
  EXPECT_THAT(key.out, MatchesRegex("thub_[a-z2-7]{32}\n"));
  EXPECT_EQ(key.err, "");
  const Finished scope = server.Tool({"key", "create", "--scope", "everything"});
  EXPECT_NE(scope.status, 0);
  EXPECT_EQ(scope.out, "");
  EXPECT_THAT(scope.err, HasSubstr("read, submit, claim or admin"));
  const Finished expiry = server.Tool({"key", "create", "--scope", "read", "--expires", "soon"});
  EXPECT_NE(expiry.status, 0);
  EXPECT_EQ(expiry.out, "");
  const Finished past =
      server.Tool({"key", "create", "--scope", "read", "--expires", "2020-01-01"});
  EXPECT_THAT(past.err, testing::StartsWith("tunehub-server: bad_expires: expires: '2020-01-01' is "
                                            "in the past; it is now "));
  EXPECT_EQ(past.out, "");
  // A key is named as `key list` shows it.
  const std::string old = server.NewKey("read").substr(0, 9);
  const Finished fresh = server.Tool({"key", "rotate", old, "--grace-hours", "0"});
  EXPECT_THAT(fresh.out, MatchesRegex("thub_[a-z2-7]{32}\n"));
  EXPECT_EQ(server.Tool({"key", "revoke", fresh.out.substr(0, 9)}).status, 0);
  EXPECT_THAT(server.Tool({"key", "revoke", "thub_none"}).err,
              HasSubstr("unknown_key: no key 'thub_none'; type the id or the first characters that "
                        "`key list` shows\n"));

  // Clients that are idle, stalled or uploading must not delay the stop.
  RawHttp idle(server.port()), stalled(server.port()), upload(server.port());
  EXPECT_EQ(idle.Ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
  stalled.Send("GET /healthz HTTP/1.1\r\nHo");
  upload.Send("POST /runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
              key.out.substr(0, key.out.size() - 1) + "\r\nContent-Length: 1000\r\n\r\n{");
  EXPECT_EQ(server.Stop(std::chrono::seconds(15)), 0);
  EXPECT_FALSE(embedded::RunningOn(dir.path()));

  // Without a server, a command starts the cluster itself and leaves nothing running.
  const Finished alone = server.Tool({"key", "list"});
  EXPECT_EQ(alone.status, 0);
  EXPECT_THAT(alone.out, HasSubstr(key.out.substr(0, 9)));
  EXPECT_THAT(alone.out, testing::Not(HasSubstr(key.out.substr(0, key.out.size() - 1))));
  EXPECT_FALSE(embedded::RunningOn(dir.path()));
}

}  // namespace
}  // namespace tunehub::test
