// The server's own PostgreSQL, with real processes and real kills.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "core/system/fd.h"
#include "server/embedded/binaries.h"
#include "server/embedded/cluster.h"
#include "server/embedded/db_user.h"
#include "server/embedded/launch.h"
#include "server/embedded/pidfile.h"
#include "tests/support/cluster_process.h"
#include "tests/support/comes.h"
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

// Without fsync, for speed: what a killed process wrote is safe with the kernel.
ClusterOptions On(const fs::path& dir) {
  return {.data_dir = dir, .extra_settings = {{"fsync", "off"}}};
}

std::unique_ptr<Cluster> MustStart(const ClusterOptions& options) {
  auto started = Cluster::Start(options);
  if (!started) throw std::runtime_error(started.error().code + ": " + started.error().detail);
  return *std::move(started);
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Whether somebody's statement that begins so comes to run.
bool Runs(const std::string& connection, const std::string& statement) {
  return test::Comes([&] {
    return QueryText(connection,
                     "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> "
                     "pg_backend_pid() AND query LIKE '" +
                         statement + "%'") == "1";
  });
}

TEST(EmbeddedCluster, starts_from_nothing_with_the_promised_settings) {
  const TempDir dir;
  const auto cluster = MustStart({.data_dir = dir.path() / "new" / "data"});
  EXPECT_TRUE(cluster->Alive());
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

TEST(EmbeddedCluster, never_runs_as_root) {
  const TempDir dir;
  const auto cluster = MustStart(On(dir.path()));
  struct stat info {};
  const auto pidfile = ReadPidfile(dir.path() / "pg");
  ASSERT_TRUE(pidfile);
  ASSERT_EQ(::stat(("/proc/" + std::to_string(pidfile->pid)).c_str(), &info), 0);
  EXPECT_NE(info.st_uid, 0U);
}

TEST(EmbeddedCluster, keeps_its_data_over_a_restart_and_leaves_nothing_behind) {
  const TempDir dir;
  auto cluster = MustStart(On(dir.path()));
  Execute(cluster->ConnectionString(), "CREATE TABLE kept AS SELECT 42 AS answer");
  const std::string to = cluster->ConnectionString();
  const fs::path socket_dir = to.substr(5, to.find(' ') - 5);
  ASSERT_TRUE(fs::exists(socket_dir));
  cluster->Stop();
  EXPECT_FALSE(cluster->Alive());
  EXPECT_TRUE(ProcessesOf(dir.path() / "pg").empty());
  EXPECT_FALSE(fs::exists(socket_dir));
  cluster = MustStart(On(dir.path()));
  EXPECT_EQ(QueryText(cluster->ConnectionString(), "SELECT answer FROM kept"), "42");
}

TEST(EmbeddedCluster, stops_in_time_with_a_client_in_a_long_query) {
  const TempDir dir;
  const auto cluster = MustStart(On(dir.path()));
  std::jthread client(
      [to = cluster->ConnectionString()] { EXPECT_ANY_THROW(Execute(to, "SELECT pg_sleep(60)")); });
  ASSERT_TRUE(Runs(cluster->ConnectionString(), "SELECT pg_sleep"));
  const auto start = steady_clock::now();
  cluster->Stop();
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(50)) << "the query takes 60 s";
}

TEST(EmbeddedCluster, refuses_a_second_server_quickly_and_names_the_first) {
  const TempDir dir;
  const ClusterProcess first(On(dir.path()));
  const auto start = steady_clock::now();
  const auto second = Cluster::Start(On(dir.path()));
  EXPECT_LT(steady_clock::now() - start, ClusterOptions().lock_wait);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "data_dir_busy");
  EXPECT_TRUE(Contains(second.error().detail, "pid " + std::to_string(first.pid())))
      << second.error().detail;
  EXPECT_EQ(QueryText(first.connection(), "SELECT 1"), "1");
}

TEST(EmbeddedCluster, recovers_at_once_after_kill_9_of_the_server) {
  const TempDir dir;
  for (int round = 0; round < 3; ++round) {
    ClusterProcess server(On(dir.path()));
    Execute(server.connection(), "CREATE TABLE IF NOT EXISTS round (n int)");
    Execute(server.connection(), "INSERT INTO round VALUES (" + std::to_string(round) + ")");
    server.Kill();
    const auto cluster = MustStart(On(dir.path()));
    EXPECT_EQ(QueryText(cluster->ConnectionString(), "SELECT count(*) FROM round"),
              std::to_string(round + 1));
  }
}

