// `tunehub-server doctor`, installed in its own prefix. Each test breaks something real.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "build_info.h"
#include "core/base/file.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/cluster_process.h"
#include "tests/support/comes.h"
#include "tests/support/pg_bouncer.h"
#include "tests/support/sql.h"
#include "tests/support/standby.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;
using testing::Not;

// No server listens at this address. At the default port, this machine may have a hub.
constexpr const char* kNobody = "127.0.0.1:1";

class DoctorTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(share() / "web/dist");
    std::filesystem::create_directories(program().parent_path());
    std::filesystem::copy_file(ServerBinary(), program());
    std::filesystem::create_directory_symlink(TUNEHUB_SOURCE_DIR "/configs", share() / "configs");
    std::ofstream(share() / "web/dist/index.html") << "<!doctype html>";
  }

  Finished Doctor(std::vector<std::string> arguments,
                  std::map<std::string, std::string> environment = {}) const {
    arguments.insert(arguments.begin(), "doctor");
    environment.try_emplace("TUNEHUB_LISTEN", kNobody);
    return RunToEnd({program(), std::move(arguments), std::move(environment)});
  }
  Finished DoctorOf(const ServerProcess& server, const std::vector<std::string>& database,
                    std::map<std::string, std::string> environment = {}) const {
    std::vector<std::string> arguments = {"--listen", "127.0.0.1:" + std::to_string(server.port())};
    arguments.insert(arguments.end(), database.begin(), database.end());
    return Doctor(std::move(arguments), std::move(environment));
  }
  // Makes a database that a server would accept.
  std::string MigratedDatabase() const {
    const std::string database = NewDatabase();
    EXPECT_EQ(RunToEnd({program(), {"migrate", "--database", database}}).status, 0);
    return database;
  }

  std::filesystem::path share() const { return dir_.path() / "opt/share/tunehub"; }
  std::filesystem::path program() const { return dir_.path() / "opt/bin/tunehub-server"; }

  TempDir dir_;
};

// Expects exit status 1 and these words in the output.
void ExpectSays(const Finished& doctor, const std::vector<std::string>& words) {
  EXPECT_EQ(doctor.status, 1) << doctor.out << doctor.err;
  for (const std::string& it : words) EXPECT_THAT(doctor.out, testing::HasSubstr(it));
}

TEST_F(DoctorTest, nothing_is_wrong_with_a_hub_that_is_well) {
  const HubIdentity identity;
  identity.Replace(identity.authority().Sign("IP:127.0.0.1", 90));
  const fs::path data = dir_.path() / "data";
  ServerProcess server({.data = data, .tls = &identity});
  const std::string key = server.NewKey("submit");
  ASSERT_EQ(Verdict(server.Client(key).Post(kResults, kHeader + Row(1, "7.5"))), "200");
  const std::vector<std::string> hub = {
      "--data", data, "--tls-certificate", identity.certificate(), "--tls-key", identity.key()};
  ASSERT_TRUE(Comes([&] { return server.Log().find("[audit]") != std::string::npos; }));
  const std::string before = server.Log();
  const Finished well = DoctorOf(server, hub);
  EXPECT_EQ(well.status, 0) << well.err;
  EXPECT_EQ(well.out,
            "no problem found (tunehub-server verify also checks the stored data, which takes "
            "longer)\n");
  EXPECT_EQ(well.err, "");
  auto as_json = hub;
  as_json.emplace_back("--json");
  const Finished json = DoctorOf(server, as_json);
  EXPECT_EQ(json.status, 0);
  EXPECT_EQ(nlohmann::json::parse(json.out),
            nlohmann::json::parse(R"({"status":0,"found":[],"unseen":[]})"));
  EXPECT_EQ(server.Log(), before) << "the server must not log anything";
}

