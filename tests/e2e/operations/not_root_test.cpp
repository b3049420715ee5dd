// If root starts a server, the server, its threads and its PostgreSQL must run as another user, who
// also owns its files. Skipped without root.
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;

uid_t UidOfUser(const char* user) {
  const passwd* const entry = ::getpwnam(user);
  return entry == nullptr ? 0 : entry->pw_uid;
}
uid_t OwnerOfPath(const fs::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_uid : static_cast<uid_t>(-1);
}

// The words after `name`, such as "Uid:", in a status file of /proc.
std::set<std::string> StatusWords(const fs::path& status, const std::string& name) {
  std::istringstream text(ReadText(status));
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with(name + ":")) continue;
    std::istringstream words(line.substr(name.size() + 1));
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

class NotRootTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "NOT CHECKED: that a server which root starts leaves root needs root";
    }
  }
  // Expects that every thread of the process runs as that user.
  static void ExpectIs(pid_t pid, uid_t uid, const std::string& capabilities) {
    int threads = 0;
    for (const auto& it : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
      const fs::path status = it.path() / "status";
      EXPECT_EQ(StatusWords(status, "Uid"), std::set{std::to_string(uid)});
      EXPECT_FALSE(StatusWords(status, "Gid").contains("0"));
      EXPECT_FALSE(StatusWords(status, "Groups").contains("0"));
      EXPECT_EQ(StatusWords(status, "CapEff"), std::set{capabilities});
      EXPECT_EQ(StatusWords(status, "CapPrm"), std::set{capabilities});
      EXPECT_EQ(StatusWords(status, "NoNewPrivs"), std::set<std::string>{"1"});
      ++threads;
    }
    EXPECT_GT(threads, 3);
  }
  static Finished Serve(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"serve", "--listen", "127.0.0.1:0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunToEnd({ServerBinary(), arguments, {}});
  }

  static inline const std::string kNone = "0000000000000000";
  TempDir dir_;
};

TEST_F(NotRootTest, a_fresh_data_folder_is_the_users_whom_the_server_becomes) {
  ServerProcess server({.data = dir_.path() / "data"});
  const uid_t user = UidOfUser("postgres");
  ExpectIs(server.pid(), user, kNone);
  for (const char* name : {"", "pg", "server.lock", "pg.lock", "pg.log", "pg.socket"}) {
    EXPECT_EQ(OwnerOfPath(dir_.path() / "data" / name), user) << name;
  }
  std::ifstream pidfile(dir_.path() / "data/pg/postmaster.pid");
  std::string postmaster;
  pidfile >> postmaster;
  EXPECT_EQ(StatusWords("/proc/" + postmaster + "/status", "Uid"), std::set{std::to_string(user)});
  EXPECT_THAT(server.Log(), HasSubstr("root started this server, which now runs as `postgres`"));
  // Root's commands still find the server, and a new server finds its PostgreSQL.
  const std::string key = server.NewKey("submit");
  EXPECT_EQ(Verdict(server.Client(key).Post(kResults, kHeader + Row(1, "5.0"))), "200");
  EXPECT_EQ(server.Stop(), 0);
  server.Start();
  EXPECT_THAT(server.Client().Get(kTable).body, HasSubstr(Row(1, "5.0")));
  ExpectIs(server.pid(), user, kNone);
}

// Root's commands must leave no files of root in another user's folder, or no server could start
// there.
TEST_F(NotRootTest, what_roots_commands_make_first_is_the_users) {
  const fs::path data = dir_.path() / "data", archive = dir_.path() / "archive";
  const uid_t user = UidOfUser("postgres");
  fs::create_directory(data);
  ASSERT_EQ(::chown(data.c_str(), user, 0), 0);
  const std::map<std::string, std::string> settings = {{"TUNEHUB_WAL_ARCHIVE", archive}};
  const Finished migrated =
      RunToEnd({ServerBinary(), {"migrate", "--data", data.string()}, settings});
  ASSERT_EQ(migrated.status, 0) << migrated.err;
  ServerProcess server({.data = data, .environment = settings});
  ExpectIs(server.pid(), user, kNone);
  for (const char* name : {"pg", "server.lock", "pg.lock", "pg.log"}) {
    EXPECT_EQ(OwnerOfPath(data / name), user) << name;
  }
  EXPECT_EQ(OwnerOfPath(archive), user);
}

// The server makes its own key in the data folder, instead of the key that all servers of this
// process share.
const std::pair<const std::string, std::string> kOwnKey = {"TUNEHUB_SIGNING_KEY", ""};

