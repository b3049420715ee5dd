// A folder that a reader's variable names, as pulls keep it: a tree's files, and beside them
// .tunehub.json, which says whose they are. Both change at once.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/hub/tree.h"
#include "core/base/result.h"

namespace tunehub::agent {

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
