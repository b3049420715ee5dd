// Where log lines come from: files one after the other, a pipe, or a file that grows.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/archive.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/family/targets.h"
#include "core/misses/miss_log.h"
#include "core/row/target.h"

namespace tunehub::agent {

// One log, read forward. "-" is the standard input. What begins like gzip is unpacked, unless it is
// followed: a log that grows is written as text.
class LogSource {
 public:
  // With `follow`, a regular file has no end: it may grow, be truncated, or be replaced by another
  // of its name. Errors: file_not_found, file_unreadable.
  static core::Result<LogSource> Open(const std::string& path, bool follow);

  enum class State {
    kMore,   // `bytes` are the next of the log
    kNone,   // nothing new within the time given
    kOther,  // the log has ended and another begins in its place: its last line is complete
    kEnd,
  };
  struct Next {
    State state = State::kEnd;
    std::string_view bytes;  // until the next call
  };
  // Waits for at most `limit`. Errors: file_unreadable, bad_gzip, bad_log.
  core::Result<Next> Read(std::chrono::milliseconds limit);

 private:
  LogSource() = default;
  core::Result<Next> ReadBytes(std::chrono::milliseconds limit);
  core::Result<Next> ReadPlain(std::chrono::milliseconds limit);
  core::Result<Next> ReadPacked(std::chrono::milliseconds limit);
  core::Result<Next> AtEnd(std::chrono::milliseconds limit);
  bool WasReplaced() const;

  std::string path_;
  bool follow_ = false;
  bool begun_ = false;  // its first bytes were judged
  core::Fd file_;
  int fd_ = -1;  // of file_, or 0
  std::size_t offset_ = 0;
  std::string block_;
  std::optional<core::GunzipStream> gunzip_;
  std::string_view packed_;  // of block_, not unpacked yet
  std::string unpacked_;
};

// Whose GPU a log is of: what its lines say, else what the person said, else this host's.
enum class TargetFrom { kNobody, kLog, kOptions, kHost };

struct LogTarget {
  core::Target target;  // of the lines that do not say; gfx "": unknown
  TargetFrom from = TargetFrom::kNobody;
};

// The GPU of the lines that name none. `asked`: --gfx and --cu-num, gfx "" where neither was given.
// Without it the one that the log's other lines name, if they name one alone; without that the AMD
// GPU that the kernel driver lists below `root`.
LogTarget TargetOfLog(const core::Target& asked, std::span<const core::MissShape> shapes,
                      const std::filesystem::path& root);

// The shapes, with `target` where a shape has none.
std::vector<core::MissShape> WithTarget(std::vector<core::MissShape> shapes,
                                        const core::Target& target);

// "MI300X / MI325X (gfx942:304)"
std::string Describe(const core::Targets& targets, const core::Target& target);
// "gfx942:304", "gfx950" without a CU count.
std::string Name(const core::Target& target);

}  // namespace tunehub::agent
