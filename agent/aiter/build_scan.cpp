#include "agent/aiter/build_scan.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// The time limit for a list. A list that waits for a GPU would never end. Any other list takes a
// fraction of a second.
constexpr std::chrono::seconds kCandidateListLimit{60};

constexpr std::string_view kMark = "tunehub-kernel\t";

// Prints one line per kernel. Replaces the list's imports by stubs, except the standard library.
// The functions of a stub do nothing, except functions that return the architecture.
constexpr const char* kReader = R"(
import importlib.abc, importlib.machinery, importlib.util, os, sys, types
path, gfx = sys.argv[1], sys.argv[2]

class Nothing(types.ModuleType):
    __path__ = []
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("get_gfx", "get_gfx_runtime"):
            return lambda *a, **k: gfx
        return lambda *a, **k: None

class Loader(importlib.abc.Loader):
    def create_module(self, spec):
        return Nothing(spec.name)
    def exec_module(self, module):
        pass

class Finder(importlib.abc.MetaPathFinder):
    names = {"torch", "aiter", "pandas", "chip_info"}
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, Loader(), is_package=True)
        return None

sys.meta_path.insert(0, Finder())
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(path)))

def load():
    spec = importlib.util.spec_from_file_location("candidate_list", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["candidate_list"] = module
    spec.loader.exec_module(module)
    return module

while True:
    try:
        module = load()
        break
    except ModuleNotFoundError as error:
        if not error.name or error.name.split(".")[0] in Finder.names:
            raise
        Finder.names.add(error.name.split(".")[0])

def numbered(value):
    return {k: v.name for k, v in value.items()
            if isinstance(k, int) and k >= 0 and isinstance(getattr(v, "name", None), str)}

lists = {name: numbered(value) for name, value in vars(module).items() if isinstance(value, dict)}
chosen = [name for name in lists if name.startswith("candidate_kernels") and lists[name]]
for name in chosen or lists:
    for number, kernel in lists[name].items():
        print("tunehub-kernel\t%d\t%s" % (number, kernel))
)";

void AddOnce(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& text : more) {
    if (std::ranges::find(all, text) == all.end()) all.push_back(text);
  }
}

// Lists each module once, merged from all families.
std::map<std::string, core::Module> ModulesOf(const core::Families& families) {
  std::map<std::string, core::Module> modules;
  for (const auto& family : families.all()) {
    for (const core::Module& module : family->modules) {
      core::Module& all = modules.try_emplace(module.name, module).first->second;
      AddOnce(all.kernels, module.kernels);
      AddOnce(all.candidates, module.candidates);
      all.by_id = all.by_id || module.by_id;
      if (all.present.empty()) all.present = module.present;
    }
  }
  return modules;
}

class Scanner {
 public:
  Scanner(const Configuration& configuration, const ScanOptions& options)
      : tree_(options.folder), modules_(ModulesOf(configuration.families)), gfxs_(options.gfxs) {
    if (gfxs_.empty()) {
      for (const auto& [gfx, arch] : configuration.targets.archs()) {
        if (arch.default_cu_num > 0) gfxs_.push_back(gfx);
      }
    }
  }

  core::Result<BuildScan> Run(const ScanOptions& options) {
    kernels_ = BuiltKernels(tree_, modules_, unread_);
    const bool built = !kernels_.empty();
    using Kind = core::BuildKind;
    const Kind asked = options.kind.value_or(built ? Kind::kTree : Kind::kBuildable);
    if (asked == Kind::kBuildable) kernels_.clear();
    bool lists = false;
    for (const auto& [name, module] : modules_) {
      // Kernels that AITER calls by number are not visible in a library.
      const bool direct = module.dispatch == core::Dispatch::kDirect;
      if (asked != Kind::kCompiled || direct) lists = ScanCandidates(module) || lists;
      if (!module.present.empty() && !tree_.Find(module.present).empty()) {
        kernels_.push_back({name, "", std::string(core::kAnyKernel), {}, true, ""});
      }
    }
    ScanCodeObjects();
    if (std::error_code error; kernels_.empty() && !fs::is_directory(options.folder, error)) {
      return core::Error{
          "no_folder",
          fmt::format(
              "{}: {}; expected an AITER checkout or installed package", options.folder.string(),
              fs::exists(options.folder, error) ? "is a file, not a folder" : "no such folder")};
    }
    if (kernels_.empty()) {
      return core::Error{"no_kernels",
                         options.folder.string() +
                             ": found no kernel. Searched: candidate lists (csrc/), libraries and "
                             "lookup headers (aiter/jit/), code objects (hsa/)"};
    }
    const Kind kind = !options.kind && built && !lists ? Kind::kCompiled : asked;
    if (kind != Kind::kTree) Flatten();
    auto absent = Absent();
    return BuildScan{
        {kind, tree_.Versions(), std::move(kernels_)}, std::move(absent), std::move(unread_)};
  }