TEST(EmbeddedCluster, recovers_at_once_after_kill_9_of_server_and_postmaster) {
  const TempDir dir;
  for (int round = 0; round < 3; ++round) {
    ClusterProcess server(On(dir.path()));
    Execute(server.connection(), "CREATE TABLE IF NOT EXISTS round (n int)");
    Execute(server.connection(), "INSERT INTO round VALUES (" + std::to_string(round) + ")");
    std::jthread busy([to = server.connection()] {
      EXPECT_ANY_THROW(Execute(to, "SELECT count(*) FROM generate_series(1, 1000000000)"));
    });
    ASSERT_TRUE(Runs(server.connection(), "SELECT count"));
    const auto pidfile = ReadPidfile(dir.path() / "pg");
    ASSERT_TRUE(pidfile);
    ::kill(pidfile->pid, SIGKILL);
    server.Kill();
    const auto start = steady_clock::now();
    const auto cluster = MustStart(On(dir.path()));
    EXPECT_LT(steady_clock::now() - start, ClusterOptions().lock_wait);
    EXPECT_EQ(QueryText(cluster->ConnectionString(), "SELECT count(*) FROM round"),
              std::to_string(round + 1));
  }
}

TEST(EmbeddedCluster, restarts_a_killed_postmaster_under_the_same_address) {
  const TempDir dir;
  const auto cluster = MustStart(On(dir.path()));
  const std::string to = cluster->ConnectionString();
  Execute(to, "CREATE TABLE kept AS SELECT 42 AS answer");
  ::kill(ReadPidfile(dir.path() / "pg")->pid, SIGKILL);
  ASSERT_TRUE(test::Comes([&] { return !cluster->Alive(); }));
  const auto restarted = cluster->Restart();
  ASSERT_TRUE(restarted) << restarted.error().detail;
  EXPECT_TRUE(cluster->Alive());
  EXPECT_EQ(cluster->ConnectionString(), to);
  EXPECT_EQ(QueryText(to, "SELECT answer FROM kept"), "42");
  EXPECT_EQ(RunningOn(dir.path()), to);
}

// A start that failed forgot the address, and PostgreSQL was back where nobody asked.
TEST(EmbeddedCluster, a_start_that_failed_before_does_not_change_the_address) {
  const TempDir dir;
  const auto cluster = MustStart(On(dir.path()));
  const std::string to = cluster->ConnectionString();
  const fs::path control = dir.path() / "pg/global/pg_control";
  ::kill(ReadPidfile(dir.path() / "pg")->pid, SIGKILL);
  ASSERT_TRUE(test::Comes([&] { return !cluster->Alive(); }));
  fs::rename(control, dir.path() / "aside");
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(cluster->Restart());
  EXPECT_EQ(RunningOn(dir.path()), std::nullopt) << "nobody answers there yet";
  fs::rename(dir.path() / "aside", control);
  // What tidies /tmp takes the folder with it.
  const std::string socket_dir = to.substr(5, to.find(' ') - 5);
  fs::remove_all(socket_dir);
  const auto restarted = cluster->Restart();
  ASSERT_TRUE(restarted) << restarted.error().detail;
  EXPECT_EQ(cluster->ConnectionString(), to);
  EXPECT_EQ(QueryText(to, "SELECT 1"), "1");
  EXPECT_EQ(RunningOn(dir.path()), to);
}

TEST(EmbeddedCluster, dies_with_its_server_also_while_no_new_one_comes) {
  const TempDir dir;
  ClusterProcess server(On(dir.path()));
  ASSERT_FALSE(ProcessesOf(dir.path() / "pg").empty());
  server.Kill();
  EXPECT_TRUE(test::Comes([&] { return ProcessesOf(dir.path() / "pg").empty(); }));
}

TEST(EmbeddedCluster, starts_over_a_pid_file_whose_number_belongs_to_somebody_else) {
  const TempDir dir;
  MustStart(On(dir.path()))->Stop();
  // A process of the database's user: PostgreSQL by itself would take it for its predecessor.
  const auto user = ChooseDatabaseUser(dir.path() / "pg");
  ASSERT_TRUE(user);
  const pid_t other = ::fork();
  if (other == 0) {
    if (BecomeUser(*user)) ::pause();
    ::_exit(0);
  }
  std::ofstream(dir.path() / "pg" / "postmaster.pid") << other << '\n';
  EXPECT_EQ(QueryText(MustStart(On(dir.path()))->ConnectionString(), "SELECT 1"), "1");
  EXPECT_EQ(::kill(other, SIGKILL), 0);
  ::waitpid(other, nullptr, 0);
}

TEST(EmbeddedCluster, stops_a_postgresql_that_a_person_started_on_it) {
  const TempDir dir;
  MustStart(On(dir.path()))->Stop();
  const auto user = ChooseDatabaseUser(dir.path() / "pg");
  const auto binaries = FindBinaries("/usr/lib/postgresql", dir.path() / "pg");
  const core::Fd log(::open((dir.path() / "person.log").c_str(), O_RDWR | O_CREAT, 0644));
  const auto postmaster =
      embedded::Start({.argv = {binaries->postgres, "-D", dir.path() / "pg", "-c",
                                "listen_addresses=", "-k", dir.path() / "pg"},
                       .user = *user,
                       .lock_fd = log.get(),  // some descriptor, not that of DIR/pg.lock
                       .log_fd = log.get(),
                       .death_signal = SIGKILL});
  ASSERT_TRUE(postmaster);
  const auto ready = [&] {
    const auto pidfile = ReadPidfile(dir.path() / "pg");
    return pidfile && pidfile->ready;
  };
  ASSERT_TRUE(test::Comes(ready));
  const auto cluster = MustStart(On(dir.path()));
  int status = 0;
  EXPECT_EQ(::waitpid(*postmaster, &status, WNOHANG), *postmaster);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;  // the fast, orderly way
}

