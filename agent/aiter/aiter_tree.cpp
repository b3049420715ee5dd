#include "agent/aiter/aiter_tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <system_error>

#include "core/table/detect.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamedTables = 5;  // the most tables in an error

using Tables = std::map<std::string, fs::path>;

bool IsTable(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.path().extension() == ".csv" && entry.is_regular_file(error);
}

bool IsUntuned(const fs::path& file) {
  return file.filename().string().find("untuned") != std::string::npos;
}

void ListFolder(const fs::path& folder, const std::string& prefix, Tables& tables) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (IsTable(entry)) tables.emplace(prefix + entry.path().filename().string(), entry.path());
  }
}

// Returns the path inside AITER's tree, for any name of this folder.
std::string InConfigs(const std::string& name) {
  return "configs/" + name;
}

std::string InModelConfigs(const std::string& name) {
  return std::string(kModelConfigs) + "/" + name;
}

bool IsConfigsFolder(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / kModelConfigs, error) || folder.filename() == "configs" ||
         fs::weakly_canonical(folder, error).filename() == "configs";
}

std::vector<fs::path> PlacesIn(const fs::path& folder) {
  return {folder / "aiter" / "configs", folder / "configs", folder};
}

// Returns tables by their names in a configs folder. Leaves out the tables of other engines.
Tables TablesIn(const core::Families& families, const fs::path& folder) {
  if (IsConfigsFolder(folder)) return ListTables(folder);
  Tables listed, tables;
  ListFolder(folder, "", listed);
  for (auto& [name, path] : listed) {
    const core::Family* const family = core::FamilyOfFileName(families, name);
    if (family == nullptr || family->engine != core::kNoColumn) continue;
    tables.emplace(name == family->file ? name : InModelConfigs(name), std::move(path));
  }
  return tables;
}

core::Error NoTables(const fs::path& folder) {
  std::string names;
  std::size_t count = 0;
  for (const fs::path& place : PlacesIn(folder)) {
    for (const auto& [name, path] : ListTables(place)) {
      if (IsUntuned(path) || ++count > kNamedTables) continue;
      names += (names.empty() ? "" : ", ") + path.lexically_normal().string();
    }
  }
  if (count > kNamedTables) names += fmt::format(" and {} more", count - kNamedTables);
  return {"no_aiter_configs",
          fmt::format("{}: no tuned table of AITER is in this folder, in its aiter/configs or in "
                      "its configs{}{}",
                      folder.string(), names.empty() ? "" : "\nAITER does not read ", names)};
}

core::Error NoFolder(const fs::path& path) {
  std::error_code error;
  return {"no_folder",
          fmt::format("{}: {}; expected an AITER checkout or its aiter/configs", path.string(),
                      fs::exists(path, error) ? "is a file, not a folder" : "no such folder")};
}

AiterTree TreeOf(const core::Families& families, const fs::path& configs, const Tables& tables) {
  AiterTree tree{configs, GroupByFamily(families, tables), {}};
  std::set<fs::path> read;
  for (const FamilyFiles& group : tree.families) {
    for (const TreeFile& file : group.files) read.insert(file.path);
  }
  Tables unread;
  for (const auto& [name, path] : tables) {
    if (!IsUntuned(path) && !read.contains(path)) unread.emplace(name, path);
  }
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  fs::recursive_directory_iterator it(configs, options, error);
  for (const fs::recursive_directory_iterator end; it != end; it.increment(error)) {
    const fs::path& path = it->path();
    // An install keeps its backup in a hidden folder.
    if (path.filename().string().starts_with('.')) it.disable_recursion_pending();
    if (!IsTable(*it) || IsUntuned(path) || read.contains(path)) continue;
    unread.emplace(path.lexically_relative(configs).string(), path);
  }
  for (auto& [name, path] : unread) tree.unread.push_back({name, std::move(path)});
  return tree;
}

constexpr std::string_view kRocmVersion = "/opt/rocm/.info/version";

template <typename Visit>
void Walk(const fs::path& folder, Visit visit) {
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    // Hidden folders contain backups and unfinished builds.
    if (it->path().filename().string().starts_with('.')) it.disable_recursion_pending();
    if (it->is_regular_file(ignored)) visit(it->path());
  }
}

std::string FirstLine(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

// Reads "__version__ = version = '0.1.14'", as setuptools writes it.
std::string PackageVersion(const fs::path& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("__version__") && !line.starts_with("version")) continue;
    const std::size_t begin = line.find_first_of("'\"");
    if (begin == std::string::npos) continue;
    const std::size_t end = line.find(line[begin], begin + 1);
    if (end != std::string::npos) return line.substr(begin + 1, end - begin - 1);
  }
  return "";
}