 private:
  // A compiled or buildable manifest has no `built` and no shapes.
  void Flatten() {
    for (core::ManifestKernel& kernel : kernels_) {
      kernel.built = false;
      kernel.shape.clear();
    }
  }

  std::vector<AbsentModule> Absent() const {
    std::vector<AbsentModule> absent;
    for (const auto& [name, module] : modules_) {
      const bool there = std::ranges::any_of(
          kernels_, [&](const core::ManifestKernel& kernel) { return kernel.module == name; });
      if (there) continue;
      const bool listed = !module.candidates.empty();
      absent.push_back({name, !module.present.empty() ? module.present
                              : listed                ? module.candidates.front()
                                                      : std::string(kCodeObjects)});
    }
    return absent;
  }

  void ReadList(const fs::path& file, const core::Module& module,
                std::map<NamedKernel, std::vector<std::string>>& found) {
    for (const std::string& gfx : gfxs_) {
      const auto list = ReadCandidateList(file, gfx);
      if (!list.ok()) {
        unread_.push_back(list.error().detail);
        return;
      }
      for (NamedKernel kernel : *list) {
        if (!IsOf(module, kernel.name)) continue;
        if (!module.by_id) kernel.id.reset();  // the numbers depend on build options
        AddOnce(found[std::move(kernel)], {gfx});
      }
    }
  }

  // Returns true if a list has kernels.
  bool ScanCandidates(const core::Module& module) {
    std::map<NamedKernel, std::vector<std::string>> found;
    for (const std::string& place : module.candidates) {
      const fs::path file = tree_.Find(place);
      if (!file.empty()) ReadList(file, module, found);
    }
    for (const auto& [kernel, gfxs] : found) {
      const bool any = gfxs.size() == gfxs_.size() && gfxs.size() > 1;
      for (const std::string& gfx : any ? std::vector<std::string>{""} : gfxs) {
        kernels_.push_back({module.name, gfx, kernel.name, kernel.id});
      }
    }
    return !found.empty();
  }

  // Adds the kernels in code objects, for modules whose family file gives neither `candidates` nor
  // `present`.
  void ScanCodeObjects() {
    for (const auto& [gfx, file] : tree_.code_objects()) {
      const auto bytes = core::FileBytes::Read(file);
      const auto names = bytes.ok() ? KernelsOfCodeObject(bytes->view()) : bytes.error();
      if (!names.ok()) {
        unread_.push_back(file.string() + ": " + names.error().detail);
        continue;
      }
      for (const auto& [name, module] : modules_) {
        if (!module.candidates.empty() || !module.present.empty()) continue;
        for (const std::string& kernel : *names) {
          if (IsOf(module, kernel)) kernels_.push_back({name, gfx, kernel, {}, true, ""});
        }
      }
    }
  }

  static bool IsOf(const core::Module& module, const std::string& kernel) {
    return std::ranges::any_of(
        module.kernels, [&](const std::string& prefix) { return kernel.starts_with(prefix); });
  }

  const BuildTree tree_;
  const std::map<std::string, core::Module> modules_;
  std::vector<std::string> gfxs_;
  std::vector<core::ManifestKernel> kernels_;
  std::vector<std::string> unread_;
};

}  // namespace

core::Result<std::set<NamedKernel>> ReadCandidateList(const std::filesystem::path& file,
                                                      const std::string& gfx) {
  core::ChildCommand command;
  command.arguments = {"python3", "-I", "-c", kReader, file.string(), gfx};
  std::set<NamedKernel> kernels;
  std::string last;
  const auto read = [&](std::string_view line) {
    if (!line.starts_with(kMark)) {
      if (!line.empty()) last = line;
      return;
    }
    line.remove_prefix(kMark.size());
    const std::size_t tab = line.find('\t');
    kernels.insert({core::ParseInt(line.substr(0, tab)),
                    std::string(line.substr(std::min(tab + 1, line.size())))});
  };
  const auto end =
      core::RunChild(command, {.whole = kCandidateListLimit}, read, [] { return false; });
  if (!end.ok()) return end.error();
  if (end->succeeded()) return kernels;
  return core::Error{
      "candidates_unreadable",
      fmt::format("{}: python3, which reads this file, ended with {}{}", file.string(), end->Text(),
                  last.empty() ? "" : ": " + std::string(core::Excerpt(last, 200)))};
}

core::Result<BuildScan> ScanBuild(const Configuration& configuration, const ScanOptions& options) {
  return Scanner(configuration, options).Run(options);
}

}  // namespace tunehub::agent
