#include "server/backup/retention.h"

#include <algorithm>

#include "core/base/rfc3339.h"
#include "core/system/atomic_file.h"
#include "core/system/open_file.h"
#include "server/backup/manifest.h"

namespace tunehub::backup {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPattern = "0000-00-00T00-00-00Z";  // 0: any digit
constexpr std::string_view kRemoved = ".removed.";             // in front of what is going

bool IsName(const std::string& name) {
  return std::ranges::equal(
      name, kPattern, [](char c, char of) { return of == '0' ? c >= '0' && c <= '9' : c == of; });
}

// Under another name first: whatever ends this in between, no backup lacks a part.
core::Status Remove(const fs::path& folder, const std::string& name) {
  std::error_code error;
  const fs::path going = folder / (std::string(kRemoved) + name);
  fs::rename(folder / name, going, error);
  if (!error) fs::remove_all(going, error);
  return error ? core::Status(core::Unwritable(folder / name, error)) : core::Ok();
}

// Of a backup's name.
std::chrono::system_clock::time_point TimeOf(std::string name) {
  for (std::size_t i = name.find('T'); i < name.size(); ++i) {
    if (name[i] == '-') name[i] = ':';
  }
  const std::chrono::microseconds since_1970(core::Rfc3339Microseconds(name).value_or(0));
  return std::chrono::system_clock::time_point(since_1970);
}

core::Result<std::vector<std::string>> BackupsIn(const fs::path& folder) {
  std::vector<std::string> backups;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    if (IsName(name) && fs::exists(it->path() / kManifestFile, ignored)) backups.push_back(name);
  }
  if (error) return core::Unreadable(folder, error.value());
  std::ranges::sort(backups);
  return backups;
}

void RemoveLeftovers(const fs::path& folder) {
  std::error_code error, ignored;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(kRemoved) && IsName(name.substr(kRemoved.size())))
      fs::remove_all(it->path(), ignored);  // a kill has left it
  }
}

}  // namespace

std::string NameAt(std::chrono::system_clock::time_point time) {
  std::string name = core::UtcText(time).substr(0, kPattern.size() - 1) + "Z";
  std::ranges::replace(name, ':', '-');
  return name;
}

core::Result<std::optional<NamedBackup>> Newest(const fs::path& folder) {
  const auto backups = BackupsIn(folder);
  if (!backups.ok()) return backups.error();
  if (backups->empty()) return std::optional<NamedBackup>();
  return std::optional(NamedBackup{backups->back(), TimeOf(backups->back())});
}

core::Result<std::vector<std::string>> RemoveOld(const fs::path& folder, std::size_t keep) {
  RemoveLeftovers(folder);
  auto backups = BackupsIn(folder);
  if (!backups.ok()) return backups.error();
  if (backups->size() <= keep) return std::vector<std::string>{};
  backups->resize(backups->size() - keep);
  for (const std::string& name : *backups) {
    if (auto removed = Remove(folder, name); !removed.ok()) return removed.error();
  }
  return backups;
}

}  // namespace tunehub::backup
