#include "server/exports/folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/hex.h"
#include "core/system/atomic_file.h"
#include "core/system/random.h"

namespace tunehub::exports {
namespace {

namespace fs = std::filesystem;

// All that an export has at its top: whatever else lies there is somebody's, and stays.
constexpr std::string_view kOwnNames[] = {"assets",   "bundles",   "data",  "index.html",
                                          kIndexFile, "revisions", "tables"};
constexpr std::size_t kDraftBytes = 4;  // of randomness in the name of a draft

core::Error NotAnExport(const fs::path& place, const std::string& why) {
  return {"not_an_export",
          fmt::format("{}: {}; an export replaces an empty folder or an export of before",
                      place.string(), why)};
}

bool IsIndex(const fs::path& file) {
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in, nullptr, false);
  return json.is_object() && json.value("format", nlohmann::json()) == kFormat;
}

core::Status CheckReplaceable(const fs::path& place) {
  std::error_code error;
  const fs::file_status status = fs::status(place, error);
  if (status.type() == fs::file_type::not_found) return core::Ok();
  if (status.type() == fs::file_type::none) return core::Unwritable(place, error);
  if (status.type() != fs::file_type::directory) return NotAnExport(place, "is no folder");
  bool empty = true;
  for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error)) {
    empty = false;
    const std::string name = it->path().filename().string();
    if (std::ranges::find(kOwnNames, name) == std::end(kOwnNames)) {
      return NotAnExport(place, fmt::format("holds '{}', which is no part of an export", name));
    }
  }
  if (error) return core::Unwritable(place, error);
  if (empty || IsIndex(place / kIndexFile)) return core::Ok();
  return NotAnExport(place, fmt::format("has no {} of an export", kIndexFile));
}

// Both exist: at no moment is there none. A file system that cannot swap them has a moment without.
core::Status Swap(const fs::path& draft, const fs::path& place) {
  if (::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0)
    return core::Ok();
  if (errno != EINVAL && errno != ENOSYS) return core::Unwritable(place, errno);
  fs::path old = draft;
  old += ".old";
  std::error_code error;
  fs::rename(place, old, error);
  if (!error) fs::rename(draft, place, error);
  if (!error) fs::rename(old, draft, error);
  return error ? core::Status(core::Unwritable(place, error)) : core::Ok();
}

}  // namespace

core::Result<Folder> Folder::Begin(const fs::path& named) {
  std::error_code error;
  // Where the name is a link, what it leads to is replaced.
  fs::path place = fs::weakly_canonical(fs::absolute(named), error);
  if (error) return core::Unwritable(named, error);
  if (!place.has_filename()) place = place.parent_path();
  if (core::Status status = CheckReplaceable(place); !status.ok()) return status.error();
  if (core::Status status = core::MakeFolder(place.parent_path()); !status.ok())
    return status.error();
  fs::path draft = place.parent_path() / fmt::format(".{}.{}", place.filename().string(),
                                                     core::Hex(core::RandomBytes(kDraftBytes)));
  if (core::Status status = core::MakeFolder(draft); !status.ok()) return status.error();
  return Folder(std::move(place), std::move(draft));
}

Folder::Folder(Folder&& other) noexcept
    : place_(std::move(other.place_)),
      draft_(std::exchange(other.draft_, fs::path())),
      files_(other.files_),
      bytes_(other.bytes_) {}

Folder::~Folder() {
  std::error_code ignored;
  if (!draft_.empty()) fs::remove_all(draft_, ignored);
}

core::Status Folder::Write(const std::string& name, std::string_view bytes) {
  const fs::path file = draft_ / name;
  if (core::Status status = core::MakeFolder(file.parent_path()); !status.ok()) return status;
  ++files_;
  bytes_ += bytes.size();
  return core::Replace(file, bytes);
}

core::Status Folder::Publish() {
  // What was written meanwhile is not lost either.
  if (core::Status status = CheckReplaceable(place_); !status.ok()) return status;
  std::error_code error;
  if (fs::exists(place_, error)) return Swap(draft_, place_);  // the old one goes with the draft
  fs::rename(draft_, place_, error);
  if (error) return core::Unwritable(place_, error);
  draft_.clear();
  return core::SyncFolder(place_.parent_path());
}

}  // namespace tunehub::exports
