#include "agent/aiter/built_modules.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "agent/aiter/kernel_names.h"
#include "core/base/file.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTuner = "_tune", kHeader = "_lookup.h";

bool IsTuners(const fs::path& file) {
  return std::ranges::any_of(file, [](const fs::path& part) {
    const std::string name = part.stem().string();
    return name.starts_with("module_") && name.ends_with(kTuner);
  });
}

bool IsNewer(const fs::path& file, const fs::path& than) {
  std::error_code error, other;
  const auto time = fs::last_write_time(file, error), limit = fs::last_write_time(than, other);
  return !error && !other && time > limit;
}

class Reader {
 public:
  Reader(const BuildTree& tree, const std::map<std::string, core::Module>& modules,
         std::vector<std::string>& unread)
      : tree_(tree), modules_(modules), unread_(unread) {
    for (const fs::path& file : tree.libraries()) {
      if (IsTuners(file)) continue;
      for (const auto& [name, module] : modules_) {
        if (file.stem() == module.library) libraries_[name] = file;
      }
    }
  }

  std::vector<core::ManifestKernel> Run() {
    for (const fs::path& file : tree_.headers()) {
      if (!IsTuners(file)) ReadHeader(file);
    }
    for (const fs::path& file : tree_.libraries()) {
      if (!IsTuners(file)) ReadLibrary(file);
    }
    for (const auto& [name, kernels] : headers_) {
      const std::set<std::string>& gfxs = gfxs_[name];
      for (const NamedKernel& kernel : kernels) AddOfHeader(name, kernel, gfxs);
      AddIfEmpty(name);
    }
    for (const auto& [name, file] : libraries_) AddIfEmpty(name);
    return std::move(kernels_);
  }

 private:
  // What is built without a kernel is built all the same, and raises or keeps its own choice.
  void AddIfEmpty(const std::string& module) {
    const bool has = std::ranges::any_of(
        kernels_, [&](const core::ManifestKernel& kernel) { return kernel.module == module; });
    if (has || modules_.at(module).dispatch == core::Dispatch::kDirect) return;
    kernels_.push_back({module, "", std::string(core::kNoKernel), {}, true, ""});
  }

  // By its number only where the module goes by that.
  void AddOfHeader(const std::string& module, const NamedKernel& kernel,
                   const std::set<std::string>& gfxs) {
    const auto id = modules_.at(module).by_id ? kernel.id : std::nullopt;
    if (!kernel.gfx.empty() || gfxs.empty()) {
      kernels_.push_back({module, kernel.gfx, kernel.name, id, true, kernel.shape});
      return;
    }
    for (const std::string& gfx : gfxs) {
      kernels_.push_back({module, gfx, kernel.name, id, true, kernel.shape});
    }
  }

  void ReadHeader(const fs::path& file) {
    std::string name = file.filename().string();
    name.resize(name.size() - kHeader.size());
    const auto module = modules_.find(name);
    if (module == modules_.end()) return;
    const auto library = libraries_.find(name);
    if (library != libraries_.end() && IsNewer(file, library->second)) return;
    const auto bytes = core::FileBytes::Read(file);
    if (!bytes.ok()) {
      unread_.push_back(bytes.error().detail);
      return;
    }
    headers_[name].merge(KernelsOfHeader(bytes->view(), module->second.kernels));
  }

  void ReadLibrary(const fs::path& file) {
    const auto own = std::ranges::find_if(
        libraries_, [&](const auto& library) { return library.second == file; });
    const bool told = own != libraries_.end() && headers_.contains(own->first) &&
                      modules_.at(own->first).dispatch == core::Dispatch::kNameRegistry;
    const auto bytes = core::FileBytes::Read(file);
    if (!bytes.ok()) {
      unread_.push_back(bytes.error().detail);
      return;
    }
    const std::set<std::string> gfxs = TargetsOfLibrary(bytes->view());
    if (own != libraries_.end()) gfxs_[own->first] = gfxs;
    if (told) return;  // the library also has the default kernel, which no registry has by name
    for (const auto& [name, module] : modules_) {
      const bool here = own != libraries_.end() ? own->first == name : !libraries_.contains(name);
      if (!here || module.dispatch == core::Dispatch::kDirect) continue;
      for (const std::string& kernel : KernelsOfLibrary(bytes->view(), module.kernels)) {
        AddOfLibrary(name, kernel, gfxs);
      }
    }
  }

  void AddOfLibrary(const std::string& module, const std::string& kernel,
                    const std::set<std::string>& gfxs) {
    if (gfxs.empty()) kernels_.push_back({module, "", kernel, {}, true, ""});
    for (const std::string& gfx : gfxs) kernels_.push_back({module, gfx, kernel, {}, true, ""});
  }

  const BuildTree& tree_;
  const std::map<std::string, core::Module>& modules_;
  std::vector<std::string>& unread_;
  std::map<std::string, fs::path> libraries_;  // by module
  std::map<std::string, std::set<NamedKernel>> headers_;
  std::map<std::string, std::set<std::string>> gfxs_;  // of a module's library
  std::vector<core::ManifestKernel> kernels_;
};

}  // namespace

std::vector<core::ManifestKernel> BuiltKernels(const BuildTree& tree,
                                               const std::map<std::string, core::Module>& modules,
                                               std::vector<std::string>& unread) {
  return Reader(tree, modules, unread).Run();
}

}  // namespace tunehub::agent
