#include "agent/hub/tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/base/archive.h"
#include "core/base/file.h"
#include "core/base/folder_draft.h"
#include "core/base/hash.h"
#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/readers/file_body.h"
#include "core/readers/file_name.h"
#include "core/readers/tunable_file.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBundleBytes = std::size_t{1} << 30;  // unpacked
constexpr std::size_t kMaxBundleFiles = 10'000;  // SGLang's tree has 500, a bundle has fewer
constexpr std::size_t kQuotedNameBytes = 200;    // the part of a file's name in an error
constexpr std::string_view kSums = "SHA256SUMS";
constexpr std::string_view kSumsSignature = "SHA256SUMS.minisig";
// The files of a bundle or a tree that are neither tables nor sums.
constexpr std::array<std::string_view, 3> kBeside = {"env.sh", "tree.json", "tunehub.lock"};

core::Error BadArchive(std::string reason) {
  return {"bad_archive", std::move(reason)};
}

core::Error BadBundle(std::string_view name, std::string_view reason) {
  return {"bad_bundle", fmt::format("{}: {}", core::Excerpt(name, kQuotedNameBytes), reason)};
}

// The output of sha256sum: one line per file with digest, two characters, name.
core::Result<std::map<std::string, std::string>> ParseSums(std::string_view text) {
  constexpr std::size_t kDigest = 64, kName = kDigest + 2;
  std::map<std::string, std::string> sums;
  for (const std::string_view line : core::SplitAfter(text, "\n")) {
    if (line.size() <= kName) return BadBundle(kSums, "a line has no digest or no name");
    const std::string_view name = line.substr(kName);
    if (!sums.emplace(name, line.substr(0, kDigest)).second) {
      return BadBundle(name, "SHA256SUMS lists it twice");
    }
  }
  return sums;
}

class SummedArchive {
 public:
  static core::Result<SummedArchive> Read(std::string_view tar_gz);

  // Returns all files, by their names below `folder` ("aiter/configs/"). Call it once.
  core::Result<std::map<std::string, std::string>> Take(std::string_view folder,
                                                        std::string_view ending = "");

