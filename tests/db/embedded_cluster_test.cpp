// The embedded PostgreSQL, with real processes and real kills.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/base/file.h"
#include "server/embedded/cluster.h"
#include "server/embedded/db_user.h"
#include "server/embedded/launch.h"
#include "server/embedded/lock.h"
#include "tests/support/cluster_process.h"
#include "tests/support/comes.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_cluster.h"

namespace tunehub::embedded {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;
using test::ClusterProcess;
using test::Execute;
using test::QueryText;
using test::TempDir;
using testing::HasSubstr;

// Runs without fsync for speed. The kernel still keeps all writes of a killed process.
ClusterOptions On(const fs::path& dir) {
  return {.data_dir = dir, .extra_settings = {{"fsync", "off"}}};
}

std::unique_ptr<Cluster> MustStart(const ClusterOptions& options) {
  return Must(Cluster::Start(options));
}

// Waits until the database runs a statement that begins with `statement`.
bool Runs(const std::string& connection, const std::string& statement) {
  return test::Comes([&] {
    return QueryText(connection,
                     "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> "
                     "pg_backend_pid() AND query LIKE '" +
                         statement + "%'") == "1";
  });
}

class EmbeddedCluster : public testing::Test {
 protected:
  void ExpectRefused(const ClusterOptions& options, const std::string& code,
                     const std::vector<std::string>& says) const {
    const auto refused = Cluster::Start(options);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, code);
    for (const std::string& part : says) EXPECT_THAT(refused.error().detail, HasSubstr(part));
  }

  const TempDir dir_;
};

TEST_F(EmbeddedCluster, starts_from_nothing_with_the_promised_settings) {
  const auto cluster = MustStart({.data_dir = dir_.path() / "new" / "data"});
  EXPECT_TRUE(cluster->Alive());
  struct stat info {};
  const auto pidfile = ReadPidfile(dir_.path() / "new/data/pg");
  ASSERT_TRUE(pidfile);
  ASSERT_EQ(::stat(("/proc/" + std::to_string(pidfile->pid)).c_str(), &info), 0);
  EXPECT_NE(info.st_uid, 0U) << "it never runs as root";
  const std::string to = cluster->ConnectionString();
  EXPECT_EQ(QueryText(to, "SELECT current_database() || ' ' || current_user"), "tunehub tunehub");
  EXPECT_EQ(QueryText(to,
                      "SELECT datcollate || ' ' || pg_encoding_to_char(encoding) FROM pg_database "
                      "WHERE datname = current_database()"),
            "C UTF8");
  EXPECT_EQ(QueryText(to,
                      "SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) "
                      "FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', "
                      "'listen_addresses', 'dynamic_shared_memory_type', 'jit')"),
            "dynamic_shared_memory_type=mmap fsync=on jit=off listen_addresses= "
            "synchronous_commit=on");
}

TEST_F(EmbeddedCluster, stops_in_time_with_a_client_in_a_long_query_and_leaves_nothing_behind) {
  const auto cluster = MustStart(On(dir_.path()));
  std::jthread client(
      [to = cluster->ConnectionString()] { EXPECT_ANY_THROW(Execute(to, "SELECT pg_sleep(60)")); });
  ASSERT_TRUE(Runs(cluster->ConnectionString(), "SELECT pg_sleep"));
  const fs::path socket_dir = test::WordOf(cluster->ConnectionString(), "host");
  const auto start = steady_clock::now();
  cluster->Stop();
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(50)) << "the query takes 60 s";
  EXPECT_FALSE(cluster->Alive());
  EXPECT_TRUE(ProcessesOf(dir_.path() / "pg").empty());
  EXPECT_FALSE(fs::exists(socket_dir));
}

TEST_F(EmbeddedCluster, refuses_a_second_server_quickly_and_names_the_first) {
  const ClusterProcess first(On(dir_.path()));
  const auto start = steady_clock::now();
  ExpectRefused(On(dir_.path()), "data_dir_busy", {"pid " + std::to_string(first.pid())});
  EXPECT_LT(steady_clock::now() - start, ClusterOptions().lock_wait);
  EXPECT_EQ(QueryText(first.connection(), "SELECT 1"), "1");
}

