// Reads the hub's archives (tar.gz with SHA256SUMS): a bundle, and a reader's tree. Writes a tree's
// files into a folder.
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

// From GET /bundle: tuned tables by their names inside aiter/configs. Errors: bad_archive
// (unreadable, too large, or a name that leaves the folder or occurs twice), bad_bundle (SHA256SUMS
// and the files differ, or a file is not a table).
core::Result<std::map<std::string, std::string>> ParseBundle(std::string_view tar_gz);

struct SignedSums {
  std::string text, signature;  // SHA256SUMS and SHA256SUMS.minisig; "": none
};

// Reads the sums of a bundle without checking them. Errors: as ParseBundle.
core::Result<SignedSums> SumsOf(std::string_view tar_gz);

// From GET /tree/{reader}: the files of one reader, in the layout of its folder. The agent uses the
// folders and variables of its own configs/readers, since it does not trust those in the archive.
//
//   tree.json    {"format": "tunehub-tree", "version": 1, "reader": "vllm", "family": "...", ...}
//   SHA256SUMS   of all other files, and SHA256SUMS.minisig
//   env.sh       sets the variable
//   vllm/...     the files
struct Tree {
  const core::ReaderStore* store = nullptr;  // the store of the files
  // the text after the folder in the variable's value: "/tunableop_results%d.csv"
  std::string value;
  std::map<std::string, std::string> files;  // by path below the folder
  SignedSums sums;
  // The digest of the files' lines in SHA256SUMS. It is the same for any compression and any
  // env.sh.
  std::string sha256;
};

// `reader` must outlive the tree. Errors: those of ParseBundle; bad_tree (tree.json is missing, or
// has another format, reader or family; or the reader would never read one of the files).
core::Result<Tree> ParseTree(std::string_view tar_gz, const core::Reader& reader);

// The folder that a reader's variable names. It contains a tree's files and .tunehub.json, which
// records their origin. Both change together, atomically.
struct TreeOrigin {
  std::string target;  // the path and query of the request
  std::string etag;
  std::string sha256;  // Tree::sha256
  std::string family;
  std::string value;                         // the same as in Tree
  std::map<std::string, std::string> files;  // SHA-256 by path
};

class TreeFolder {
 public:
  // Errors: file_unwritable, bad_tree_folder (a damaged .tunehub.json).
  static core::Result<TreeFolder> Open(const std::filesystem::path& named);

  // Returns null if no pull has written the folder.
  const TreeOrigin* origin() const { return origin_ ? &*origin_ : nullptr; }
  // Returns files that no pull wrote, and files that somebody changed or removed since the last
  // pull.
  core::Result<std::vector<std::string>> Foreign() const;

  // Replaces the folder's files; the old files stay at `before()` until the next Replace.
  core::Status Replace(const Tree& tree, const std::string& target, const std::string& etag) const;
  // Replaces only the origin, after another request gave the same files.
  core::Status Remember(const Tree& tree, const std::string& target, const std::string& etag) const;

  // Removes drafts that killed pulls left beside the folder.
  void Tidy() const;

  const std::filesystem::path& place() const { return place_; }
  std::filesystem::path before() const;

 private:
  explicit TreeFolder(std::filesystem::path place) : place_(std::move(place)) {}

  std::filesystem::path place_;
  std::optional<TreeOrigin> origin_;
};

}  // namespace tunehub::agent
