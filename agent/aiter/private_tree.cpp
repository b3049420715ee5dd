#include "agent/aiter/private_tree.h"

#include <fmt/core.h>

#include <system_error>

#include "agent/aiter/ask_python.h"
#include "core/base/environment.h"
#include "core/system/atomic_file.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// Finds the package without importing it, which would build things.
constexpr char kFindPackage[] =
    "import importlib.util as u; s = u.find_spec('aiter'); "
    "print(s.submodule_search_locations[0] if s and s.submodule_search_locations else '')";
// Beside the tree.
constexpr char kByteCode[] = "pycache";

bool HasPackage(const fs::path& root) {
  std::error_code error;
  return fs::is_directory(root / "aiter" / "configs", error);
}

// gradlib alone tunes bf16, with the package aiter that Python finds.
bool IsAiter(const fs::path& root) {
  std::error_code error;
  return HasPackage(root) || fs::is_directory(root / "gradlib" / "gradlib", error);
}

// In site-packages only what is AITER's; in a checkout everything but its history.
bool BelongsToAiter(const fs::path& root, const std::string& name) {
  std::error_code error;
  if (fs::is_directory(root / "csrc", error)) return name != ".git";
  return name.starts_with("aiter") || name == "op_tests" || name == "gradlib";
}

// Links in `to` for every entry of `from` that `wanted` names.
template <typename Wanted>
core::Status LinkEntries(const fs::path& from, const fs::path& to, const Wanted& wanted) {
  std::error_code error;
  fs::create_directories(to, error);
  if (error) return core::Unwritable(to, error);
  for (auto entry = fs::directory_iterator(from, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!wanted(name)) continue;
    std::error_code failed;
    fs::create_symlink(fs::absolute(entry->path()), to / name, failed);
    if (failed) return core::Unwritable(to / name, failed);
  }
  if (error) return core::Error{"file_unreadable", from.string() + ": " + error.message()};
  return core::Ok();
}

}  // namespace

core::Result<fs::path> FindAiter(const fs::path& given, const std::string& python) {
  if (!given.empty()) {
    if (IsAiter(given)) return fs::absolute(given);
    return core::Error{
        "no_aiter",
        fmt::format("there is no AITER in {}: it has neither aiter/configs nor gradlib/gradlib",
                    given.string())};
  }
  for (const char* variable : {"AITER_ROOT_DIR", "AITER_PATH"}) {  // AITER's own, its skill's
    const fs::path named = core::Environment(variable);
    if (!named.empty() && IsAiter(named)) return fs::absolute(named);
  }
  const fs::path imported = fs::path(AskPython(python, kFindPackage)).parent_path();
  if (!imported.empty() && IsAiter(imported)) return fs::absolute(imported);
  return core::Error{
      "no_aiter", fmt::format("AITER is not installed here: {} finds no package aiter, and "
                              "neither --aiter nor AITER_ROOT_DIR nor AITER_PATH names a checkout",
                              python)};
}

core::Result<PrivateTree> PrivateTree::Make(const fs::path& aiter, const fs::path& work,
                                            const fs::path& jit) {
  PrivateTree made;
  made.work_ = work;  // from here on a failure removes what there is
  made.aiter_ = aiter;
  made.jit_ = jit;
  const fs::path tree = made.path();
  core::Status status = LinkEntries(aiter, tree, [&](const std::string& name) {
    return name != "aiter" && BelongsToAiter(aiter, name);
  });
  if (!status.ok()) return status.error();
  if (!HasPackage(aiter)) return made;
  status = LinkEntries(aiter / "aiter", tree / "aiter",
                       [](const std::string& name) { return name != "configs"; });
  if (!status.ok()) return status.error();
  std::error_code error;
  fs::copy(aiter / "aiter" / "configs", tree / "aiter" / "configs", fs::copy_options::recursive,
           error);
  if (error) return core::Unwritable(tree / "aiter" / "configs", error);
  return made;
}

PrivateTree::~PrivateTree() {
  if (work_.empty()) return;
  std::error_code error;  // what cannot be removed lies in the way of nothing
  for (const fs::path& folder : {path(), work_ / kByteCode}) {
    fs::remove_all(folder, error);
  }
}

std::map<std::string, std::string> PrivateTree::Environment() const {
  const std::string inherited = core::Environment("PYTHONPATH");
  std::map<std::string, std::string> environment = {
      {"PYTHONPATH", path().string() + (inherited.empty() ? "" : ":" + inherited)},
      {"PYTHONPYCACHEPREFIX", (work_ / kByteCode).string()},
      {"PYTHONUNBUFFERED", "1"},  // progress as it happens, through a pipe
      {"AITER_JIT_DIR", jit_.string()}};
  if (HasPackage(path())) environment["AITER_ROOT_DIR"] = path().string();
  return environment;
}

fs::path FindScript(const fs::path& tree, const std::string& script) {
  std::error_code error;
  for (const fs::path& place : {tree / script, tree / "aiter_meta" / script}) {
    if (fs::is_regular_file(place, error)) return place;
  }
  return {};
}

}  // namespace tunehub::agent
