#include "agent/hub/tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/hub/summed_archive.h"
#include "core/base/read_json.h"
#include "core/base/sha256.h"
#include "core/system/inner_path.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kTreeFormat = "tunehub-tree";
constexpr int kTreeVersion = 1;

core::Error BadTree(const std::string& reason) {
  return {"bad_tree", "the tree's tree.json " + reason};
}

// "": the reader has none.
bool IsVariable(std::string_view name) {
  return std::ranges::all_of(
      name, [](char c) { return c == '_' || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

}  // namespace

core::Result<Tree> ParseTree(std::string_view tar_gz) {
  auto archive = SummedArchive::Read(tar_gz);
  if (!archive.ok()) return archive.error();
  Tree tree;
  try {
    const auto json = core::SureJson(archive->Text("tree.json"));
    if (json.at("format") != kTreeFormat) return BadTree("is of another format");
    if (json.at("version") != kTreeVersion) {
      return BadTree(fmt::format("has version {}; this program reads version {}",
                                 json.at("version").dump(), kTreeVersion));
    }
    for (auto [text, member] : {std::pair{&tree.reader, "reader"},
                                {&tree.family, "family"},
                                {&tree.variable, "variable"},
                                {&tree.value, "value"}}) {
      *text = json.at(member).get<std::string>();
    }
    tree.packages = json.at("packages").get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception& error) {
    return BadTree(std::string("is missing or malformed: ") + error.what());
  }
  // It is printed as a line for a shell.
  if (!IsVariable(tree.variable)) return BadTree("names the variable '" + tree.variable + "'");
  const bool of_file = tree.value.starts_with('/') && core::IsInnerPath(tree.value.substr(1));
  if (!tree.value.empty() && !of_file) return BadTree("has the value '" + tree.value + "'");
  for (const std::string& name : {tree.reader, tree.family}) {
    if (!core::IsInnerPath(name)) return BadTree("names a reader or a family '" + name + "'");
  }
  for (const std::string& package : tree.packages) {
    if (!core::IsInnerPath(package)) return BadTree("names the folder '" + package + "'");
  }
  auto files = archive->Take(tree.reader + "/");
  if (!files.ok()) return files.error();
  tree.files = *std::move(files);
  tree.sha256 = core::Sha256Hex(archive->Text("SHA256SUMS"));
  return tree;
}

}  // namespace tunehub::agent