TEST_F(EmbeddedCluster, recovers_at_once_after_kill_9_of_its_server_alone_or_with_the_postmaster) {
  int rounds = 0;
  for (const bool with_postmaster : {false, true, false, true}) {
    ClusterProcess server(On(dir_.path()));
    Execute(server.connection(), "CREATE TABLE IF NOT EXISTS round (n int)");
    Execute(server.connection(), "INSERT INTO round VALUES (1)");
    std::jthread busy([to = server.connection()] {
      EXPECT_ANY_THROW(Execute(to, "SELECT count(*) FROM generate_series(1, 1000000000)"));
    });
    ASSERT_TRUE(Runs(server.connection(), "SELECT count"));
    const auto pidfile = ReadPidfile(dir_.path() / "pg");
    ASSERT_TRUE(pidfile);
    if (with_postmaster) ::kill(pidfile->pid, SIGKILL);
    server.Kill();
    const auto start = steady_clock::now();
    const auto cluster = MustStart(On(dir_.path()));
    EXPECT_LT(steady_clock::now() - start, ClusterOptions().lock_wait);
    EXPECT_EQ(QueryText(cluster->ConnectionString(), "SELECT count(*) FROM round"),
              std::to_string(++rounds));
  }
}

// The server's connections know only the first address.
TEST_F(EmbeddedCluster, a_start_that_failed_before_does_not_change_the_address) {
  const auto cluster = MustStart(On(dir_.path()));
  const std::string to = cluster->ConnectionString();
  const fs::path control = dir_.path() / "pg/global/pg_control";
  ::kill(ReadPidfile(dir_.path() / "pg")->pid, SIGKILL);
  ASSERT_TRUE(test::Comes([&] { return !cluster->Alive(); }));
  fs::rename(control, dir_.path() / "aside");
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(cluster->Restart());
  EXPECT_EQ(RunningOn(dir_.path()), std::nullopt) << "no server answers at this address yet";
  fs::rename(dir_.path() / "aside", control);
  // A cleaner of /tmp may remove the socket's folder.
  const std::string socket_dir = test::WordOf(to, "host");
  fs::remove_all(socket_dir);
  const auto restarted = cluster->Restart();
  ASSERT_TRUE(restarted) << restarted.error().detail;
  EXPECT_EQ(cluster->ConnectionString(), to);
  EXPECT_EQ(QueryText(to, "SELECT 1"), "1");
  EXPECT_EQ(RunningOn(dir_.path()), to);
}

TEST_F(EmbeddedCluster, dies_with_its_server_also_while_no_new_one_comes) {
  ClusterProcess server(On(dir_.path()));
  ASSERT_FALSE(ProcessesOf(dir_.path() / "pg").empty());
  server.Kill();
  EXPECT_TRUE(test::Comes([&] { return ProcessesOf(dir_.path() / "pg").empty(); }));
}

TEST_F(EmbeddedCluster, starts_over_a_pid_file_whose_number_belongs_to_somebody_else) {
  MustStart(On(dir_.path()))->Stop();
  // This process belongs to the database's user, so PostgreSQL would take it for another
  // postmaster.
  const auto user = ChooseDatabaseUser(dir_.path() / "pg");
  ASSERT_TRUE(user);
  const pid_t other = ::fork();
  if (other == 0) {
    if (BecomeUser(*user)) ::pause();
    ::_exit(0);
  }
  std::ofstream(dir_.path() / "pg" / "postmaster.pid") << other << '\n';
  EXPECT_EQ(QueryText(MustStart(On(dir_.path()))->ConnectionString(), "SELECT 1"), "1");
  EXPECT_EQ(::kill(other, SIGKILL), 0);
  ::waitpid(other, nullptr, 0);
}

