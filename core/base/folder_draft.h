// Writes a folder beside its final path, then moves it there as a whole. Readers see the old folder
// or the new one, even after a kill at any moment.
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

// Removes drafts of `place` whose program was killed. Begin does so, too.
void RemoveAbandonedDrafts(const std::filesystem::path& place);

// How to recognise an earlier folder of the same kind. A folder with other content is never
// replaced.
struct FolderKind {
  std::string_view code;                                // of the error: "not_a_backup"
  std::string_view name;                                // "a backup"
  std::span<const std::string_view> names;              // all names that its top level may have
  std::string_view sign;                                // what another folder lacks, for the error
  bool (*is_one)(const std::filesystem::path& folder);  // true if it has the sign
};

class FolderDraft {
 public:
  // `place` is a FolderPlace; its parents are made. Removes abandoned drafts. `kind`: which
  // non-empty folders may be replaced; null: any. Errors: file_unwritable, kind->code.
  static Result<FolderDraft> Begin(const std::filesystem::path& place,
                                   const FolderKind* kind = nullptr);
  FolderDraft(FolderDraft&& other) noexcept;
  FolderDraft& operator=(FolderDraft&&) = delete;
  FolderDraft(const FolderDraft&) = delete;
  FolderDraft& operator=(const FolderDraft&) = delete;
  ~FolderDraft();  // removes an unpublished draft

  // `name`: an inner path (file.h). Errors: bad_name, file_unwritable.
  Status Write(const std::string& name, std::string_view bytes);

  // Syncs the draft and replaces the folder at the place by it. Errors: as Begin.
  Status Publish();
  // Publishes, but keeps the replaced folder as `old`, in place of a folder there. After a kill the
  // replaced folder has its own name or `old`. Errors: also if the file system exchanges no names.
  Status PublishKeeping(const std::filesystem::path& old);

  const std::filesystem::path& place() const { return place_; }
  // The draft's path, for a program that writes files there itself.
  const std::filesystem::path& draft() const { return draft_; }
  std::size_t files() const { return files_; }
  std::size_t bytes() const { return bytes_; }

 private:
  FolderDraft(std::filesystem::path place, std::filesystem::path draft, Fd alive,
              const FolderKind* kind)
      : place_(std::move(place)), draft_(std::move(draft)), alive_(std::move(alive)), kind_(kind) {}

  std::filesystem::path place_, draft_;  // draft_ "" if published
  Fd alive_;                             // the draft's folder, locked while this object lives
  const FolderKind* kind_;
  std::size_t files_ = 0, bytes_ = 0;
};

}  // namespace tunehub::core
