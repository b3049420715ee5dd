#include <algorithm>
#include <filesystem>

#include "agent/commands/contribute/command_contribute.h"
#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"
#include "core/system/inner_path.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// What is there may be the file as the tree has it, or as it would be.
core::Status CheckMayReplace(const fs::path& path, const ContributedFile& file) {
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error().code == "file_not_found" ? core::Ok() : bytes.error();
  const bool same = (!file.fresh && bytes->view() == file.before) || bytes->view() == file.bytes;
  if (same) return core::Ok();
  return core::Error{"file_differs",
                     path.string() + " is not the tree's file: nothing was written"};
}

// Whether writing the files makes the folder. Both are absolute: a relative path ends with "",
// which is no folder of its own.
bool IsMade(const fs::path& folder, const fs::path& output, const Contribution& contribution) {
  std::error_code error;
  if (fs::exists(folder, error)) return false;
  return std::ranges::any_of(contribution.files, [&](const ContributedFile& file) {
    fs::path above = (output / file.path).lexically_normal();
    while (above.has_relative_path()) {
      above = above.parent_path();
      if (above == folder) return true;
    }
    return false;
  });
}

// Before any file is written: the text is the last.
core::Status CheckText(const fs::path& text, const fs::path& output,
                       const Contribution& contribution) {
  const fs::path folder = fs::absolute(text).lexically_normal().parent_path();
  const bool made = !output.empty() && IsMade(folder, fs::absolute(output), contribution);
  return made ? core::Ok() : core::TryWriting(text);
}

// None is written where one of them may not be replaced.
core::Status WriteFiles(const fs::path& folder, const std::vector<ContributedFile>& files) {
  for (const ContributedFile& file : files) {
    if (!core::IsInnerPath(file.path)) {
      return core::Error{"bad_name", file.path + ": no name of a file below " + folder.string()};
    }
    if (auto may = CheckMayReplace(folder / file.path, file); !may.ok()) return may;
  }
  for (const ContributedFile& file : files) {
    const fs::path path = folder / file.path;
    if (auto made = core::MakeFolder(path.parent_path()); !made.ok()) return made;
    if (auto written = core::WriteAtomically(path, file.bytes); !written.ok()) return written;
  }
  return core::Ok();
}

}  // namespace

core::Status WriteContribution(const ContributeOptions& options, const Contribution& contribution,
                               const std::string& text) {
  const fs::path folder = options.in_place ? options.tree : options.output;
  const bool has_text = !options.text.empty() && !contribution.files.empty();
  if (has_text) {
    if (auto may = CheckText(options.text, folder, contribution); !may.ok()) return may;
  }
  if (!folder.empty()) {
    if (auto written = WriteFiles(folder, contribution.files); !written.ok()) return written;
  }
  return has_text ? core::WriteAtomically(options.text, text) : core::Ok();
}

}  // namespace tunehub::agent