  // "" if there is none.
  std::string Text(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> entries_;
  std::map<std::string, std::string> sums_;
};

core::Result<SummedArchive> SummedArchive::Read(std::string_view tar_gz) {
  auto entries = core::ReadTar(tar_gz, {.bytes = kMaxBundleBytes, .files = kMaxBundleFiles});
  if (!entries.ok()) return BadArchive(entries.error().detail);
  SummedArchive archive;
  for (core::TarFile& entry : *entries) {
    if (!core::IsInnerPath(entry.name)) {
      return BadArchive(
          fmt::format("the entry '{}' would be outside of the folder, or has a special name",
                      core::Excerpt(entry.name)));
    }
    const auto [place, is_new] =
        archive.entries_.emplace(std::move(entry.name), std::move(entry.bytes));
    if (!is_new)
      return BadArchive(fmt::format("two entries have the name '{}'", core::Excerpt(place->first)));
  }
  auto sums = ParseSums(archive.Text(kSums));
  if (!sums.ok()) return sums.error();
  archive.sums_ = *std::move(sums);
  return archive;
}

core::Result<std::map<std::string, std::string>> SummedArchive::Take(std::string_view folder,
                                                                     std::string_view ending) {
  std::map<std::string, std::string> taken;
  for (auto& [name, bytes] : entries_) {
    if (name == kSums || name == kSumsSignature) continue;
    const auto sum = sums_.find(name);
    if (sum == sums_.end()) return BadBundle(name, "the bundle's SHA256SUMS does not list it");
    if (sum->second != core::Sha256Hex(bytes)) {
      return BadBundle(name, "its SHA-256 differs from the bundle's SHA256SUMS");
    }
    sums_.erase(sum);
    if (std::ranges::find(kBeside, name) != kBeside.end()) continue;
    if (!name.starts_with(folder) || !name.ends_with(ending)) {
      return BadBundle(name, fmt::format("expected a name like {}*{}", folder, ending));
    }
    taken.emplace(name.substr(folder.size()), std::move(bytes));
  }
  if (!sums_.empty()) {
    return BadBundle(sums_.begin()->first,
                     "SHA256SUMS lists it, but the bundle does not contain it");
  }
  return taken;
}

std::string SummedArchive::Text(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? "" : found->second;
}

constexpr std::string_view kTreeFormat = "tunehub-tree";
constexpr int kTreeVersion = 1;
constexpr std::size_t kMaxTreeFileBytes = std::size_t{4} << 20;

// The reason quotes the hub, so this removes control characters, which could control the user's
// terminal.
core::Error BadTree(std::string reason) {
  std::ranges::replace_if(reason, core::IsControl, ' ');
  return {"bad_tree", "the tree's " + reason};
}

// Returns the store that tree.json names. Throws if tree.json is malformed.
core::Result<const core::ReaderStore*> StoreOf(const core::Reader& reader,
                                               const std::string& text) {
  const auto said = core::SureJson(text);
  if (said.at("format") != kTreeFormat) return BadTree("tree.json has another format");
  if (said.at("version") != kTreeVersion) {
    return BadTree(fmt::format("tree.json has version {}; this program reads version {}",
                               said.at("version").dump(), kTreeVersion));
  }
  const auto name = said.at("reader").get<std::string>();
  const auto family = said.at("family").get<std::string>();
  const core::ReaderStore* const store = name == reader.name ? reader.StoreOf(family) : nullptr;
  if (store != nullptr) return store;
  return BadTree(
      fmt::format("files are for the family '{}' of the reader '{}'; this command needs "
                  "the reader '{}' and a family of it (check the arguments' order)",
                  core::Excerpt(family), core::Excerpt(name), reader.name));
}

core::Status CheckTunable(std::string_view name, std::string_view bytes) {
  for (const core::TunableIssue& issue : core::ReadTunableFile(bytes).issues) {
    if (issue.code != "pattern") return core::Error{issue.code, issue.detail};  // hubs send these
  }
  for (int gpu = 0; gpu < core::kTunableDevices; ++gpu) {
    if (name == core::TunableFileName(core::kTunableFileName, gpu)) return core::Ok();
  }
  return core::Error{"bad_name",
                     fmt::format("expected the name {} with the number of a GPU below {}",
                                 core::kTunableFileName, core::kTunableDevices)};
}

// Checks that the reader would search for the file and read it. Python might run any other file.
core::Status CheckFile(const core::Reader& reader, const core::ReaderStore& store,
                       std::string_view name, std::string_view bytes) {
  if (bytes.size() > kMaxTreeFileBytes) {
    return core::Error{"too_large", fmt::format("is larger than {} bytes", kMaxTreeFileBytes)};
  }
  if (store.body == core::BodyKind::kTunable) return CheckTunable(name, bytes);
  if (store.variable && !reader.variable_folder.empty()) {
    const std::string folder = reader.variable_folder + "/";
    if (!name.starts_with(folder)) return core::Error{"bad_name", "expected a path in " + folder};
    name.remove_prefix(folder.size());
  }
  if (const auto path = core::ParsePath(reader, store, name); !path.ok()) return path.error();
  const auto body = core::ReadBody(store, bytes);
  return body.ok() ? core::Ok() : core::Status(body.error());
}

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

core::Result<SignedSums> SumsOf(std::string_view tar_gz) {
  const auto archive = SummedArchive::Read(tar_gz);
  if (!archive.ok()) return archive.error();
  return SignedSums{archive->Text(kSums), archive->Text(kSumsSignature)};
}

core::Result<std::map<std::string, std::string>> ParseBundle(std::string_view tar_gz) {
  auto archive = SummedArchive::Read(tar_gz);
  if (!archive.ok()) return archive.error();
  return archive->Take("aiter/configs/", ".csv");
}

core::Result<Tree> ParseTree(std::string_view tar_gz, const core::Reader& reader) {
  auto archive = SummedArchive::Read(tar_gz);
  if (!archive.ok()) return archive.error();
  Tree tree;
  try {
    const auto store = StoreOf(reader, archive->Text("tree.json"));
    if (!store.ok()) return store.error();
    tree.store = *store;
  } catch (const nlohmann::json::exception& error) {
    return BadTree(std::string("tree.json is missing or malformed: ") + error.what());
  }
  if (tree.store->body == core::BodyKind::kTunable) {
    tree.value = fmt::format("/{}", core::kTunableFileName);
  }
  auto files = archive->Take(reader.name + "/");
  if (!files.ok()) return files.error();
  std::string sums;
  for (const auto& [name, bytes] : *files) {
    sums += fmt::format("{}  {}/{}\n", core::Sha256Hex(bytes), reader.name, name);
    const core::Status status = CheckFile(reader, *tree.store, name, bytes);
    if (!status.ok()) {
      return BadTree(fmt::format("file {}: {}: {}", core::Excerpt(name, kQuotedNameBytes),
                                 status.error().code, status.error().detail));
    }
  }
  tree.files = *std::move(files);
  tree.sums = {archive->Text(kSums), archive->Text(kSumsSignature)};
  tree.sha256 = core::Sha256Hex(sums);
  return tree;
}

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
