// DIR/pg.log, what PostgreSQL says, bounded: past the limit it moves to pg.log.1 and starts empty.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/threads.h"

namespace tunehub::embedded {

// The log and the one before it: enough for a week of complaints, nothing for a disk.
constexpr size_t kLogBytesMax = 16 * 1024 * 1024;

class LogFile {
 public:
  // Errors: data_dir_unusable.
  static core::Result<std::unique_ptr<LogFile>> Open(const std::filesystem::path& path);

  int fd() const { return fd_.get(); }
  const std::filesystem::path& path() const { return path_; }

  // Looks at the size now and then. Started once PostgreSQL runs: its start forks.
  void KeepBounded();
  void BoundNow(size_t bytes_max = kLogBytesMax);

  // The last lines, for an error message: a reader should not have to look for the file.
  std::string Tail() const;

 private:
  LogFile(std::filesystem::path path, core::Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::filesystem::path path_;
  core::Fd fd_;
  std::once_flag kept_;
  core::WokenThread keeper_;
};

}  // namespace tunehub::embedded
