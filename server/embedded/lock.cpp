#include "server/embedded/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/text.h"
#include "server/embedded/data_dir.h"

namespace tunehub::embedded {

namespace {

namespace fs = std::filesystem;

constexpr int kStatusLine = 8;

bool WorksIn(const fs::path& process, const struct stat& folder) {
  struct stat current {};
  if (::stat((process / "cwd").c_str(), &current) != 0) return false;
  if (current.st_dev != folder.st_dev || current.st_ino != folder.st_ino) return false;
  // An administrator's shell may have the same current folder, but it is not a process of the
  // cluster.
  std::string name;
  std::ifstream(process / "comm") >> name;
  return name == "postgres";
}

std::optional<pid_t> ParsePid(const std::string& text) {
  const auto pid = core::NumberFrom<pid_t>(text);
  return pid && *pid > 1 ? pid : std::nullopt;
}

using Clock = std::chrono::steady_clock;

// A new server waits this long for a killed server, because the kernel needs a moment to end it.
// RunningOn() in another process also holds the lock for microseconds.
constexpr std::chrono::milliseconds kServerLockGrace{1000};
// A stopping server ends within this time (server/stopping.h).
constexpr std::chrono::seconds kStoppingGrace{16};
constexpr std::string_view kStopping = " stopping";  // after the pid
constexpr ssize_t kHolderSize = 32;                  // a pid, a state, spaces, a newline
constexpr std::chrono::milliseconds kLockPoll{20};
// Idle backends end within this time after their postmaster.
constexpr std::chrono::milliseconds kOrphans{2000};
constexpr mode_t kLockMode = 0644;

core::Result<core::Fd> OpenLock(const fs::path& path) {
  core::Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kLockMode));
  if (!fd.ok()) return Unusable(path, errno);
  if (const auto given = GiveNewFile(fd, path); !given.ok()) return given.error();
  return fd;
}

bool TryLock(const core::Fd& fd) {
  return ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0;
}

struct Holder {
  std::string pid = "unknown";
  bool stops = false;
};

Holder ReadHolder(const core::Fd& fd) {
  char text[kHolderSize];
  if (::pread(fd.get(), text, sizeof text, 0) != kHolderSize) return {};
  const std::string_view line(text, kHolderSize);
  return {std::string(line.substr(0, line.find(' '))), line.find(kStopping) != line.npos};
}

// The text always has the same length. So one write replaces the text, and no reader sees a part of
// it.
bool WriteHolder(const core::Fd& fd, std::string_view state) {
  const auto text =
      fmt::format("{:<{}}\n", fmt::format("{}{}", ::getpid(), state), kHolderSize - 1);
  return ::pwrite(fd.get(), text.data(), text.size(), 0) == kHolderSize;
}

std::optional<pid_t> LivingPostmaster(const fs::path& pg_dir, const std::vector<pid_t>& living) {
  const auto pidfile = ReadPidfile(pg_dir);
  if (!pidfile || std::find(living.begin(), living.end(), pidfile->pid) == living.end()) return {};
  return pidfile->pid;
}

core::Error StillLives(const fs::path& pg_dir, const std::vector<pid_t>& living) {
  const std::string pids = fmt::format("{}", fmt::join(living, ", "));
  return {"data_dir_busy",
          fmt::format("{}: processes of an earlier PostgreSQL are still running ({})",
                      pg_dir.string(), pids.empty() ? "unknown" : pids)};
}

}  // namespace

std::optional<Pidfile> ReadPidfile(const fs::path& pg_dir) {
  std::ifstream file(pg_dir / "postmaster.pid");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const auto pid = ParsePid(line);
  if (!pid) return std::nullopt;
  for (int number = 2; number <= kStatusLine; ++number) {
    if (!std::getline(file, line)) return Pidfile{*pid, false};
  }
  return Pidfile{*pid, line.starts_with("ready")};
}

std::vector<pid_t> ProcessesOf(const fs::path& pg_dir) {
  std::vector<pid_t> found;
  struct stat folder {};
  if (::stat(pg_dir.c_str(), &folder) != 0) return found;
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const auto pid = ParsePid(it->path().filename().string());
    if (pid && WorksIn(it->path(), folder)) found.push_back(*pid);
  }
  return found;
}

core::Result<core::Fd> TakeServerLock(const fs::path& data_dir) {
  const fs::path path = data_dir / "server.lock";
  auto lock = OpenLock(path);
  if (!lock) return lock;
  const auto begin = Clock::now();
  bool stops = false;
  while (!TryLock(*lock)) {
    const Holder holder = ReadHolder(*lock);
    if (holder.stops && !std::exchange(stops, true))
      spdlog::info("waiting for the server with pid {} to end", holder.pid);
    if (Clock::now() - begin >= (stops ? Clock::duration(kStoppingGrace) : kServerLockGrace)) {
      return core::Error{
          "data_dir_busy",
          fmt::format("the server with pid {1} uses {0} (and has locked {2}){3}", data_dir.string(),
                      holder.pid, path.string(),
                      stops ? "; that server was told to stop, but still runs" : "")};
    }
    std::this_thread::sleep_for(kLockPoll);
  }
  if (!WriteHolder(*lock, "")) return Unusable(path, errno);
  return lock;
}

void AnnounceStop(const core::Fd& server_lock) {
  // If this write fails, the next server only waits a shorter time.
  if (server_lock.ok()) WriteHolder(server_lock, kStopping);
}

bool ServerLockHeld(const fs::path& data_dir) {
  const core::Fd fd(::open((data_dir / "server.lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return fd.ok() && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

core::Result<core::Fd> TakePostgresLock(const fs::path& data_dir, std::chrono::seconds wait) {
  auto lock = OpenLock(data_dir / "pg.lock");
  if (!lock) return lock;
  const fs::path pg_dir = data_dir / "pg";
  const auto start = Clock::now();
  bool locked = false, asked = false, forced = false;
  for (;;) {
    locked = locked || TryLock(*lock);
    // Checks for processes even with the lock, because a PostgreSQL that an administrator started
    // here does not have the lock.
    const auto living = ProcessesOf(pg_dir);
    if (locked && living.empty()) return lock;
    const Clock::duration waited = Clock::now() - start;
    if (waited >= wait) return StillLives(pg_dir, living);
    // Sends a stop signal to a PostgreSQL that outlived its server. Later forces it to stop.
    const auto postmaster = LivingPostmaster(pg_dir, living);
    if (postmaster && !asked) {
      ::kill(*postmaster, SIGINT);
      asked = true;
    }
    // Backends without a postmaster end by themselves unless they are busy. This loop ends the busy
    // backends.
    const Clock::duration half = wait / 2;
    const auto patience = postmaster ? half : std::min<Clock::duration>(kOrphans, half);
    if (!forced && waited >= patience) {
      for (const pid_t pid : living) ::kill(pid, SIGQUIT);
      forced = true;
    }
    std::this_thread::sleep_for(kLockPoll);
  }
}

}  // namespace tunehub::embedded
