#include "agent/build_scan.h"

#include <algorithm>
#include <map>

#include "agent/build_tree.h"
#include "agent/candidate_list.h"
#include "agent/code_object.h"
#include "agent/file_bytes.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

void AddOnce(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& text : more) {
    if (std::ranges::find(all, text) == all.end()) all.push_back(text);
  }
}

// Each module once, with what all families say of it.
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
    ScanCompiled();
    const bool compiled =
        options.kind ? *options.kind == core::BuildKind::kCompiled : !kernels_.empty();
    if (!compiled) kernels_.clear();
    for (const auto& [name, module] : modules_) {
      if (!compiled) ScanCandidates(module);
      if (!module.present.empty() && !tree_.Find(module.present).empty()) {
        kernels_.push_back({name, "", std::string(core::kAnyKernel), {}});
      }
    }
    ScanCodeObjects();
    if (kernels_.empty()) {
      return core::Error{"no_kernels",
                         options.folder.string() +
                             ": no kernel found, neither in candidate lists (csrc/), libraries and "
                             "lookup headers (aiter/jit/) nor code objects (hsa/)"};
    }
    const auto kind = compiled ? core::BuildKind::kCompiled : core::BuildKind::kBuildable;
    return BuildScan{{kind, tree_.Versions(), std::move(kernels_)}, std::move(unread_)};
  }

 private:
  // A library of a known module's name holds that one's kernels; another one those that no such
  // library is for.
  void ScanCompiled() {
    for (const fs::path& file : tree_.libraries()) {
      const auto bytes = FileBytes::Read(file);
      if (!bytes.ok()) {
        unread_.push_back(bytes.error().detail);
        continue;
      }
      std::set<std::string> gfxs = TargetsOfLibrary(bytes->view());
      if (gfxs.empty()) gfxs.insert("");
      constexpr std::size_t kPrefix = 7;  // "module_"
      const core::Module* own = Known(file.stem().string().substr(kPrefix));
      for (const auto& [name, module] : modules_) {
        if (own != nullptr ? own != &module : HasLibrary(module)) continue;
        if (!module.present.empty() || module.candidates.empty()) continue;
        for (const std::string& kernel : KernelsOfLibrary(bytes->view(), module.kernels)) {
          for (const std::string& gfx : gfxs) kernels_.push_back({name, gfx, kernel, {}});
        }
      }
    }
    for (const fs::path& file : tree_.headers()) ScanHeader(file);
  }

  // The library, where there is one, has more: it also tells the architectures.
  void ScanHeader(const fs::path& file) {
    constexpr std::string_view kSuffix = "_lookup.h";
    const std::string name = file.filename().string();
    const core::Module* module = Known(name.substr(0, name.size() - kSuffix.size()));
    if (module == nullptr || HasLibrary(*module)) return;
    const auto bytes = FileBytes::Read(file);
    if (!bytes.ok()) {
      unread_.push_back(bytes.error().detail);
      return;
    }
    for (const NamedKernel& kernel : KernelsOfHeader(bytes->view(), module->kernels)) {
      kernels_.push_back(
          {module->name, "", kernel.name, module->by_id ? kernel.id : std::optional<int>()});
    }
  }

  void ScanCandidates(const core::Module& module) {
    std::map<NamedKernel, std::vector<std::string>> found;  // with the architectures that have it
    for (const std::string& place : module.candidates) {
      const fs::path file = tree_.Find(place);
      if (file.empty()) continue;
      for (const std::string& gfx : gfxs_) {
        const auto list = ReadCandidateList(file, gfx);
        if (!list.ok()) {
          unread_.push_back(list.error().detail);
          break;
        }
        for (NamedKernel kernel : *list) {
          if (!IsOf(module, kernel.name)) continue;
          if (!module.by_id) kernel.id.reset();  // renumbered from one option to the next
          AddOnce(found[std::move(kernel)], {gfx});
        }
      }
    }
    for (const auto& [kernel, gfxs] : found) {
      const bool any = gfxs.size() == gfxs_.size() && gfxs.size() > 1;
      for (const std::string& gfx : any ? std::vector<std::string>{""} : gfxs) {
        kernels_.push_back({module.name, gfx, kernel.name, kernel.id});
      }
    }
  }

  // Of modules that are neither compiled from a list nor there as a whole.
  void ScanCodeObjects() {
    for (const auto& [gfx, file] : tree_.code_objects()) {
      const auto bytes = FileBytes::Read(file);
      const auto names = bytes.ok() ? KernelsOfCodeObject(bytes->view()) : bytes.error();
      if (!names.ok()) {
        unread_.push_back(file.string() + ": " + names.error().detail);
        continue;
      }
      for (const auto& [name, module] : modules_) {
        if (!module.candidates.empty() || !module.present.empty()) continue;
        for (const std::string& kernel : *names) {
          if (IsOf(module, kernel)) kernels_.push_back({name, gfx, kernel, {}});
        }
      }
    }
  }

  static bool IsOf(const core::Module& module, const std::string& kernel) {
    return std::ranges::any_of(
        module.kernels, [&](const std::string& prefix) { return kernel.starts_with(prefix); });
  }
  const core::Module* Known(const std::string& name) const {
    const auto found = modules_.find(name);
    return found == modules_.end() ? nullptr : &found->second;
  }
  bool HasLibrary(const core::Module& module) const {
    return std::ranges::any_of(tree_.libraries(), [&](const fs::path& file) {
      return file.stem() == "module_" + module.name;
    });
  }

  const BuildTree tree_;
  const std::map<std::string, core::Module> modules_;
  std::vector<std::string> gfxs_;
  std::vector<core::ManifestKernel> kernels_;
  std::vector<std::string> unread_;
};

}  // namespace

core::Result<BuildScan> ScanBuild(const Configuration& configuration, const ScanOptions& options) {
  return Scanner(configuration, options).Run(options);
}

}  // namespace tunehub::agent
