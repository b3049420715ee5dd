#include "agent/aiter/private_tree.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/read_json.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// A cold start may search many packages on a network disk.
constexpr std::chrono::seconds kLimit{60};

// Finds the package without importing it, since an import would build modules.
constexpr char kFindPackage[] =
    "import importlib.util as u; s = u.find_spec('aiter'); "
    "print(s.submodule_search_locations[0] if s and s.submodule_search_locations else '')";
// The folder beside the tree for Python's byte code.
constexpr char kByteCode[] = "pycache";

bool HasPackage(const fs::path& root) {
  std::error_code error;
  return fs::is_directory(root / "aiter" / "configs", error);
}

// A folder with only gradlib is also enough: it can tune bf16 if Python finds the package aiter.
bool IsAiter(const fs::path& root) {
  std::error_code error;
  return HasPackage(root) || fs::is_directory(root / "gradlib" / "gradlib", error);
}

// True for AITER's entries in site-packages, and for everything except .git in a checkout.
bool BelongsToAiter(const fs::path& root, const std::string& name) {
  std::error_code error;
  if (fs::is_directory(root / "csrc", error)) return name != ".git";
  return name.starts_with("aiter") || name == "op_tests" || name == "gradlib";
}

// Makes links in `to` to the entries of `from` that `wanted` accepts.
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

// Prints one line of JSON. Does not import torch, because the import takes seconds and may open the
// GPU. Runs torch/version.py instead. (ROCm's wheels of Triton have had several names.)
constexpr char kProgram[] = R"py(
import importlib.metadata as metadata, importlib.util as util, json, os, runpy

def version(*packages):
    for package in packages:
        found = [d.version for d in metadata.distributions(name=package)]
        if found and found[0]:
            return found[0]
    return ""

def rocm():
    spec = util.find_spec("torch")
    if spec is None or not spec.origin:
        return ""
    path = os.path.join(os.path.dirname(spec.origin), "version.py")
    try:
        return runpy.run_path(path).get("hip") or ""
    except Exception:
        return ""

says = {"triton": version("triton", "pytorch-triton-rocm", "triton-rocm", "pytorch-triton"),
        "pytorch": version("torch"), "rocm": rocm(), "aiter": version("amd-aiter", "aiter")}
print(json.dumps(says))
)py";

}  // namespace

std::string AskPython(const std::string& python, const std::string& program) {
  std::string answer;
  core::ChildCommand command;
  command.arguments = {python, "-c", program};
  core::ChildLimits limits;
  limits.whole = kLimit;
  const auto ended = core::RunChild(
      command, limits, [&](std::string_view line) { answer = line; }, [] { return false; });
  return ended.ok() && ended->succeeded() ? answer : std::string();
}

core::Result<fs::path> FindAiter(const fs::path& given, const std::string& python) {
  if (!given.empty()) {
    if (IsAiter(given)) return fs::absolute(given);
    return core::Error{
        "no_aiter",
        fmt::format("{} is not a folder of AITER (expected aiter/configs or gradlib/gradlib in it)",
                    given.string())};
  }
  for (const char* variable : {"AITER_ROOT_DIR", "AITER_PATH"}) {  // AITER reads the first
    const fs::path named = core::Environment(variable);
    if (!named.empty() && IsAiter(named)) return fs::absolute(named);
  }
  const fs::path imported = fs::path(AskPython(python, kFindPackage)).parent_path();
  if (!imported.empty() && IsAiter(imported)) return fs::absolute(imported);
  return core::Error{"no_aiter",
                     fmt::format("AITER is not installed here: {} finds no package aiter. Name a "
                                 "checkout with --aiter, AITER_ROOT_DIR or AITER_PATH",
                                 python)};
}

core::Result<PrivateTree> PrivateTree::Make(const fs::path& aiter, const fs::path& work,
                                            const fs::path& jit) {
  PrivateTree made;
  made.work_ = work;  // from now on, the destructor removes a partial tree
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
  std::error_code error;  // remaining files do no harm
  for (const fs::path& folder : {path(), work_ / kByteCode}) {
    fs::remove_all(folder, error);
  }
}

std::map<std::string, std::string> PrivateTree::Environment() const {
  const std::string inherited = core::Environment("PYTHONPATH");
  std::map<std::string, std::string> environment = {
      {"PYTHONPATH", path().string() + (inherited.empty() ? "" : ":" + inherited)},
      {"PYTHONPYCACHEPREFIX", (work_ / kByteCode).string()},
      {"PYTHONUNBUFFERED", "1"},  // prints progress at once through a pipe
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

std::vector<std::string> PythonToolchain(const std::string& python) {
  std::vector<std::string> versions;
  const auto says = core::ReadJson(AskPython(python, kProgram));
  if (!says.is_object()) return versions;
  for (const auto& [name, version] : says.items()) {
    if (version.is_string() && !version.get_ref<const std::string&>().empty())
      versions.push_back(name + "=" + version.get<std::string>());
  }
  return versions;
}

}  // namespace tunehub::agent
