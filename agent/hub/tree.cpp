#include "agent/hub/tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/hub/summed_archive.h"
#include "core/base/ascii.h"
#include "core/base/excerpt.h"
#include "core/base/read_json.h"
#include "core/base/sha256.h"
#include "core/readers/file_body.h"
#include "core/readers/file_name.h"
#include "core/readers/tunable_file.h"
#include "core/readers/tunable_path.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kTreeFormat = "tunehub-tree";
constexpr int kTreeVersion = 1;
constexpr std::size_t kMaxTreeFileBytes = std::size_t{4} << 20;  // as an import takes them

// The reason quotes the hub, and a terminal would obey control characters.
core::Error BadTree(std::string reason) {
  std::ranges::replace_if(reason, core::IsControl, ' ');
  return {"bad_tree", "the tree's " + reason};
}

// The store whose files tree.json says these are. Throws where it is no such JSON.
core::Result<const core::ReaderStore*> StoreOf(const core::Reader& reader,
                                               const std::string& text) {
  const auto said = core::SureJson(text);
  if (said.at("format") != kTreeFormat) return BadTree("tree.json is of another format");
  if (said.at("version") != kTreeVersion) {
    return BadTree(fmt::format("tree.json has version {}; this program reads version {}",
                               said.at("version").dump(), kTreeVersion));
  }
  const auto name = said.at("reader").get<std::string>();
  const auto family = said.at("family").get<std::string>();
  const core::ReaderStore* const store = name == reader.name ? reader.StoreOf(family) : nullptr;
  if (store != nullptr) return store;
  return BadTree(fmt::format("files are {} of the reader '{}', which are none of '{}'",
                             core::Excerpt(family), core::Excerpt(name), reader.name));
}

core::Status CheckTunable(std::string_view name, std::string_view bytes) {
  for (const core::TunableIssue& issue : core::ReadTunableFile(bytes).issues) {
    if (issue.code != "pattern") return core::Error{issue.code, issue.detail};  // the hub has them
  }
  for (int gpu = 0; gpu < core::kTunableDevices; ++gpu) {
    if (name == core::TunableFileName(core::kTunableFileName, gpu)) return core::Ok();
  }
  return core::Error{"bad_name", fmt::format("is not {} of one of {} GPUs", core::kTunableFileName,
                                             core::kTunableDevices)};
}

// Ok if the reader would look for the file and read it. Python may run any other file.
core::Status CheckFile(const core::Reader& reader, const core::ReaderStore& store,
                       std::string_view name, std::string_view bytes) {
  if (bytes.size() > kMaxTreeFileBytes) {
    return core::Error{"too_large", fmt::format("has more than {} bytes", kMaxTreeFileBytes)};
  }
  if (store.body == core::BodyKind::kTunable) return CheckTunable(name, bytes);
  if (store.variable && !reader.variable_folder.empty()) {
    const std::string folder = reader.variable_folder + "/";
    if (!name.starts_with(folder)) return core::Error{"bad_name", "lies outside of " + folder};
    name.remove_prefix(folder.size());
  }
  if (const auto path = core::ParsePath(reader, store, name); !path.ok()) return path.error();
  const auto body = core::ReadBody(store, bytes);
  return body.ok() ? core::Ok() : core::Status(body.error());
}

}  // namespace

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
  for (const auto& [name, bytes] : *files) {
    const core::Status status = CheckFile(reader, *tree.store, name, bytes);
    if (!status.ok()) {
      return BadTree(fmt::format("file {}: {}: {}", core::Excerpt(name, kQuotedNameBytes),
                                 status.error().code, status.error().detail));
    }
  }
  tree.files = *std::move(files);
  tree.sha256 = core::Sha256Hex(archive->Text("SHA256SUMS"));
  return tree;
}

}  // namespace tunehub::agent
