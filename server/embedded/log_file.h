// DIR/pg.log: PostgreSQL's log, bounded in size. Above the limit, its lines move to pg.log.1.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/threads.h"

namespace tunehub::embedded {

// Limit of each of the two files. It is enough for a week of warnings, and small for a disk.
constexpr size_t kLogBytesMax = 16 * 1024 * 1024;

class LogFile {
 public:
  // Errors: data_dir_unusable.
  static core::Result<std::unique_ptr<LogFile>> Open(const std::filesystem::path& path);

  int fd() const { return fd_.get(); }
  const std::filesystem::path& path() const { return path_; }

  // Starts a thread that checks the size. Call it after the start of PostgreSQL, because the start
  // forks.
  void KeepBounded();
  void BoundNow(size_t bytes_max = kLogBytesMax);

  // Returns the last lines for an error message, so that an administrator need not open the file.
  std::string Tail() const;

 private:
  LogFile(std::filesystem::path path, core::Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::filesystem::path path_;
  core::Fd fd_;
  std::once_flag kept_;
  core::WokenThread keeper_;
};

}  // namespace tunehub::embedded
