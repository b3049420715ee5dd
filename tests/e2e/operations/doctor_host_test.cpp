// What `doctor` finds on a host: each of these is really broken.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "core/system/fd.h"
#include "server/embedded/pidfile.h"
#include "tests/e2e/operations/doctor_fixture.h"
#include "tests/support/comes.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

TEST_F(DoctorTest, nothing_is_wrong_with_a_hub_that_is_well) {
  const HubIdentity identity;
  identity.Replace(identity.authority().Sign("IP:127.0.0.1", 90));
  const fs::path data = dir_.path() / "data", backups = dir_.path() / "backups";
  ServerProcess server({.data = data, .tls = &identity});
  const std::string key = server.NewKey("submit");
  ASSERT_EQ(Verdict(server.Client(key).Post(kResults, kHeader + Row(1, "7.5"))), "200");
  ASSERT_EQ(server.Tool({"backup", backups, "--keep", "2"}).status, 0);
  const std::vector<std::string> hub = {
      "--data",    data,           "--tls-certificate", identity.certificate(),
      "--tls-key", identity.key(), "--backups",         backups,
  };
  const std::string before = server.Log();
  const Finished well = DoctorOf(server, hub);
  EXPECT_EQ(well.status, 0) << well.err;
  EXPECT_EQ(well.out,
            "nothing is wrong (whether all that is stored holds together takes longer: "
            "tunehub-server verify)\n");
  EXPECT_EQ(well.err, "");
  auto as_json = hub;
  as_json.emplace_back("--json");
  const Finished json = DoctorOf(server, as_json);
  EXPECT_EQ(json.status, 0);
  EXPECT_EQ(nlohmann::json::parse(json.out),
            nlohmann::json::parse(R"({"status":0,"found":[],"unseen":[]})"));
  EXPECT_EQ(server.Log(), before) << "the server does not notice";

  // Another certificate is in its place since, and the server was not told.
  identity.Replace(identity.authority().Sign("IP:127.0.0.1", 80));
  ExpectSays(DoctorOf(server, hub), {"shows another certificate", "systemctl reload"});
}

TEST_F(DoctorTest, settings_that_cannot_be_used_are_named) {
  const std::string file = dir_.path() / "server.json";
  ExpectSays(Doctor({"--config", file}), {"settings: " + file + ": cannot be read"});
  std::ofstream(file) << R"({"listn":"127.0.0.1:1"})";
  ExpectSays(Doctor({"--config", file}), {"'listn' is no setting", "nothing else was looked at"});
  const Finished json = Doctor({"--config", file, "--json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(nlohmann::json::parse(json.out)["found"][0]["check"], "settings");
}

TEST_F(DoctorTest, a_port_that_somebody_else_has_is_named_with_who_has_it) {
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
  ExpectSays(Doctor(of), {"no server answers at http://127.0.0.1:" + port,
                          "the data folder " + (dir_.path() / "data").string()});
  ASSERT_EQ(::listen(fd.get(), 1), 0);
  ExpectSays(Doctor(of), {"(pid " + std::to_string(::getpid()) + ", user `",
                          "has the port " + port + " that the server is to listen at"});
}

TEST_F(DoctorTest, a_server_that_hangs_is_one_that_does_not_answer) {
  ServerProcess server({.database = NewDatabase()});
  server.Signal(SIGSTOP);
  ExpectSays(DoctorOf(server, {"--data", dir_.path() / "data"}), {"does not answer"});
  server.Signal(SIGCONT);
}

TEST_F(DoctorTest, limits_below_what_the_settings_want) {
  const std::string files = "ulimit -Sn 256; ulimit -Hn 256; exec " + program().string() +
                            " doctor --data " + (dir_.path() / "data").string();
  ExpectSays(RunToEnd({"/bin/sh", {"-c", files}, {{"TUNEHUB_LISTEN", kNobody}}}),
             {"the limit of open files is 256, and 8192 connections take 8892"});
  ExpectSays(Doctor({"--data", dir_.path() / "data"}, {{"TUNEHUB_CACHE_MIB", "65536"},
                                                       {"TUNEHUB_PAST_MIB", "65536"},
                                                       {"TUNEHUB_BODIES_MIB", "65536"},
                                                       {"TUNEHUB_ANSWERS_MIB", "65536"}}),
             {"the settings allow 275", "lower cache_mib"});
}

TEST_F(DoctorTest, a_disk_that_is_nearly_full) {
  const std::string at = dir_.path() / "small";
  fs::create_directory(at);
  const std::string script = "mount -t tmpfs -o size=8m small " + at + " || exit 77; exec " +
                             program().string() + " doctor --data " + at + "/data --backups " + at;
  const Finished found = RunToEnd({"/usr/bin/unshare", {"-rm", "/bin/sh", "-c", script}});
  if (found.status == 77 || found.err.find("unshare") != std::string::npos) {
    GTEST_SKIP() << "NOT CHECKED: a full disk needs a mount of the test's own: " << found.err;
  }
  ExpectSays(found, {at + "/data (data) has 0.0 GB of 0.0 GB left", at + " (backups) has 0.0 GB",
                     at + " has no backup"});
}

TEST_F(DoctorTest, a_certificate_that_is_no_good) {
  const HubIdentity identity;
  const auto found = [&] {
    return Doctor({"--data", dir_.path() / "data", "--tls-certificate", identity.certificate(),
                   "--tls-key", identity.key()});
  };
  identity.Replace(identity.authority().Sign("IP:127.0.0.1", 10));
  ExpectSays(found(), {"certificate: ", "expires at"});
  identity.Replace(identity.authority().Sign("IP:127.0.0.1", -1));
  ExpectSays(found(), {"expired at"});
  identity.Replace({identity.authority().Sign("IP:127.0.0.1").certificate,
                    identity.authority().Sign("IP:127.0.0.1").key});
  ExpectSays(found(), {"is not the key of the certificate"});
  fs::remove(identity.certificate());
  ExpectSays(found(), {"tls_certificate " + identity.certificate().string() + ": No such file"});
}

TEST_F(DoctorTest, what_was_roots_and_the_servers_user_may_not_read) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "NOT CHECKED: files that are root's need root";
  }
  const HubIdentity identity;
  ASSERT_EQ(::chown(identity.key().c_str(), 0, 0), 0);
  ASSERT_EQ(::chmod(identity.key().c_str(), 0600), 0);
  const fs::path passwords = dir_.path() / "pgpass", data = dir_.path() / "data";
  std::ofstream(passwords) << "*:*:*:*:secret\n";
  ASSERT_EQ(::chmod(passwords.c_str(), 0600), 0);
  ExpectSays(Doctor({"--database", NewDatabase(), "--tls-certificate", identity.certificate(),
                     "--tls-key", identity.key()},
                    {{"PGPASSFILE", passwords}}),
             {"certificate: " + identity.key().string() + " cannot be read by the user `postgres`",
              "password file: " + passwords.string() + " cannot be read by the user `postgres`"});
  ServerProcess server({.data = data});
  EXPECT_EQ(server.Stop(), 0);
  ASSERT_EQ(::chown((data / "pg.log").c_str(), 0, 0), 0);
  ExpectSays(Doctor({"--data", data}),
             {(data / "pg.log").string() + " belongs to `root`, and the server runs as `postgres`",
              "chown -R postgres " + data.string()});
}

