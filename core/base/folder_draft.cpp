#include "core/base/folder_draft.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/base/encoding.h"
#include "core/base/process.h"

namespace tunehub::core {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDraftBytes = 4;  // random bytes in a draft's name

Fd LockedFolder(const fs::path& folder) {
  Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (fd.ok() && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return Fd();
  return fd;
}

// A draft's name is ".NAME." and hexadecimal digits.
bool IsDraftOf(const fs::path& place, const std::string& name) {
  const std::string front = "." + place.filename().string() + ".";
  if (name.size() != front.size() + 2 * kDraftBytes || !name.starts_with(front)) return false;
  return name.find_first_not_of(kHexDigits, front.size()) == std::string::npos;
}

// Exchanges two existing folders atomically. Returns 0 or an errno.
int Exchange(const fs::path& one, const fs::path& other) {
  return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0 ? 0
                                                                                           : errno;
}

bool CannotExchange(int error) {
  return error == EINVAL || error == ENOSYS;
}

Status NotExchanged(const fs::path& place, int error) {
  if (error == EBUSY || error == EXDEV) {
    return Error{
        "file_unwritable",
        fmt::format(
            "{} is a mount point, which cannot be replaced as a whole; choose a folder inside it",
            place.string())};
  }
  if (!CannotExchange(error)) return Unwritable(place, error);
  return Error{"file_unwritable",
               fmt::format("{}: the file system cannot exchange two folders in one step, so the "
                           "folder would be missing for a moment; choose another file system",
                           place.string())};
}

// If the file system cannot exchange two names, `place` is missing for a moment.
Status Swap(const fs::path& draft, const fs::path& place) {
  const int failed = Exchange(draft, place);
  if (failed == 0) return Ok();
  if (!CannotExchange(failed)) return NotExchanged(place, failed);
  fs::path old = draft;
  old += ".old";
  std::error_code error;
  fs::rename(place, old, error);
  if (!error) fs::rename(draft, place, error);
  if (!error) fs::rename(old, draft, error);
  return error ? Status(Unwritable(place, error)) : Ok();
}

// A writer locks its draft, so an unlocked draft belongs to a killed program.
void RemoveUnlocked(const fs::path& place) {
  std::error_code error;
  for (fs::directory_iterator it(place.parent_path(), error), end; !error && it != end;
       it.increment(error)) {
    if (!IsDraftOf(place, it->path().filename().string())) continue;
    const Fd lock = LockedFolder(it->path());
    std::error_code ignored;
    if (lock.ok()) fs::remove_all(it->path(), ignored);
  }
}

// Lets only one program at a time make or publish a draft. A new draft is unlocked for a moment. Of
// two concurrent PublishKeeping calls, the second would restore the replaced folder.
Fd WaitForFolder(const fs::path& folder) {
  Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (fd.ok() && ::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return Fd();
  }
  return fd;
}

Status CheckReplaceable(const fs::path& place, const FolderKind& kind) {
  const auto refused = [&](const std::string& why) {
    return Error{std::string(kind.code), fmt::format("{0} {1}, so {2} must not replace it",
                                                     place.string(), why, kind.name)};
  };
  std::error_code error;
  const fs::file_status status = fs::status(place, error);
  if (status.type() == fs::file_type::not_found) return Ok();
  if (status.type() == fs::file_type::none) return Unwritable(place, error);
  if (status.type() != fs::file_type::directory) return refused("is not a folder");
  bool empty = true;
  for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error)) {
    empty = false;
    const std::string name = it->path().filename().string();
    if (std::ranges::find(kind.names, name) == kind.names.end())
      return refused(fmt::format("contains '{}', which does not belong to {}", name, kind.name));
  }
  if (error) return Unwritable(place, error);
  if (empty || kind.is_one(place)) return Ok();
  return refused(fmt::format("has no {}", kind.sign));
}

}  // namespace

void RemoveAbandonedDrafts(const fs::path& place) {
  const Fd held = WaitForFolder(place.parent_path());
  if (held.ok()) RemoveUnlocked(place);
}

Result<fs::path> FolderPlace(const fs::path& named) {
  std::error_code error;
  fs::path place = fs::absolute(named, error);
  if (!error) place = fs::weakly_canonical(place, error);
  if (error) return Unwritable(named, error);
  return place.has_filename() ? place : place.parent_path();
}

Result<FolderDraft> FolderDraft::Begin(const fs::path& place, const FolderKind* kind) {
  if (kind != nullptr) {
    if (Status status = CheckReplaceable(place, *kind); !status.ok()) return status.error();
  }
  if (Status status = MakeFolder(place.parent_path()); !status.ok()) return status.error();
  const Fd held = WaitForFolder(place.parent_path());
  if (!held.ok()) return Unwritable(place.parent_path(), errno);
  RemoveUnlocked(place);
  fs::path draft = place.parent_path() /
                   fmt::format(".{}.{}", place.filename().string(), Hex(RandomBytes(kDraftBytes)));
  if (Status status = MakeFolder(draft); !status.ok()) return status.error();
  Fd alive = LockedFolder(draft);
  if (!alive.ok()) return Unwritable(draft, errno);
  return FolderDraft(place, std::move(draft), std::move(alive), kind);
}

FolderDraft::FolderDraft(FolderDraft&& other) noexcept
    : place_(std::move(other.place_)),
      draft_(std::exchange(other.draft_, fs::path())),
      alive_(std::move(other.alive_)),
      kind_(other.kind_),
      files_(other.files_),
      bytes_(other.bytes_) {}

FolderDraft::~FolderDraft() {
  std::error_code ignored;
  if (!draft_.empty()) fs::remove_all(draft_, ignored);
}

Status FolderDraft::Write(const std::string& name, std::string_view bytes) {
  ++files_;
  bytes_ += bytes.size();
  return WriteBelow(draft_, name, bytes);
}

Status FolderDraft::Publish() {
  if (kind_ != nullptr) {  // do not replace files that appeared meanwhile
    if (Status status = CheckReplaceable(place_, *kind_); !status.ok()) return status;
  }
  // One sync for all files is faster than a sync for each file.
  if (::syncfs(alive_.get()) != 0) return Unwritable(draft_, errno);
  std::error_code error;
  if (!fs::exists(place_, error)) {
    fs::rename(draft_, place_, error);
    if (error) return Unwritable(place_, error);
    draft_.clear();
    return SyncFolder(place_.parent_path());
  }
  return Swap(draft_, place_);  // the destructor removes the old folder
}

// First renames the draft to `old`, then exchanges `old` and `place`. The replaced folder must
// never have the draft's name: after a kill, the next draft would remove it.
Status FolderDraft::PublishKeeping(const fs::path& old) {
  const Fd held = WaitForFolder(place_.parent_path());
  if (!held.ok()) return Unwritable(place_.parent_path(), errno);
  std::error_code error;
  if (!fs::exists(place_, error)) return Publish();
  if (::syncfs(alive_.get()) != 0) return Unwritable(draft_, errno);
  const bool replaces = fs::exists(old, error);
  if (!replaces) fs::rename(draft_, old, error);
  if (error) return Unwritable(old, error);
  if (const int failed = replaces ? Exchange(draft_, old) : 0; failed != 0)
    return NotExchanged(old, failed);
  if (const int failed = Exchange(old, place_); failed != 0) {
    if (replaces) Exchange(old, draft_);
    if (!replaces) fs::rename(old, draft_, error);
    return NotExchanged(place_, failed);
  }
  return SyncFolder(place_.parent_path());
}

}  // namespace tunehub::core
