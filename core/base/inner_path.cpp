#include "core/base/inner_path.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/atomic_file.h"
#include "core/base/text.h"

namespace tunehub::core {
namespace {

constexpr mode_t kFolderMode = 0777, kFileMode = 0644;

std::string LastPart(const std::string& name) {
  return name.substr(name.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace

bool IsInnerPath(std::string_view name) {
  if (std::ranges::any_of(name, [](char c) { return c == '\\' || IsControl(c); })) return false;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

// Part by part: with O_NOFOLLOW alone only the last part of a path may be no link.
Result<Fd> FolderBelow(const std::filesystem::path& folder, const std::string& name) {
  if (!IsInnerPath(name)) {
    return Error{"bad_name",
                 fmt::format("'{}' is no name of a file below {}", Excerpt(name), folder.string())};
  }
  Fd at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::size_t begin = 0, end = 0;
  for (; at.ok() && (end = name.find('/', begin)) != std::string::npos; begin = end + 1) {
    const std::string part = name.substr(begin, end - begin);
    if (::mkdirat(at.get(), part.c_str(), kFolderMode) != 0 && errno != EEXIST) break;
    at = Fd(::openat(at.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!at.ok() || end != std::string::npos) return Unwritable(folder / name, errno);
  return at;
}

Status WriteBelow(const std::filesystem::path& folder, const std::string& name,
                  std::string_view bytes) {
  const auto at = FolderBelow(folder, name);
  if (!at.ok()) return at.error();
  const std::string last = LastPart(name);
  if (::unlinkat(at->get(), last.c_str(), 0) != 0 && errno != ENOENT) {
    return Unwritable(folder / name, errno);
  }
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const Fd file(::openat(at->get(), last.c_str(), flags, kFileMode));
  if (!file.ok()) return Unwritable(folder / name, errno);
  return WriteAll(file.get(), bytes, folder / name);
}

}  // namespace tunehub::core