TEST_F(DoctorTest, what_a_postgresql_that_was_killed_left) {
  const fs::path data = dir_.path() / "data";
  ServerProcess server({.data = data});
  const auto postmaster = embedded::ReadPidfile(data / "pg");
  ASSERT_TRUE(postmaster.has_value());
  server.Signal(SIGSTOP);  // or it brings it back
  ASSERT_EQ(::kill(postmaster->pid, SIGKILL), 0);
  server.Kill();
  ASSERT_TRUE(Comes([&] { return embedded::ProcessesOf(data / "pg").empty(); }));
  ExpectSays(Doctor({"--data", data}), {"did not end in order: it left postmaster.pid, whose pid " +
                                            std::to_string(postmaster->pid),
                                        "takes the file away and recovers"});
  EXPECT_TRUE(fs::exists(data / "pg/postmaster.pid")) << "doctor changes nothing";
  server.Start();
  EXPECT_THAT(Doctor({"--data", data}).out, Not(HasSubstr("in order")));
}

TEST_F(DoctorTest, files_of_the_installation_that_are_missing) {
  fs::remove_all(share() / "web");
  ExpectSays(Doctor({"--data", dir_.path() / "data", "--configs", dir_.path() / "none"}),
             {"web: the dashboard's files are not at", "definitions: "});
}

TEST_F(DoctorTest, backups_that_are_none_or_old) {
  ServerProcess server({.database = NewDatabase()});
  const fs::path backups = dir_.path() / "backups";
  ExpectSays(Doctor({"--backups", backups}), {backups.string() + " is not there"});
  ASSERT_EQ(server.Tool({"backup", backups, "--keep", "2"}).status, 0);
  EXPECT_THAT(Doctor({"--backups", backups}).out, Not(HasSubstr("backups: ")));
  fs::rename(fs::directory_iterator(backups)->path(), backups / "2026-01-31T12-00-00Z");
  ExpectSays(
      Doctor({"--backups", backups}),
      {"the last backup, " + (backups / "2026-01-31T12-00-00Z").string() + ", is", "hours old"});
}

}  // namespace
}  // namespace tunehub::test
