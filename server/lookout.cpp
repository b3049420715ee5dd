#include "server/lookout.h"

#include <spdlog/spdlog.h>

#include <system_error>
#include <utility>

#include "server/ops/backup.h"

namespace tunehub::server {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 5s;
// The interval for two slow figures: the drift, and the database's size, for which PostgreSQL asks
// the file system for each file.
constexpr auto kSizeEvery = 60s;

}  // namespace

void Lookout::Start() {
  LookAtFiles();
  LookAtDatabase(true);
  thread_.Start([this] { Follow(); });
}

Seen Lookout::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void Lookout::Follow() {
  auto size_at = std::chrono::steady_clock::now() + kSizeEvery;
  while (thread_.Pause(kLookEvery)) {
    const auto now = std::chrono::steady_clock::now();
    LookAtFiles();
    if (LookAtDatabase(now >= size_at) && now >= size_at) size_at = now + kSizeEvery;
  }
}

void Lookout::LookAtFiles() {
  std::optional<std::filesystem::space_info> disk;
  if (!data_.empty()) {
    std::error_code error;
    const auto space = std::filesystem::space(data_, error);
    if (!error) disk = space;
  }
  std::optional<std::chrono::system_clock::time_point> last;
  if (!backups_.empty()) last = NewestMade(backups_);
  const std::lock_guard lock(mutex_);
  seen_.disk = disk;
  seen_.backup = last;
}

bool Lookout::LookAtDatabase(bool at_size) {
  try {
    const JobCounts jobs = JobStore(pool_).CountJobs();
    const DatabaseState database = StateStore(pool_).Read();
    std::optional<std::int64_t> bytes;
    std::vector<DeviceDrift> drift;
    if (at_size) {
      bytes = StateStore(pool_).ReadBytes();
      drift = JobStore(pool_).ListDrift();
    }
    const std::lock_guard lock(mutex_);
    seen_.jobs = jobs;
    seen_.database = database;
    if (at_size) {
      seen_.database_bytes = bytes;
      seen_.drift = std::move(drift);
    }
    return true;
  } catch (const std::exception& error) {
    spdlog::debug("cannot refresh the database metrics: {}", error.what());
    return false;
  }
}

}  // namespace tunehub::server
