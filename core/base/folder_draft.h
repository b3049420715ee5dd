// A folder that is written beside its place and put there whole: who reads the place sees the old
// folder or the new one, and a kill at any moment leaves one of them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"

namespace tunehub::core {

// Absolute, without a slash at its end; where the name is a link, what it leads to. Errors:
// file_unwritable.
Result<std::filesystem::path> FolderPlace(const std::filesystem::path& named);

// Drafts of the place whose program was killed. Begin does it, too.
void RemoveAbandonedDrafts(const std::filesystem::path& place);

// By what a folder is known as one of before: anything else in it is somebody's, and stays.
struct FolderKind {
  std::string_view code;                                // of the error: "not_a_backup"
  std::string_view name;                                // "a backup"
  std::span<const std::string_view> names;              // all that one has at its top
  std::string_view sign;                                // what the error says that a folder lacks
  bool (*is_one)(const std::filesystem::path& folder);  // whether it has that
};

class FolderDraft {
 public:
  // `place` is a FolderPlace; the folders above it are made. Drafts of it whose program was killed
  // are removed. `kind`: of the folders that are replaced, if they are not empty; null: any.
  // Errors: file_unwritable, the kind's.
  static Result<FolderDraft> Begin(const std::filesystem::path& place,
                                   const FolderKind* kind = nullptr);
  FolderDraft(FolderDraft&& other) noexcept;
  FolderDraft& operator=(FolderDraft&&) = delete;
  FolderDraft(const FolderDraft&) = delete;
  FolderDraft& operator=(const FolderDraft&) = delete;
  ~FolderDraft();  // what was not published is gone

  // `name`: an inner path (file.h). Errors: bad_name, file_unwritable.
  Status Write(const std::string& name, std::string_view bytes);

  // On disk, then in place of what was there, which is removed. Errors: as of Begin.
  Status Publish();
  // The same, and what was there is `old` from then on, in place of what has that name: a kill at
  // any moment leaves it at one of both. It refuses a file system that cannot exchange two names,
  // where there would be a moment without a folder.
  Status PublishKeeping(const std::filesystem::path& old);

  const std::filesystem::path& place() const { return place_; }
  // For a program that writes files there itself.
  const std::filesystem::path& draft() const { return draft_; }
  std::size_t files() const { return files_; }
  std::size_t bytes() const { return bytes_; }

 private:
  FolderDraft(std::filesystem::path place, std::filesystem::path draft, Fd alive,
              const FolderKind* kind)
      : place_(std::move(place)), draft_(std::move(draft)), alive_(std::move(alive)), kind_(kind) {}

  std::filesystem::path place_, draft_;  // draft_ "": published
  Fd alive_;                             // the draft, locked while this lives
  const FolderKind* kind_;
  std::size_t files_ = 0, bytes_ = 0;
};

}  // namespace tunehub::core
