// A tar.gz of the hub's with SHA256SUMS in it: read into memory, each file confirmed by its sum.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/readers/reader.h"

namespace tunehub::agent {

inline constexpr std::size_t kMaxBundleBytes = std::size_t{1} << 30;  // unpacked
inline constexpr std::size_t kMaxBundleFiles = 10'000;  // SGLang's tree has 500, a bundle fewer
inline constexpr std::size_t kQuotedNameBytes = 200;    // of a file's name, in an error

class SummedArchive {
 public:
  // Errors: bad_archive (unreadable, beyond these limits, a name that leaves the folder or comes
  // twice), bad_bundle (SHA256SUMS has another form).
  static core::Result<SummedArchive> Read(std::string_view tar_gz);

  // All files, by their names below `folder` ("aiter/configs/"); once. Errors: bad_bundle (a file
  // that SHA256SUMS does not confirm, one that it alone has, one that lies elsewhere or has another
  // ending).
  core::Result<std::map<std::string, std::string>> Take(std::string_view folder,
                                                        std::string_view ending = "");

  // "": there is none.
  std::string Text(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> entries_;
  std::map<std::string, std::string> sums_;
};

// What GET /bundle gives: tuned tables laid out as aiter/configs, each with its SHA-256.
struct Bundle {
  std::map<std::string, std::string> tables;  // by name inside aiter/configs
};

// Errors: those of SummedArchive.
inline core::Result<Bundle> ParseBundle(std::string_view tar_gz) {
  auto archive = SummedArchive::Read(tar_gz);
  if (!archive.ok()) return archive.error();
  auto tables = archive->Take("aiter/configs/", ".csv");
  if (!tables.ok()) return tables.error();
  return Bundle{*std::move(tables)};
}

// What GET /tree/{reader} gives: the files of one reader, as its folder holds them. The agent takes
// the hub's word for none of it: folders and variables are those of its own readers.
//
//   tree.json    {"format": "tunehub-tree", "version": 1, "reader": "vllm", "family": "...", ...}
//   SHA256SUMS   of the files
//   env.sh       sets the variable
//   vllm/...     the files

struct Tree {
  const core::ReaderStore* store = nullptr;  // whose files they are
  std::string value;  // what follows the folder in the variable: "/tunableop_results%d.csv"
  std::map<std::string, std::string> files;  // by the path below the folder
  std::string sha256;                        // of SHA256SUMS, which any compression leaves as it is
};

// `reader` must outlive the tree. Errors: those of SummedArchive, and bad_tree (no tree.json, one
// of another format, reader or family; a file that the reader would not look for or could not
// read).
core::Result<Tree> ParseTree(std::string_view tar_gz, const core::Reader& reader);

// A folder that a reader's variable names, as pulls keep it: a tree's files, and beside them
// .tunehub.json, which says whose they are. Both change at once.

// Where a folder's files are from.
struct TreeOrigin {
  std::string target;  // of the request
  std::string etag;
  std::string sha256;  // Tree::sha256
  std::string family;
  std::string value;                         // as in Tree
  std::map<std::string, std::string> files;  // SHA-256 by path
};

class TreeFolder {
 public:
  // Errors: file_unwritable, bad_tree_folder (its .tunehub.json is not one).
  static core::Result<TreeFolder> Open(const std::filesystem::path& named);

  // Null: no pull has written it.
  const TreeOrigin* origin() const { return origin_ ? &*origin_ : nullptr; }
  // What is no longer, or never was, as a pull wrote it: files changed, gone, or somebody's.
  core::Result<std::vector<std::string>> Foreign() const;

  // The tree in place of what is there; that stands as `before()` until the next time.
  core::Status Replace(const Tree& tree, const std::string& target, const std::string& etag) const;
  // The same files, from another request.
  core::Status Remember(const Tree& tree, const std::string& target, const std::string& etag) const;

  // What pulls that were killed left beside it.
  void Tidy() const;

  const std::filesystem::path& place() const { return place_; }
  std::filesystem::path before() const;

 private:
  explicit TreeFolder(std::filesystem::path place) : place_(std::move(place)) {}

  std::filesystem::path place_;
  std::optional<TreeOrigin> origin_;
};

}  // namespace tunehub::agent
