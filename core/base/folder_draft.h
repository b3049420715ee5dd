// Writes a folder beside its final path, then moves it there as a whole. A kill at any moment
// leaves either the old folder or the new one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"

namespace tunehub::core {

// The absolute path of a folder, without a final slash and with links resolved. Errors:
// file_unwritable.
Result<std::filesystem::path> FolderPlace(const std::filesystem::path& named);

// Removes drafts of `place` that killed programs left. Begin calls it, too.
void RemoveAbandonedDrafts(const std::filesystem::path& place);

// Describes how to recognise an earlier folder of the same kind. A draft never replaces a folder
// with other content.
struct FolderKind {
  std::string_view code;                    // the error's code: "not_a_backup"
  std::string_view name;                    // "a backup"
  std::span<const std::string_view> names;  // all names that its top level may contain
  std::string_view sign;                    // describes what only this kind contains, for the error
  bool (*is_one)(const std::filesystem::path& folder);  // true if the folder is of this kind
};

class FolderDraft {
 public:
  // Removes abandoned drafts and makes the parents of `place`. `place`: from FolderPlace. `kind`:
  // the non-empty folders that the draft may replace; null: any. Errors: file_unwritable,
  // kind->code.
  static Result<FolderDraft> Begin(const std::filesystem::path& place,
                                   const FolderKind* kind = nullptr);
  FolderDraft(FolderDraft&& other) noexcept;
  FolderDraft& operator=(FolderDraft&&) = delete;
  FolderDraft(const FolderDraft&) = delete;
  FolderDraft& operator=(const FolderDraft&) = delete;
  ~FolderDraft();  // removes an unpublished draft

  // `name`: an inner path (file.h). Errors: bad_name, file_unwritable.
  Status Write(const std::string& name, std::string_view bytes);

  // Syncs the draft, then replaces the folder at `place` by it. Errors: as Begin.
  Status Publish();
  // Publishes the draft and renames the replaced folder to `old`, over any folder there. After a
  // kill, the replaced folder has its own name or `old`. Errors: as Publish; file_unwritable if the
  // file system cannot exchange two names.
  Status PublishKeeping(const std::filesystem::path& old);

  const std::filesystem::path& place() const { return place_; }
  // The draft's path, for a program that writes its own files there.
  const std::filesystem::path& draft() const { return draft_; }
  std::size_t files() const { return files_; }
  std::size_t bytes() const { return bytes_; }

 private:
  FolderDraft(std::filesystem::path place, std::filesystem::path draft, Fd alive,
              const FolderKind* kind)
      : place_(std::move(place)), draft_(std::move(draft)), alive_(std::move(alive)), kind_(kind) {}

  std::filesystem::path place_, draft_;  // draft_: "" after publishing
  Fd alive_;                             // the draft's folder, locked while this object lives
  const FolderKind* kind_;
  std::size_t files_ = 0, bytes_ = 0;
};

}  // namespace tunehub::core
