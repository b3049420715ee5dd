// What the hub gives as a tar.gz, each file confirmed by the archive's SHA256SUMS: a bundle, and a
// reader's tree with the folder that it is pulled into.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/readers/reader.h"

namespace tunehub::agent {

// What GET /bundle gives: tuned tables by their names inside aiter/configs. Errors: bad_archive
// (unreadable, too large, a name that leaves the folder or comes twice), bad_bundle (a file that
// SHA256SUMS does not confirm, one that it alone has, one that is no table).
core::Result<std::map<std::string, std::string>> ParseBundle(std::string_view tar_gz);

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

// `reader` must outlive the tree. Errors: those of ParseBundle, and bad_tree (no tree.json, one
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