// Returns the commit of a checkout, from a loose or packed reference; "": unknown.
std::string Commit(const fs::path& git) {
  std::string head = FirstLine(git / "HEAD");
  constexpr std::string_view kReference = "ref: ";
  if (!head.starts_with(kReference)) return head;
  const std::string reference = head.substr(kReference.size());
  if (std::string commit = FirstLine(git / reference); !commit.empty()) return commit;
  std::ifstream packed(git / "packed-refs");
  for (std::string line; std::getline(packed, line);) {
    if (line.ends_with(" " + reference)) return line.substr(0, line.find(' '));
  }
  return "";
}

}  // namespace

Tables ListTables(const fs::path& configs) {
  Tables tables;
  ListFolder(configs, "", tables);
  ListFolder(configs / kModelConfigs, InModelConfigs(""), tables);
  return tables;
}

std::vector<FamilyFiles> GroupByFamily(const core::Families& families, const Tables& tables) {
  std::vector<FamilyFiles> groups;
  for (const auto& family : families.all()) {
    FamilyFiles group{family.get(), {}};
    for (const auto& [name, path] : tables) {
      if (core::FamilyOfFileName(families, InConfigs(name)) != family.get()) continue;
      const bool is_default = name == family->file;
      group.files.insert(is_default ? group.files.begin() : group.files.end(), {name, path});
    }
    if (!group.files.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

core::Result<fs::path> FindConfigsFolder(const core::Families& families, const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return NoFolder(folder);
  for (const fs::path& place : PlacesIn(folder)) {
    if (!GroupByFamily(families, ListTables(place)).empty()) return place;
  }
  return NoTables(folder);
}

core::Result<AiterTree> ReadAiterTree(const core::Families& families, const fs::path& folder) {
  const auto configs = FindConfigsFolder(families, folder);
  if (!configs.ok()) return configs.error();
  return TreeOf(families, *configs, ListTables(*configs));
}

core::Result<AiterTree> ReadTableFolder(const core::Families& families, const fs::path& folder) {
  const auto found = FindConfigsFolder(families, folder);
  const fs::path& place = found.ok() ? *found : folder;
  AiterTree tree = TreeOf(families, place, TablesIn(families, place));
  if (tree.families.empty()) return found.error();
  return tree;
}

std::string WhyUnread(const core::Families& families, const TreeFile& file) {
  const std::string place = InConfigs(file.name);
  if (std::string why = core::WhyForeign(families, place); !why.empty()) return why;
  if (core::FamilyOfFileName(families, place) == nullptr)
    return "its name is not the name of a tuned table";
  return fmt::format("AITER reads configs/ and {}/, but not their subfolders", kModelConfigs);
}

BuildTree::BuildTree(const fs::path& folder) {
  fs::path base = fs::absolute(folder).lexically_normal();
  if (!base.has_filename()) base = base.parent_path();
  if (base.filename() == "configs") base = base.parent_path();
  std::error_code ignored;
  if (base.filename() == "aiter" && !fs::is_directory(base / "aiter", ignored)) {
    base = base.parent_path();
  }
  roots_ = {base, base / "aiter_meta"};
  for (const fs::path& root : roots_) {
    Walk(root / "aiter" / "jit", [&](const fs::path& file) {
      const std::string name = file.filename().string();
      if (name.starts_with("module_") && name.ends_with(".so")) libraries_.push_back(file);
      if (name.ends_with("_lookup.h")) headers_.push_back(file);
    });
    std::error_code error;
    for (const auto& gfx : fs::directory_iterator(root / "hsa", error)) {
      Walk(gfx.path(), [&](const fs::path& file) {
        if (file.extension() == ".co") code_objects_.emplace(gfx.path().filename().string(), file);
      });
    }
  }
  std::ranges::sort(libraries_);
  std::ranges::sort(headers_);
}

fs::path BuildTree::Find(const std::string& place) const {
  std::error_code error;
  for (const fs::path& root : roots_) {
    if (fs::exists(root / place, error)) return root / place;
  }
  return {};
}

std::map<std::string, std::string> BuildTree::Versions() const {
  std::map<std::string, std::string> versions;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) versions[name] = value;
  };
  add("aiter", PackageVersion(Find("aiter/_version.py")));
  if (const fs::path git = Find(".git"); !git.empty()) add("aiter-commit", Commit(git));
  add("rocm", FirstLine(fs::path(kRocmVersion)));
  return versions;
}

}  // namespace tunehub::agent
