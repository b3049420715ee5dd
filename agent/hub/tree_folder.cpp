#include "agent/hub/tree_folder.h"

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/base/sha256.h"
#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"
#include "core/system/folder_draft.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOriginFile = ".tunehub.json";

core::Result<std::optional<TreeOrigin>> ReadOrigin(const fs::path& file) {
  const auto bytes = core::FileBytes::Read(file);
  if (!bytes.ok() && bytes.error().code == "file_not_found") return std::optional<TreeOrigin>();
  if (!bytes.ok()) return bytes.error();
  try {
    const auto state = core::SureJson(bytes->view());
    return std::optional(TreeOrigin{state.at("target"), state.at("etag"), state.at("sha256"),
                                    state.at("family"), state.at("value"), state.at("files")});
  } catch (const nlohmann::json::exception& error) {
    return core::Error{"bad_tree_folder", file.string() + ": " + error.what()};
  }
}

std::string RenderOrigin(const Tree& tree, const std::string& target, const std::string& etag) {
  nlohmann::ordered_json files = nlohmann::ordered_json::object();
  for (const auto& [name, bytes] : tree.files) files[name] = core::Sha256Hex(bytes);
  const nlohmann::ordered_json state = {
      {"target", target},      {"etag", etag},
      {"sha256", tree.sha256}, {"family", tree.store->family->name},
      {"value", tree.value},   {"files", files}};
  return state.dump(1) + "\n";
}

}  // namespace

core::Result<TreeFolder> TreeFolder::Open(const fs::path& named) {
  auto place = core::FolderPlace(named);
  if (!place.ok()) return place.error();
  TreeFolder folder(*std::move(place));
  auto origin = ReadOrigin(folder.place_ / kOriginFile);
  if (!origin.ok()) return origin.error();
  folder.origin_ = *std::move(origin);
  return folder;
}

core::Result<std::vector<std::string>> TreeFolder::Foreign() const {
  std::map<std::string, std::string> expected;
  if (origin_) expected = origin_->files;
  std::vector<std::string> foreign;
  std::error_code error;
  if (!fs::exists(place_, error)) return foreign;
  for (fs::recursive_directory_iterator it(place_, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().lexically_relative(place_).generic_string();
    if (it->is_directory() && !it->is_symlink()) continue;
    if (name == kOriginFile) continue;
    const auto known = expected.find(name);
    if (known == expected.end()) {
      foreign.push_back(name);
      continue;
    }
    const auto bytes = core::FileBytes::Read(it->path());
    if (!bytes.ok() || core::Sha256Hex(bytes->view()) != known->second) foreign.push_back(name);
    expected.erase(known);
  }
  if (error) return core::Error{"file_unreadable", place_.string() + ": " + error.message()};
  for (const auto& [name, sha256] : expected) foreign.push_back(name);
  return foreign;
}

core::Status TreeFolder::Replace(const Tree& tree, const std::string& target,
                                 const std::string& etag) const {
  auto draft = core::FolderDraft::Begin(place_);
  if (!draft.ok()) return draft.error();
  for (const auto& [name, bytes] : tree.files) {
    if (core::Status status = draft->Write(name, bytes); !status.ok()) return status;
  }
  core::Status status = draft->Write(kOriginFile, RenderOrigin(tree, target, etag));
  if (!status.ok()) return status;
  return draft->PublishKeeping(before());
}

core::Status TreeFolder::Remember(const Tree& tree, const std::string& target,
                                  const std::string& etag) const {
  return core::WriteAtomically(place_ / kOriginFile, RenderOrigin(tree, target, etag));
}

void TreeFolder::Tidy() const {
  core::RemoveAbandonedDrafts(place_);
}

fs::path TreeFolder::before() const {
  return place_.parent_path() / ("." + place_.filename().string() + ".before");
}

}  // namespace tunehub::agent