TEST_F(EmbeddedCluster, stops_a_postgresql_that_a_person_started_on_it) {
  MustStart(On(dir_.path()))->Stop();
  const auto user = ChooseDatabaseUser(dir_.path() / "pg");
  const auto binaries = FindBinaries("/usr/lib/postgresql", dir_.path() / "pg");
  const core::Fd log(::open((dir_.path() / "person.log").c_str(), O_RDWR | O_CREAT, 0644));
  const auto postmaster =
      embedded::Start({.argv = {binaries->postgres, "-D", dir_.path() / "pg", "-c",
                                "listen_addresses=", "-k", dir_.path() / "pg"},
                       .user = *user,
                       .lock_fd = log.get(),  // any descriptor other than that of DIR/pg.lock
                       .log_fd = log.get(),
                       .death_signal = SIGKILL});
  ASSERT_TRUE(postmaster);
  const auto ready = [&] {
    const auto pidfile = ReadPidfile(dir_.path() / "pg");
    return pidfile && pidfile->ready;
  };
  ASSERT_TRUE(test::Comes(ready));
  const auto cluster = MustStart(On(dir_.path()));
  int status = 0;
  EXPECT_EQ(::waitpid(*postmaster, &status, WNOHANG), *postmaster);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;  // a fast shutdown
}

TEST_F(EmbeddedCluster, never_starts_beside_a_postmaster_that_lives_on) {
  ClusterProcess server(On(dir_.path()));
  const pid_t postmaster = ReadPidfile(dir_.path() / "pg")->pid;
  ::kill(postmaster, SIGSTOP);  // a stopped postmaster does not notice its server's death
  server.Kill();
  const core::Fd lock(::open((dir_.path() / "pg.lock").c_str(), O_RDWR));
  EXPECT_NE(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
  ClusterOptions options = On(dir_.path());
  options.lock_wait = std::chrono::seconds(1);
  ExpectRefused(options, "data_dir_busy", {std::to_string(postmaster)});
  ::kill(postmaster, SIGCONT);
  const auto cluster = MustStart(On(dir_.path()));
  EXPECT_NE(ReadPidfile(dir_.path() / "pg")->pid, postmaster);
}

TEST_F(EmbeddedCluster, begins_again_where_its_making_was_killed) {
  fs::create_directories(dir_.path() / "pg.tmp" / "base");
  std::ofstream(dir_.path() / "pg.tmp" / "PG_VERSION") << "15\n";
  const auto cluster = MustStart(On(dir_.path()));
  EXPECT_EQ(QueryText(cluster->ConnectionString(), "SELECT 1"), "1");
  EXPECT_FALSE(fs::exists(dir_.path() / "pg.tmp"));
}

TEST_F(EmbeddedCluster, names_the_folder_that_its_user_cannot_enter) {
  if (::geteuid() != 0) GTEST_SKIP() << "only a root server runs PostgreSQL as another user";
  const fs::path closed = fs::canonical(dir_.path()) / "closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_all);
  ExpectRefused(On(closed / "data"), "data_dir_unusable", {closed.string() + ": run chmod o+x"});
}

TEST_F(EmbeddedCluster, says_how_to_move_a_cluster_of_a_version_that_is_not_installed) {
  fs::create_directory(dir_.path() / "pg");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown((dir_.path() / "pg").c_str(), 65534, 65534), 0);
  }
  std::ofstream(dir_.path() / "pg" / "PG_VERSION") << "9\n";
  ExpectRefused(On(dir_.path()), "postgres_version",
                {"PostgreSQL 9 made ", "pg_dump", "pg_restore"});
}

TEST_F(EmbeddedCluster, says_what_to_install_where_there_is_no_postgresql) {
  ClusterOptions options = On(dir_.path() / "data");
  options.postgres_root = dir_.path() / "nothing";
  ExpectRefused(options, "postgres_missing", {"apt-get install postgresql"});
}

TEST_F(EmbeddedCluster, tells_what_postgresql_says_when_it_does_not_start) {
  ClusterOptions options = On(dir_.path());
  options.extra_settings["shared_buffers"] = "lots";
  ExpectRefused(options, "postgres_failed", {"shared_buffers"});
}

}  // namespace
}  // namespace tunehub::embedded
