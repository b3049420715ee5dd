#include <filesystem>

#include "agent/commands/contribute/command_contribute.h"
#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent {
namespace {

// What is there may be the file as the tree has it, or as it would be.
core::Status CheckMayReplace(const std::filesystem::path& path, const ContributedFile& file) {
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error().code == "file_not_found" ? core::Ok() : bytes.error();
  const bool same = (!file.fresh && bytes->view() == file.before) || bytes->view() == file.bytes;
  if (same) return core::Ok();
  return core::Error{"file_differs",
                     path.string() + " is not the tree's file: nothing was written"};
}

}  // namespace

core::Status WriteContribution(const ContributeOptions& options, const Contribution& contribution,
                               const std::string& text) {
  const std::filesystem::path folder = options.in_place ? options.tree : options.output;
  if (!folder.empty()) {
    for (const ContributedFile& file : contribution.files) {
      if (auto may = CheckMayReplace(folder / file.path, file); !may.ok()) return may;
    }
    for (const ContributedFile& file : contribution.files) {
      const std::filesystem::path path = folder / file.path;
      if (auto made = core::MakeFolder(path.parent_path()); !made.ok()) return made;
      if (auto written = core::WriteAtomically(path, file.bytes); !written.ok()) return written;
    }
  }
  if (options.text.empty() || contribution.files.empty()) return core::Ok();
  return core::WriteAtomically(options.text, text);
}

}  // namespace tunehub::agent
