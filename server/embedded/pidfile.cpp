#include "server/embedded/pidfile.h"

#include <sys/stat.h>

#include <charconv>
#include <fstream>
#include <string>

namespace tunehub::embedded {
namespace {

namespace fs = std::filesystem;

constexpr int kStatusLine = 8;

bool WorksIn(const fs::path& process, const struct stat& folder) {
  struct stat current {};
  if (::stat((process / "cwd").c_str(), &current) != 0) return false;
  if (current.st_dev != folder.st_dev || current.st_ino != folder.st_ino) return false;
  // A person's shell may stand in the folder too: it is no process of the cluster.
  std::string name;
  std::ifstream(process / "comm") >> name;
  return name == "postgres";
}

std::optional<pid_t> ParsePid(const std::string& text) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || end != text.data() + text.size() || pid <= 1) return std::nullopt;
  return pid;
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

}  // namespace tunehub::embedded