TEST_F(NotRootTest, a_user_can_be_named_and_a_database_elsewhere_needs_no_folder) {
  ServerProcess server(
      {.data = dir_.path() / "data", .environment = {{"TUNEHUB_USER", "nobody"}, kOwnKey}});
  ExpectIs(server.pid(), UidOfUser("nobody"), kNone);
  EXPECT_EQ(OwnerOfPath(dir_.path() / "data/pg"), UidOfUser("nobody"));
  ServerProcess other({.database = NewDatabase()});
  ExpectIs(other.pid(), UidOfUser("postgres"), kNone);
}

// Here PostgreSQL's files belong to another user, and the server's own files belong to root.
TEST_F(NotRootTest, a_folder_that_roots_commands_made_is_taken_over) {
  const fs::path data = dir_.path();
  {
    ServerProcess server({.data = data, .environment = {{"TUNEHUB_USER", "nobody"}, kOwnKey}});
    Good(server.Client(server.NewKey("submit")).Post(kResults, kHeader + Row(1, "5.0")));
    EXPECT_EQ(server.Stop(), 0);
  }
  for (const char* name : {"", "server.lock", "pg.lock", "pg.log", "signing_key"}) {
    ASSERT_EQ(::lchown((data / name).c_str(), 0, 0), 0) << name;
  }
  ServerProcess server({.data = data, .environment = {kOwnKey}});
  ExpectIs(server.pid(), UidOfUser("nobody"), kNone);
  EXPECT_EQ(OwnerOfPath(data), UidOfUser("nobody"));
  EXPECT_THAT(server.Client().Get(kTable).body, HasSubstr(Row(1, "5.0")));
}

TEST_F(NotRootTest, whom_it_cannot_become_and_what_it_cannot_have_is_said_in_a_sentence) {
  const std::string data = dir_.path() / "data";
  EXPECT_THAT(Serve({"--data", data, "--user", "root"}).err, HasSubstr("does not run as root"));
  EXPECT_THAT(Serve({"--data", data, "--user", "no-such-user"}).err,
              HasSubstr("this system has no user `no-such-user`"));
  EXPECT_FALSE(fs::exists(data));
  // The folder may belong to the system.
  const fs::path full = dir_.path() / "full";
  fs::create_directory(full);
  std::ofstream(full / "passwd") << "x";
  const Finished refused = Serve({"--data", full});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("data_dir_unusable: " + full.string()),
                                 HasSubstr("belongs to root and contains other files")));
  EXPECT_EQ(OwnerOfPath(full), 0U);
  EXPECT_EQ(OwnerOfPath(full / "passwd"), 0U);
  const fs::path open = dir_.path() / "open";
  fs::create_directory(open);
  fs::permissions(open, fs::perms::all);
  EXPECT_THAT(Serve({"--data", open}).err, HasSubstr("other users may write into it"));
  EXPECT_EQ(OwnerOfPath(open), 0U);
  const fs::path closed = dir_.path() / "closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_all);
  EXPECT_THAT(Serve({"--data", data, "--configs", closed / "configs"}).err,
              AllOf(HasSubstr("configs_unreachable: "),
                    HasSubstr("cannot enter " + closed.string()), HasSubstr("`postgres`")));
}

TEST_F(NotRootTest, a_port_below_1024_is_the_one_right_that_is_kept) {
  const fs::path log = dir_.path() / "log";
  Program server(
      {ServerBinary(), {"serve", "--listen", "127.0.0.77:907", "--data", dir_.path() / "data"}, {}},
      log, log);
  for (int i = 0; i < 3000 && ReadText(log).find("listens on") == std::string::npos; ++i) {
    if (server.Wait(std::chrono::milliseconds(10))) break;
  }
  EXPECT_THAT(ReadText(log), HasSubstr("listens on http://127.0.0.77:907/"));
  ExpectIs(server.pid(), UidOfUser("postgres"), "0000000000000400");
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(std::chrono::seconds(15)), 0);
}

TEST_F(NotRootTest, who_is_not_root_becomes_nobody_else) {
  const Finished refused =
      RunToEnd({"/usr/bin/setpriv",
                {"--reuid=nobody", "--clear-groups", ServerBinary(), "serve", "--listen",
                 "127.0.0.1:0", "--data", dir_.path() / "data", "--user", "postgres"},
                {}});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(
      refused.err,
      HasSubstr(
          "only a server that root starts can run as another user; this server runs as `nobody`"));
}

}  // namespace
}  // namespace tunehub::test
