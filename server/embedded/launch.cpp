#include "server/embedded/launch.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <ranges>
#include <system_error>

#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace tunehub::embedded {

namespace {

namespace fs = std::filesystem;

// The oldest PostgreSQL version that can run the migrations.
constexpr int kOldestVersion = 15;

std::map<int, Binaries> Installed(const fs::path& root) {
  std::map<int, Binaries> found;
  std::error_code ignored;  // no such folder: nothing is installed
  for (const auto& entry : fs::directory_iterator(root, ignored)) {
    const auto version = core::NumberFrom<int>(entry.path().filename().string());
    if (!version || *version <= 0) continue;
    const fs::path bin = entry.path() / "bin";
    Binaries binaries{*version, bin / "initdb", bin / "postgres"};
    if (::access(binaries.initdb.c_str(), X_OK) != 0) continue;
    if (::access(binaries.postgres.c_str(), X_OK) != 0) continue;
    found.emplace(*version, std::move(binaries));
  }
  return found;
}

std::string Listed(const std::map<int, Binaries>& installed) {
  return installed.empty() ? "none"
                           : fmt::format("{}", fmt::join(std::views::keys(installed), ", "));
}

core::Error WrongVersion(const fs::path& pg_dir, const std::string& version,
                         const std::string& found) {
  return {
      "postgres_version",
      fmt::format(
          "PostgreSQL {1} made {0}, but that version is not installed (installed: {2}). To "
          "continue, install "
          "postgresql-{1}. To move to another version: with postgresql-{1} installed, start the "
          "server, dump the database (pg_dump -Fc -h \"$(cat {3})\" -U tunehub -f tunehub.dump "
          "tunehub), stop the server, move {0} away, remove postgresql-{1}, start the server once, "
          "and restore (pg_restore --clean --if-exists -h ... -U tunehub -d tunehub tunehub.dump)",
          pg_dir.string(), version, found, (pg_dir.parent_path() / "pg.socket").string())};
}

constexpr int kInheritedLockFd = 3;
constexpr int kAboveTheFixedFds = 10;
constexpr int kExecFailed = 127;

// The environment is fixed, because the caller's PG* variables must not redirect the cluster.
constexpr const char* kEnvironment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", nullptr};

core::Error Failed(const std::string& what, int error) {
  return {"postgres_failed", fmt::format("{}: {}", what, std::generic_category().message(error))};
}

// Between fork and exec, only async-signal-safe calls are allowed, because other threads may hold
// any lock.
[[noreturn]] void FailInChild(const char* what) {
  const char* parts[] = {"tunehub: cannot start PostgreSQL: ", what, "\n"};
  for (const char* part : parts) {
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  }
  ::_exit(kExecFailed);
}

void ArrangeDescriptors(int input, int log, int lock) {
  // First moves all files above 3. If a daemon starts with 0 to 3 closed, its files may have these
  // numbers.
  input = ::fcntl(input, F_DUPFD, kAboveTheFixedFds);
  log = ::fcntl(log, F_DUPFD, kAboveTheFixedFds);
  lock = ::fcntl(lock, F_DUPFD, kAboveTheFixedFds);
  ::dup2(input, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::dup2(lock, kInheritedLockFd);
  ::close_range(kInheritedLockFd + 1, ~0U, 0);
}

void ResetSignals() {
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);  // exec resets handlers, but an ignored signal stays ignored
  ::signal(SIGCHLD, SIG_DFL);
}

[[noreturn]] void RunChild(const Launch& launch, char* const* argv, int input, pid_t parent) {
  ArrangeDescriptors(input, launch.log_fd, launch.lock_fd);
  ResetSignals();
  ::setsid();  // Ctrl-C must only reach the server, which then stops PostgreSQL in the right order
  ::umask(077);
  // the user may be unable to enter the server's current folder
  if (::chdir("/") != 0) FailInChild("chdir /");
  if (!BecomeUser(launch.user)) FailInChild("change of user");
  // Set after the change of user, which clears the death signal.
  if (::prctl(PR_SET_PDEATHSIG, launch.death_signal) != 0) FailInChild("prctl");
  if (::getppid() != parent) ::_exit(kExecFailed);  // the server died before prctl
  ::execve(argv[0], argv, const_cast<char* const*>(kEnvironment));
  FailInChild(argv[0]);
}

core::Result<core::Fd> Input(const std::string& text) {
  if (text.empty()) return core::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Failed("pipe", errno);
  core::Fd read_end(ends[0]);
  const core::Fd write_end(ends[1]);
  if (::write(write_end.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return Failed("write to a pipe", errno);
  }
  return read_end;
}

}  // namespace

core::Result<Binaries> FindBinaries(const fs::path& root, const fs::path& pg_dir) {
  const auto installed = Installed(root);
  std::ifstream version_file(pg_dir / "PG_VERSION");
  if (std::string text; version_file >> text) {
    const auto version = core::NumberFrom<int>(text);
    const auto found = version ? installed.find(*version) : installed.end();
    if (found == installed.end()) return WrongVersion(pg_dir, text, Listed(installed));
    return found->second;
  }
  if (installed.empty() || installed.rbegin()->first < kOldestVersion) {
    return core::Error{"postgres_missing",
                       fmt::format("found no PostgreSQL {} or newer under {} (found: {}). Install "
                                   "it (apt-get install postgresql), or pass --database URL",
                                   kOldestVersion, root.string(), Listed(installed))};
  }
  return installed.rbegin()->second;
}

core::Result<pid_t> Start(const Launch& launch) {
  auto input = Input(launch.input);
  if (!input) return input.error();
  std::vector<char*> argv;
  for (const auto& word : launch.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return Failed("fork", errno);
  if (child == 0) RunChild(launch, argv.data(), input->get(), parent);
  return child;
}

core::Status RunToEnd(const Launch& launch) {
  const auto child = Start(launch);
  if (!child) return child.error();
  const auto ended = core::WaitFor(*child);
  if (!ended) return Failed("waitpid", errno);
  const int status = *ended;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return core::Ok();
  const std::string how = WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                                              : fmt::format("exit status {}", WEXITSTATUS(status));
  return core::Error{"postgres_failed", fmt::format("{}: {}", launch.argv[0], how)};
}

}  // namespace tunehub::embedded
