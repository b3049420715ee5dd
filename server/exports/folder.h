// The folder of an export: written beside its place and put there whole, so that a web server that
// serves it never sees half of one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/system/folder_draft.h"

namespace tunehub::exports {

// What an index.json of an export says of itself, in its member "format".
inline constexpr std::string_view kFormat = "tunehub-static-export";
inline constexpr int kFormatVersion = 1;
inline constexpr const char* kIndexFile = "index.json";

class Folder {
 public:
  // `place`: absent, empty, or an export of before. Errors: not_an_export (it holds something else,
  // which is named), file_unwritable.
  static core::Result<Folder> Begin(const std::filesystem::path& place);
  // `name`: relative, with '/'. Errors: file_unwritable.
  core::Status Write(const std::string& name, std::string_view bytes) {
    return draft_.Write(name, bytes);
  }

  // In place of what was there. Errors: not_an_export, file_unwritable.
  core::Status Publish();

  std::size_t files() const { return draft_.files(); }
  std::size_t bytes() const { return draft_.bytes(); }

 private:
  explicit Folder(core::FolderDraft draft) : draft_(std::move(draft)) {}

  core::FolderDraft draft_;
};

}  // namespace tunehub::exports
