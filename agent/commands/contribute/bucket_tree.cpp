#include "agent/commands/contribute/bucket_tree.h"

#include <algorithm>

#include "agent/commands/contribute/store_folders.h"
#include "core/readers/lookup.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent {

namespace fs = std::filesystem;

core::Result<BucketTree> BucketTree::Open(const core::Reader& reader,
                                          const core::ReaderStore& store, const fs::path& tree) {
  const auto folders = StoreFolders(reader, store, tree);
  if (!folders.ok()) return folders.error();
  std::error_code error;
  BucketTree opened(reader, store);
  opened.tree_ = fs::canonical(tree, error);
  opened.folder_ = folders->front();
  return opened;
}

bool BucketTree::Has(const std::string& path) const {
  std::error_code error;
  return fs::is_regular_file(folder_ / path, error);
}

core::Result<std::string> BucketTree::Bytes(const std::string& path) const {
  const auto bytes = core::FileBytes::Read(folder_ / path);
  if (!bytes.ok()) return bytes.error();
  return std::string(bytes->view());
}

core::Result<buckets::BucketFile> BucketTree::Read(const std::string& path) const {
  const auto bytes = Bytes(path);
  if (!bytes.ok()) return bytes.error();
  return buckets::BucketFile::Parse((folder_ / path).string(), *bytes);
}

std::string BucketTree::Chosen(const core::KeyCells& key) const {
  return core::ChosenFile(store_, key, [&](const std::string& path) { return Has(path); }).path;
}

core::Result<std::string> BucketTree::OwnPath(core::KeyCells key) const {
  const std::string chosen = Chosen(key);
  if (!chosen.empty()) {
    const auto parsed = core::ParsePath(reader_, store_, chosen);
    if (parsed.ok()) key[store_.layout] = parsed->cells[store_.layout];
  }
  return core::PathOf(store_, key);
}

std::string BucketTree::OwnFile(core::KeyCells key) const {
  const std::string asked = key[store_.layout];
  for (const auto& search : store_.searches) {
    if (std::ranges::find(search, asked) == search.end()) continue;
    for (const std::string& layout : search) {
      key[store_.layout] = layout;
      const auto path = core::PathOf(store_, key);
      if (path.ok() && Has(*path)) return *path;
    }
  }
  return "";
}

std::vector<buckets::Sizes> BucketTree::SpecialsBeside(const std::string& path,
                                                       const buckets::BucketName& name) const {
  std::vector<buckets::Sizes> sizes;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator((folder_ / path).parent_path(), error)) {
    auto other = buckets::ParseBucketName(entry.path().filename().string());
    const bool special = other.ok() && other->arch == name.arch && other->config == name.config &&
                         !other->sizes.empty();
    if (special) sizes.push_back(std::move(other->sizes));
  }
  return sizes;
}

std::string BucketTree::Below(const std::string& path) const {
  return (folder_ / path).lexically_relative(tree_).generic_string();
}

core::Result<buckets::BucketName> BucketNameOf(const std::string& path, const std::string& op) {
  auto name = buckets::ParseBucketName(fs::path(path).filename().string());
  if (name.ok() && name->config.empty()) name->config = op;
  return name;
}

}  // namespace tunehub::agent
