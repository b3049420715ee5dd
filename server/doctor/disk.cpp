// Room on the disks that are written to.
#include <fmt/core.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "server/doctor/checks.h"

namespace tunehub::doctor {
namespace {

namespace fs = std::filesystem;

constexpr double kGigabyte = 1e9;
// PostgreSQL stops for want of room, and takes as much as this between two checkpoints.
constexpr double kLeastBytes = 2 * kGigabyte;
constexpr double kLeastShare = 0.05;  // of a larger disk
constexpr double kMostOfShare = 20 * kGigabyte;
constexpr fsfilcnt_t kLeastFiles = 10'000;

// A folder that is not there yet will be made on the disk of the one above it.
fs::path Nearest(fs::path path) {
  std::error_code error;
  path = fs::absolute(path);
  while (!fs::exists(path, error) && path.has_relative_path()) path = path.parent_path();
  return path;
}

void CheckRoom(const fs::path& folder, const char* of, Report& report) {
  if (folder.empty()) return;
  struct statvfs disk {};
  if (::statvfs(Nearest(folder).c_str(), &disk) != 0) {
    return report.CouldNotLook(
        fmt::format("{}: {}", folder.string(), std::generic_category().message(errno)));
  }
  const double unit = static_cast<double>(disk.f_frsize);
  const double free = static_cast<double>(disk.f_bavail) * unit;
  const double whole = static_cast<double>(disk.f_blocks) * unit;
  if (free < std::max(kLeastBytes, std::min(whole * kLeastShare, kMostOfShare))) {
    report.Wrong(fmt::format("{} ({}) has {:.1f} GB of {:.1f} GB left", folder.string(), of,
                             free / kGigabyte, whole / kGigabyte),
                 "make room, or move it to a larger disk: a full one ends all writes");
  }
  if (disk.f_files > 0 && disk.f_favail < kLeastFiles) {
    report.Wrong(fmt::format("the disk of {} ({}) has room for {} more files", folder.string(), of,
                             disk.f_favail),
                 "remove files, or move it to another disk");
  }
}

}  // namespace

void CheckDisk(Subject& subject, Report& report) {
  if (subject.is_embedded()) CheckRoom(subject.data, "data", report);
  CheckRoom(subject.wal_archive, "wal_archive", report);
  CheckRoom(subject.backups, "backups", report);
}

}  // namespace tunehub::doctor
