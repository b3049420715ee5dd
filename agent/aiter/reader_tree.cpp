#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "agent/aiter/aiter_tree.h"
#include "core/base/file.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// The limits of a tree. A config file has a few kilobytes, and an engine's tree has a few hundred
// files.
constexpr std::uintmax_t kMaxConfigBytes = 4u << 20;
constexpr std::size_t kMaxConfigFiles = 100'000;

// Returns the path without its first folder, for a `dir` such as "…/site-packages/vllm".
fs::path WithinPackage(const std::string& package) {
  const std::size_t slash = package.find('/');
  return slash == std::string::npos ? fs::path() : fs::path(package.substr(slash + 1));
}

// Returns the extension of the reader's files. TunableOp's files are CSVs.
const char* ExtensionOf(const core::Reader& reader) {
  return reader.stores.front().body == core::BodyKind::kTunable ? ".csv" : ".json";
}

// Returns the path relative to `folder`. Compares strings, since fs::path is slow for many files.
std::string Below(const fs::path& folder, const fs::path& path) {
  const std::string& within = folder.native();
  const std::string& whole = path.native();
  if (whole.starts_with(within) && whole.size() > within.size() && whole[within.size()] == '/') {
    return whole.substr(within.size() + 1);
  }
  return path.lexically_relative(folder).generic_string();
}

class FolderWalk {
 public:
  FolderWalk(const core::Reader& reader, fs::path dir) : reader_(reader), dir_(std::move(dir)) {}

  // `known`: true if `folder` is a config folder. Otherwise the config folder may be anywhere below
  // `folder`.
  core::Status Add(const fs::path& folder, bool known) {
    std::error_code error;
    const auto skip = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator it(folder, skip, error), end; it != end && !error;
         it.increment(error)) {
      std::error_code unknown;
      if (it->path().extension() != ExtensionOf(reader_)) continue;
      if (!it->is_regular_file(unknown)) continue;
      if (tree_.entries.size() == kMaxConfigFiles) {
        return core::Error{"too_many_files", fmt::format("{}: more than {} {} files", dir_.string(),
                                                         kMaxConfigFiles, ExtensionOf(reader_))};
      }
      AddFile(folder, it->path(), known);
    }
    if (!error) return core::Ok();
    return core::Error{"no_folder", fmt::format("{}: {}", folder.string(), error.message())};
  }

  // Adds a file that the user named, under any name.
  void AddOne(const fs::path& file) { AddFile(file.parent_path(), file, true); }

  ReaderTree Take() {
    std::ranges::sort(tree_.entries, {}, &core::TreeEntry::path);
    return std::move(tree_);
  }

 private:
  void AddFile(const fs::path& folder, const fs::path& file, bool known) {
    const std::string path = Below(dir_, file);
    const auto opened = core::OpenFile(file);
    if (!opened.ok()) return Unread(path, opened.error().code.c_str(), opened.error().detail);
    if (opened->size > kMaxConfigBytes) {
      return Unread(path, "too_large", fmt::format("is larger than {} bytes", kMaxConfigBytes));
    }
    const auto bytes = core::FileBytes::Read(file, *opened);
    if (!bytes.ok()) return Unread(path, bytes.error().code.c_str(), bytes.error().detail);
    const std::string name = Below(folder, file);
    // The folder's name may be part of the path: "triton_3_4_0".
    const bool anchored = std::ranges::any_of(reader_.stores, &core::ReaderStore::anchored);
    const std::string own = folder.filename().generic_string();
    tree_.entries.push_back(
        {path, known || anchored ? name : own + "/" + name, std::string(bytes->view())});
  }

  void Unread(const std::string& path, const char* code, std::string detail) {
    tree_.unread.push_back({path, "", code, std::move(detail), true});
  }

  const core::Reader& reader_;
  const fs::path dir_;
  ReaderTree tree_;
};

}  // namespace

std::vector<fs::path> PackageFolders(const core::ReaderStore& store, const fs::path& dir) {
  std::vector<fs::path> found;
  for (const std::string& package : store.packages) {
    for (const fs::path& place :
         {dir / package, dir / "python" / package, dir / WithinPackage(package)}) {
      std::error_code error;
      if (place == dir / "" || !fs::is_directory(place, error)) continue;
      found.push_back(place);
      break;
    }
  }
  return found;
}

core::Result<ReaderTree> ReadReaderTree(const core::Reader& reader, const fs::path& dir) {
  std::error_code error;
  fs::path whole = fs::canonical(dir, error);
  const bool takes_file = reader.stores.front().body == core::BodyKind::kTunable;
  if (!error && takes_file && fs::is_regular_file(whole, error)) {
    FolderWalk walk(reader, whole.parent_path());
    walk.AddOne(whole);
    return walk.Take();
  }
  if (error || !fs::is_directory(whole, error)) {
    return core::Error{
        "no_folder",
        fmt::format("{}: {}; expected a folder with {}'s files", dir.string(),
                    fs::exists(dir, error) ? "is a file, not a folder" : "no such folder",
                    reader.title)};
  }
  std::vector<fs::path> folders;
  for (const core::ReaderStore& store : reader.stores) {
    for (const fs::path& folder : PackageFolders(store, whole)) {
      if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
    }
  }
  FolderWalk walk(reader, whole);
  const bool known = !folders.empty();
  if (!known) folders.push_back(whole);
  for (const fs::path& folder : folders) {
    if (const auto status = walk.Add(folder, known); !status.ok()) return status.error();
  }
  ReaderTree tree = walk.Take();
  if (!tree.entries.empty() || !tree.unread.empty()) return tree;
  return core::Error{"no_files",
                     fmt::format("{} contains no {} file", dir.string(), ExtensionOf(reader))};
}

}  // namespace tunehub::agent
