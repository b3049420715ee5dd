#include "server/lookout.h"

#include <spdlog/spdlog.h>

#include <system_error>

#include "server/backup/retention.h"

namespace tunehub::server {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 5s;
constexpr auto kSizeEvery = 60s;  // PostgreSQL asks the file system for each file

}  // namespace

void Lookout::Start() {
  LookAtFiles();
  LookAtDatabase(true);
  thread_ = std::thread([this] { Follow(); });
}

void Lookout::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Seen Lookout::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void Lookout::Follow() {
  auto size_at = std::chrono::steady_clock::now() + kSizeEvery;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (stop_.wait_for(lock, kLookEvery, [this] { return stopping_; })) return;
    }
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
  if (!backups_.empty()) {
    // A folder that cannot be read has none either: nobody knows of one.
    const auto newest = backup::Newest(backups_);
    last = newest.ok() && *newest ? (*newest)->made : std::chrono::system_clock::time_point();
  }
  const std::lock_guard lock(mutex_);
  seen_.disk = disk;
  seen_.backup = last;
}

bool Lookout::LookAtDatabase(bool at_size) {
  try {
    const store::JobCounts jobs = store_.queue().CountJobs();
    const store::DatabaseState database = store_.state().Read();
    std::optional<std::int64_t> bytes;
    if (at_size) bytes = store_.state().ReadBytes();
    const std::lock_guard lock(mutex_);
    seen_.jobs = jobs;
    seen_.database = database;
    if (at_size) seen_.database_bytes = bytes;
    return true;
  } catch (const std::exception& error) {
    spdlog::debug("figures of the database: {}", error.what());
    return false;
  }
}

}  // namespace tunehub::server
