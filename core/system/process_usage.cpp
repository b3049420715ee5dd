#include "core/system/process_usage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace tunehub::core {
namespace {

// Fields of /proc/self/stat behind the program's name, which may hold anything (proc(5) counts the
// first of them as 3).
struct Stat {
  double user_ticks = 0, kernel_ticks = 0, start_ticks = 0;
  std::size_t threads = 0, virtual_bytes = 0, resident_pages = 0;
};

std::optional<Stat> ReadStat() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  Stat stat;
  std::string skipped;
  const auto skip = [&](int count) {
    for (int i = 0; i < count; ++i) fields >> skipped;
  };
  skip(11);
  fields >> stat.user_ticks >> stat.kernel_ticks;
  skip(4);
  fields >> stat.threads;
  skip(1);
  fields >> stat.start_ticks >> stat.virtual_bytes >> stat.resident_pages;
  return fields ? std::optional(stat) : std::nullopt;
}

// The folder itself is open while it is read.
std::size_t CountOpenFiles() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (error) return 0;
  const auto count = std::distance(begin(files), end(files));
  return count > 0 ? static_cast<std::size_t>(count) - 1 : 0;
}

double SecondsOf(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace

std::optional<ProcessUsage> ReadProcessUsage() {
  const auto stat = ReadStat();
  if (!stat) return std::nullopt;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  ProcessUsage usage;
  usage.cpu_seconds = (stat->user_ticks + stat->kernel_ticks) / ticks;
  // Once, or a start would seem to move with the clock.
  static const double booted = SecondsOf(CLOCK_REALTIME) - SecondsOf(CLOCK_BOOTTIME);
  usage.started_seconds = booted + stat->start_ticks / ticks;
  usage.resident_bytes = stat->resident_pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  usage.virtual_bytes = stat->virtual_bytes;
  usage.threads = stat->threads;
  usage.open_files = CountOpenFiles();
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) usage.most_files = files.rlim_cur;
  return usage;
}

}  // namespace tunehub::core
