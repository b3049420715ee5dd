#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "agent/capture/capture.h"
#include "agent/device/this_device.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

// The size of a read. It is large enough that the search takes longer than the read, and small
// enough for the L2 cache.
constexpr std::size_t kLogBlockBytes = std::size_t{256} << 10;

// The interval between checks of a growing file. It is short for a user, and causes little load on
// a disk.
constexpr std::chrono::milliseconds kLookEvery{200};

// Has no size limit, unlike core::OpenFile, because the caller reads the file block by block.
core::Result<core::Fd> OpenFile(const std::string& path) {
  core::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.ok()) return core::Unreadable(path, errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return core::Unreadable(path, errno);
  if (S_ISDIR(status.st_mode)) return core::Unreadable(path, EISDIR);
  return fd;
}

// Returns the target if all lines with gfx and CU count name the same target.
std::optional<core::Target> OnlyTarget(std::span<const core::MissShape> shapes) {
  std::optional<core::Target> only;
  for (const core::MissShape& shape : shapes) {
    const auto cu_num = core::ParseInt(shape.cu_num);
    if (shape.gfx.empty() || !cu_num) continue;
    const core::Target target{shape.gfx, *cu_num};
    if (only && *only != target) return std::nullopt;
    only = target;
  }
  return only;
}

}  // namespace

core::Result<LogSource> LogSource::Open(const std::string& path, bool follow) {
  LogSource source;
  source.path_ = path == "-" ? "standard input" : path;
  source.follow_ = follow && path != "-";
  source.block_.resize(kLogBlockBytes);
  source.fd_ = 0;
  if (path == "-") return source;
  auto file = OpenFile(path);
  if (!file.ok()) return file.error();
  source.file_ = *std::move(file);
  source.fd_ = source.file_.get();
  return source;
}

core::Result<LogSource::Next> LogSource::Read(std::chrono::milliseconds limit) {
  const bool begins = !begun_;
  auto next = ReadBytes(limit);
  if (!next.ok() || next->state != State::kMore) return next;
  begun_ = true;
  // Skips the check while following the log, because NUL bytes precede the writer's next lines
  // after a truncation.
  if (follow_ && !begins) return next;
  const auto text = core::CheckLogBytes(next->bytes, begins, path_);
  if (!text.ok()) return text.error();
  return next;
}

core::Result<LogSource::Next> LogSource::ReadBytes(std::chrono::milliseconds limit) {
  if (gunzip_) return ReadPacked(limit);
  const bool first = offset_ == 0;
  auto next = ReadPlain(limit);
  if (!next.ok() || next->state != State::kMore) return next;
  if (!first || follow_ || !core::BeginsLikeGzip(next->bytes)) return next;
  gunzip_.emplace();
  unpacked_.resize(kLogBlockBytes);
  packed_ = next->bytes;
  return ReadPacked(limit);
}

core::Result<LogSource::Next> LogSource::ReadPacked(std::chrono::milliseconds limit) {
  for (;;) {
    const auto made = gunzip_->Unpack(packed_, unpacked_);
    if (!made.ok()) return made.error().In(path_);
    if (*made > 0) return Next{State::kMore, std::string_view(unpacked_).substr(0, *made)};
    auto next = ReadPlain(limit);
    if (!next.ok()) return next;
    if (next->state == State::kEnd) {
      const auto whole = gunzip_->AtEnd();
      if (!whole.ok()) return whole.error().In(path_);
    }
    if (next->state != State::kMore) return next;
    packed_ = next->bytes;
  }
}

core::Result<LogSource::Next> LogSource::ReadPlain(std::chrono::milliseconds limit) {
  if (!file_.ok()) {
    pollfd waiting{fd_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(limit.count()));
    if (ready == 0 || (ready < 0 && errno == EINTR)) return Next{State::kNone, {}};
  }
  const ssize_t got = ::read(fd_, block_.data(), block_.size());
  if (got < 0 && errno == EINTR) return Next{State::kNone, {}};
  if (got < 0) return core::Unreadable(path_, errno);
  if (got == 0) return AtEnd(limit);
  offset_ += static_cast<std::size_t>(got);
  return Next{State::kMore, std::string_view(block_).substr(0, static_cast<std::size_t>(got))};
}

// A rotation may have put another file under the name, or a writer may have truncated this file.
core::Result<LogSource::Next> LogSource::AtEnd(std::chrono::milliseconds limit) {
  if (!follow_) return Next{State::kEnd, {}};
  struct stat status {};
  if (::fstat(fd_, &status) != 0) return core::Unreadable(path_, errno);
  if (static_cast<std::size_t>(status.st_size) < offset_) {
    if (::lseek(fd_, 0, SEEK_SET) != 0) return core::Unreadable(path_, errno);
    offset_ = 0;
    return Next{State::kOther, {}};
  }
  if (static_cast<std::size_t>(status.st_size) == offset_ && WasReplaced()) {
    auto file = OpenFile(path_);
    if (file.ok()) {
      file_ = *std::move(file);
      fd_ = file_.get();
      offset_ = 0;
      return Next{State::kOther, {}};
    }
  }
  std::this_thread::sleep_for(std::min(limit, kLookEvery));
  return Next{State::kNone, {}};
}

bool LogSource::WasReplaced() const {
  struct stat mine {
  }, named{};
  if (::fstat(fd_, &mine) != 0 || ::stat(path_.c_str(), &named) != 0) return false;
  return mine.st_dev != named.st_dev || mine.st_ino != named.st_ino;
}

LogTarget TargetOfLog(const core::Target& asked, std::span<const core::MissShape> shapes,
                      const std::filesystem::path& root) {
  if (!asked.gfx.empty()) return {asked, TargetFrom::kOptions};
  if (const auto only = OnlyTarget(shapes)) return {*only, TargetFrom::kLog};
  const auto device = AmdDevice(root);
  if (device.ok()) return {device->target, TargetFrom::kHost};
  return {};
}

std::vector<core::MissShape> WithTarget(std::vector<core::MissShape> shapes,
                                        const core::Target& target) {
  if (target.gfx.empty()) return shapes;
  for (core::MissShape& shape : shapes) {
    if (!shape.gfx.empty()) continue;
    const core::Family& family = *shape.family;
    shape.gfx = target.gfx;
    if (shape.cu_num.empty() && family.cu_num != core::kNoColumn) {
      shape.cu_num = std::to_string(target.cu_num);
    }
    for (std::size_t i = 0; i < shape.cells.size(); ++i) {
      const std::size_t column = family.Find(family.untuned_columns[i]);
      if (column == family.gfx) shape.cells[i] = shape.gfx;
      if (column == family.cu_num) shape.cells[i] = shape.cu_num;
    }
  }
  return shapes;
}

std::string Describe(const core::Targets& targets, const core::Target& target) {
  return targets.devices().TargetName(target.gfx, target.cu_num);
}

std::string Name(const core::Target& target) {
  return target.cu_num == 0 ? target.gfx : fmt::format("{}:{}", target.gfx, target.cu_num);
}

}  // namespace tunehub::agent
