#include "agent/aiter/aiter_tree.h"

#include <system_error>

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

void ListFolder(const fs::path& folder, const std::string& prefix,
                std::map<std::string, fs::path>& tables) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".csv") && entry.is_regular_file(error)) {
      tables.emplace(prefix + name, entry.path());
    }
  }
}

bool IsModelFile(const core::Family& family, std::string_view name) {
  const std::string prefix = std::string(kModelConfigs) + "/";
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return name.ends_with(".csv") && name.find("untuned") == std::string_view::npos &&
         name.substr(0, name.size() - 4).find(family.token) != std::string_view::npos;
}

}  // namespace

std::map<std::string, fs::path> ListTables(const fs::path& configs) {
  std::map<std::string, fs::path> tables;
  ListFolder(configs, "", tables);
  ListFolder(configs / kModelConfigs, std::string(kModelConfigs) + "/", tables);
  return tables;
}

std::vector<FamilyFiles> GroupByFamily(const core::Families& families,
                                       const std::map<std::string, fs::path>& tables) {
  std::vector<FamilyFiles> groups;
  for (const auto& family : families.all()) {
    FamilyFiles group{family.get(), {}};
    if (const auto file = tables.find(family->file); file != tables.end()) {
      group.files.push_back({file->first, file->second});
    }
    for (const auto& [name, path] : tables) {
      if (IsModelFile(*family, name)) group.files.push_back({name, path});
    }
    if (!group.files.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

core::Result<fs::path> FindConfigsFolder(const core::Families& families, const fs::path& folder) {
  for (const fs::path& place : {folder / "aiter" / "configs", folder / "configs", folder}) {
    if (!GroupByFamily(families, ListTables(place)).empty()) return place;
  }
  return core::Error{
      "no_aiter_configs",
      folder.string() + ": no tuned table of AITER in it, nor in its aiter/configs or configs"};
}

core::Result<AiterTree> ReadAiterTree(const core::Families& families, const fs::path& folder) {
  auto configs = FindConfigsFolder(families, folder);
  if (!configs.ok()) return configs.error();
  std::map<std::string, fs::path> tables = ListTables(*configs);
  AiterTree tree{*std::move(configs), GroupByFamily(families, tables), {}};
  for (const FamilyFiles& group : tree.families) {
    for (const TreeFile& file : group.files) tables.erase(file.name);
  }
  for (auto& [name, path] : tables) {
    if (name.find('/') == std::string::npos || name.find("untuned") != std::string::npos) continue;
    tree.unclaimed.push_back({name, std::move(path)});
  }
  return tree;
}

}  // namespace tunehub::agent