TEST_F(DoctorTest, settings_that_cannot_be_used_are_named) {
  const std::string file = dir_.path() / "server.json";
  ExpectSays(Doctor({"--config", file}), {"settings: " + file + ": No such file or directory"});
  std::ofstream(file) << R"({"listn":"127.0.0.1:1"})";
  ExpectSays(Doctor({"--config", file}),
             {"unknown setting 'listn'", "fix this first; nothing else was checked"});
  const Finished json = Doctor({"--config", file, "--json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(nlohmann::json::parse(json.out)["found"][0]["check"], "settings");
}

TEST_F(DoctorTest, a_port_that_somebody_else_has_is_named) {
  core::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(fd.get(), any, size), 0);
  ASSERT_EQ(::getsockname(fd.get(), any, &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const std::vector<std::string> of = {"--data", dir_.path() / "data", "--listen",
                                       "127.0.0.1:" + port};
  ExpectSays(Doctor(of),
             {"no server answers at http://127.0.0.1:" + port, "the data folder " + dir_ / "data"});
  ASSERT_EQ(::listen(fd.get(), 1), 0);
  ExpectSays(Doctor(of), {"server: the port " + port + " is in use, but no tunehub-server answers",
                          "`ss -ltnp sport = :" + port + "` and end it"});
}

TEST_F(DoctorTest, a_server_that_hangs_is_one_that_does_not_answer) {
  ServerProcess server({.database = NewDatabase()});
  server.Signal(SIGSTOP);
  ExpectSays(DoctorOf(server, {"--data", dir_.path() / "data"}),
             {"is in use, but no tunehub-server answers there"});
  server.Signal(SIGCONT);
}

TEST_F(DoctorTest, a_certificate_that_is_no_good) {
  const HubIdentity identity;
  identity.Replace(identity.authority().Sign("IP:127.0.0.1", -1));
  ExpectSays(Doctor({"--data", dir_.path() / "data", "--tls-certificate", identity.certificate(),
                     "--tls-key", identity.key()}),
             {"expired at"});
}

TEST_F(DoctorTest, what_was_roots_and_the_servers_user_may_not_read) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "NOT CHECKED: root's files need root";
  }
  const HubIdentity identity;
  ASSERT_EQ(::chown(identity.key().c_str(), 0, 0), 0);
  ASSERT_EQ(::chmod(identity.key().c_str(), 0600), 0);
  const fs::path data = dir_.path() / "data";
  ExpectSays(Doctor({"--database", NewDatabase(), "--tls-certificate", identity.certificate(),
                     "--tls-key", identity.key()}),
             {"certificate: ", identity.key().string() + ": Permission denied"});
  ServerProcess server({.data = data});
  EXPECT_EQ(server.Stop(), 0);
  ASSERT_EQ(::chown((data / "pg.log").c_str(), 0, 0), 0);
  ExpectSays(Doctor({"--data", data}),
             {(data / "pg.log").string() + " belongs to `root`, but the server runs as `postgres`",
              "chown -R postgres " + data.string()});
}

TEST_F(DoctorTest, files_of_the_installation_that_are_missing) {
  fs::remove_all(share() / "web");
  ExpectSays(Doctor({"--data", dir_.path() / "data", "--configs", dir_.path() / "none"}),
             {"web: the dashboard's files are missing at", "definitions: "});
}

TEST_F(DoctorTest, a_database_that_cannot_be_asked) {
  ExpectSays(
      Doctor({"--database", "host=/nonexistent dbname=hub"}),
      {"the database at /nonexistent:5432 cannot be queried", "/nonexistent/.s.PGSQL.5432",
       "sessions, schema, signing key: not checked, because the database cannot be queried"});
}

TEST_F(DoctorTest, of_several_hosts_each_that_is_down_and_a_standby_that_is_alone) {
  const ClusterProcess primary(
      {.data_dir = dir_.path() / "pg", .extra_settings = {{"fsync", "off"}}});
  const std::string& from = primary.connection();
  const Standby standby(from);
  const auto hub = [&](const std::string& hosts) {
    return "host=" + hosts + " port=5432 user=tunehub dbname=tunehub";
  };
  ASSERT_EQ(RunToEnd({program(), {"migrate", "--database", from}}).status, 0);
  const Finished one_down =
      Doctor({"--database", hub("/gone," + standby.socket_dir() + "," + WordOf(from, "host"))});
  ExpectSays(one_down, {"the database at /gone:5432 cannot be queried"});
  EXPECT_THAT(one_down.out, Not(HasSubstr("accepts no writes")));
  EXPECT_THAT(one_down.out, Not(HasSubstr("not checked"))) << "it must check the other hosts";
  ExpectSays(Doctor({"--database", hub("/gone," + standby.socket_dir())}),
             {"the database accepts no writes, because it is a standby"});
  ExpectSays(Doctor({"--database", standby.connection_string()}),
             {"the database accepts no writes, because it is a standby"});
}

TEST_F(DoctorTest, a_schema_that_is_older_or_newer_and_a_pooler) {
  const std::string database = NewDatabase();
  ExpectSays(Doctor({"--database", database}),
             {"schema: the database has schema version 0, but this program needs"});
  const std::string migrated = MigratedDatabase();
  const PgBouncer pooler(migrated, "transaction");
  ExpectSays(Doctor({"--database", pooler.connection_string()}),
             {"sessions: a pooler is between the server and the database"});
  Execute(migrated, "INSERT INTO schema_version (version, name) VALUES (99, 'V099__later')");
  ExpectSays(Doctor({"--database", migrated}), {"the database has schema version 99"});
}

TEST_F(DoctorTest, a_signing_key_that_is_away_open_to_others_or_another) {
  const std::map<std::string, std::string> own = {{"TUNEHUB_SIGNING_KEY", ""}};
  const ServerProcess server({.data = dir_.path() / "data", .environment = own});
  const std::string key = dir_ / "data/signing_key";
  const auto doctor = [&] { return DoctorOf(server, {"--data", dir_ / "data"}, own); };
  EXPECT_EQ(doctor().status, 0) << doctor().out;
  ASSERT_EQ(::chmod(key.c_str(), 0644), 0);
  ExpectSays(doctor(), {"signing key: " + key + ": mode 0644 lets other users read this secret"});
  ASSERT_EQ(::chmod(key.c_str(), 0600), 0);
  std::string secret = ReadText(key);
  secret[0] = secret[0] == 'A' ? 'B' : 'A';
  std::ofstream(key) << secret;
  ExpectSays(doctor(), {"signing key: " + key + ": is the secret of another key"});
  fs::rename(key, key + ".away");
  ExpectSays(doctor(), {"signing key: " + key + ": is missing"});
  EXPECT_FALSE(fs::exists(key)) << "doctor must not change anything";
}

TEST_F(DoctorTest, definitions_that_are_not_the_databases) {
  const std::string database = MigratedDatabase();
  const fs::path configs = dir_.path() / "configs", family = configs / "families/a8w8.json";
  fs::copy(TUNEHUB_SOURCE_DIR "/configs", configs, fs::copy_options::recursive);
  const auto edit = [&](const std::string& from, const std::string& to) {
    std::string text = ReadText(family);
    ASSERT_NE(text.find(from), std::string::npos);
    std::ofstream(family) << text.replace(text.find(from), from.size(), to);
  };
  const std::vector<std::string> of_configs = {"--database", database, "--configs", configs};
  edit("\"error_limit\": 0.2", "\"error_limit\": 0.1");
  ExpectSays(Doctor(of_configs), {"a8w8: the file in the database differs from the file here",
                                  "run `tunehub-server migrate`"});
  ASSERT_EQ(RunToEnd({program(), {"migrate", "--database", database, "--configs", configs}}).status,
            0);
  EXPECT_THAT(Doctor(of_configs).out, Not(HasSubstr("definitions: ")));
  EXPECT_THAT(Doctor({"--database", database}).out, Not(HasSubstr("definitions: ")))
      << "a server with an older file may start";
  edit("{", "");
  ExpectSays(Doctor(of_configs), {"definitions: ", "a8w8.json"});
}

// The user who runs the command may only reach the server.
TEST_F(DoctorTest, what_it_cannot_look_at_is_no_error_and_has_a_status_of_its_own) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "NOT CHECKED: a folder without permissions needs another user";
  }
  const ServerProcess server({.database = NewDatabase()});
  const fs::path data = dir_.path() / "data";
  fs::create_directories(data / "inner");
  ASSERT_EQ(::chmod(data.c_str(), 0700), 0);
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0755), 0);
  const Finished found = RunToEnd(
      {"/usr/bin/setpriv",
       {"--reuid", "nobody", "--clear-groups", program().string(), "doctor", "--listen",
        "127.0.0.1:" + std::to_string(server.port()), "--data", (data / "inner").string()}});
  EXPECT_EQ(found.status, 2) << found.out << found.err;
  EXPECT_THAT(found.out, HasSubstr("inner cannot be read by the user of this command\n"));
  EXPECT_THAT(found.out, HasSubstr("no problem found, but some checks could not run"));
}

}  // namespace
}  // namespace tunehub::test