TEST(EmbeddedCluster, never_starts_beside_a_postmaster_that_lives_on) {
  const TempDir dir;
  ClusterProcess server(On(dir.path()));
  const pid_t postmaster = ReadPidfile(dir.path() / "pg")->pid;
  ::kill(postmaster, SIGSTOP);  // deaf to the death of its server
  server.Kill();
  const core::Fd lock(::open((dir.path() / "pg.lock").c_str(), O_RDWR));
  EXPECT_NE(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
  ClusterOptions options = On(dir.path());
  options.lock_wait = std::chrono::seconds(1);
  const auto refused = Cluster::Start(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "data_dir_busy");
  EXPECT_TRUE(Contains(refused.error().detail, std::to_string(postmaster)))
      << refused.error().detail;
  ::kill(postmaster, SIGCONT);
  const auto cluster = MustStart(On(dir.path()));
  EXPECT_NE(ReadPidfile(dir.path() / "pg")->pid, postmaster);
}

TEST(EmbeddedCluster, begins_again_where_its_making_was_killed) {
  const TempDir dir;
  fs::create_directories(dir.path() / "pg.tmp" / "base");
  std::ofstream(dir.path() / "pg.tmp" / "PG_VERSION") << "15\n";
  const auto cluster = MustStart(On(dir.path()));
  EXPECT_EQ(QueryText(cluster->ConnectionString(), "SELECT 1"), "1");
  EXPECT_FALSE(fs::exists(dir.path() / "pg.tmp"));
}

TEST(EmbeddedCluster, names_the_folder_that_its_user_cannot_enter) {
  if (::geteuid() != 0) GTEST_SKIP() << "only a root server runs PostgreSQL as another user";
  const TempDir dir;
  const fs::path closed = fs::canonical(dir.path()) / "closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_all);
  const auto refused = Cluster::Start(On(closed / "data"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "data_dir_unusable");
  EXPECT_TRUE(Contains(refused.error().detail, closed.string() + " cannot be entered"))
      << refused.error().detail;
}

TEST(EmbeddedCluster, says_how_to_move_a_cluster_of_a_version_that_is_not_installed) {
  const TempDir dir;
  fs::create_directory(dir.path() / "pg");
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown((dir.path() / "pg").c_str(), 65534, 65534), 0);
  }
  std::ofstream(dir.path() / "pg" / "PG_VERSION") << "9\n";
  const auto refused = Cluster::Start(On(dir.path()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "postgres_version");
  EXPECT_TRUE(Contains(refused.error().detail, "made by PostgreSQL 9, installed: "));
  EXPECT_TRUE(Contains(refused.error().detail, "pg_dump"));
  EXPECT_TRUE(Contains(refused.error().detail, "pg_restore"));
}

TEST(EmbeddedCluster, says_what_to_install_where_there_is_no_postgresql) {
  const TempDir dir;
  ClusterOptions options = On(dir.path() / "data");
  options.postgres_root = dir.path() / "nothing";
  const auto refused = Cluster::Start(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "postgres_missing");
  EXPECT_TRUE(Contains(refused.error().detail, "apt-get install postgresql"));
}

TEST(EmbeddedCluster, tells_what_postgresql_says_when_it_does_not_start) {
  const TempDir dir;
  ClusterOptions options = On(dir.path());
  options.extra_settings["shared_buffers"] = "lots";
  const auto refused = Cluster::Start(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "postgres_failed");
  EXPECT_TRUE(Contains(refused.error().detail, "shared_buffers")) << refused.error().detail;
}

TEST(EmbeddedCluster, running_on_answers_only_while_a_server_runs) {
  const TempDir dir;
  EXPECT_EQ(RunningOn(dir.path()), std::nullopt);
  {
    ClusterProcess server(On(dir.path()));
    const auto found = RunningOn(dir.path());
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, server.connection());
    EXPECT_EQ(QueryText(*found, "SELECT 1"), "1");
    server.Kill();
  }
  EXPECT_EQ(RunningOn(dir.path()), std::nullopt);
}

TEST(EmbeddedCluster, shared_test_cluster_gives_separate_databases) {
  const std::string one = test::NewDatabase();
  const std::string two = test::NewDatabase();
  Execute(one, "CREATE TABLE only_here (n int)");
  EXPECT_EQ(QueryText(two, "SELECT count(*) FROM pg_tables WHERE tablename = 'only_here'"), "0");
}

}  // namespace
}  // namespace tunehub::embedded
