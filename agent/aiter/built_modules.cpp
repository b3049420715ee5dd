#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <system_error>

#include "agent/aiter/build_scan.h"
#include "core/base/file.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTargetMark = "amdgcn-amd-amdhsa--gfx";
constexpr std::size_t kLongestName = 400;  // a manifest's limit

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string_view WordAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && IsWord(text[end])) ++end;
  return text.substr(at, end - at);
}

// Calls `found` with each position of a prefix.
template <typename Found>
void ForEach(std::string_view text, const std::vector<std::string>& prefixes, Found found) {
  for (const std::string& prefix : prefixes) {
    for (std::size_t at = text.find(prefix); at != std::string_view::npos;
         at = text.find(prefix, at + 1)) {
      found(at, prefix.size());
    }
  }
}

void StripBack(std::string_view& text, std::string_view what) {
  while (!text.empty() && what.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
}

// "{\"gfx942\", 304, 16, 1280, 8192}" -> gfx and shape. Other text leaves `kernel` unchanged.
void ReadShapeKey(std::string_view key, NamedKernel& kernel) {
  const std::size_t quote = key.find('"');
  const std::size_t end = key.find('"', quote + 1);
  if (quote == std::string_view::npos || end == std::string_view::npos) return;
  const auto gfx = core::CanonicalGfx(key.substr(quote + 1, end - quote - 1));
  if (!gfx) return;
  std::string shape;
  for (const char c : key.substr(end + 1)) {
    if (c == ',' && !shape.empty()) shape.push_back('x');
    if (IsDigit(c)) shape.push_back(c);
  }
  kernel.gfx = *gfx;
  kernel.shape = std::move(shape);
}

// Reads the text before the function: "{12," in a tuner's table by number, "{{...}," in a table by
// shape.
void ReadKeyBefore(std::string_view header, std::size_t at, NamedKernel& kernel) {
  std::string_view before = header.substr(0, at);
  StripBack(before, " \t\r\n\\");
  if (before.empty() || before.back() != ',') return;
  before.remove_suffix(1);
  StripBack(before, " ");
  if (before.ends_with('}')) {
    const std::size_t open = before.rfind('{');
    if (open != std::string_view::npos) ReadShapeKey(before.substr(open), kernel);
    return;
  }
  std::size_t begin = before.size();
  while (begin > 0 && IsDigit(before[begin - 1])) --begin;
  const auto number = core::ParseInt(before.substr(begin));
  before = before.substr(0, begin);
  StripBack(before, " ");
  if (before.ends_with('{')) kernel.id = number;
}

// Returns the name that begins at `at`. In a mangled symbol, the number before the name is its
// length. Otherwise the name is the whole word. Empty if `at` is inside a word.
std::string_view NameAt(std::string_view bytes, std::size_t at) {
  const std::string_view word = WordAt(bytes, at);
  if (at == 0 || !IsWord(bytes[at - 1])) return word;
  std::size_t begin = at;
  while (begin > 0 && at - begin < 4 && IsDigit(bytes[begin - 1])) --begin;
  const auto length = core::ParseInt(bytes.substr(begin, at - begin));
  if (begin == at || !length || static_cast<std::size_t>(*length) > word.size()) return {};
  return word.substr(0, static_cast<std::size_t>(*length));
}

constexpr std::string_view kDescriptor = ".kd";

core::Error Bad(const char* what) {
  return {"bad_code_object", fmt::format("expected a code object, but {}", what)};
}

// A part of the file; nullopt if it would exceed the file.
std::optional<std::string_view> Part(std::string_view bytes, std::size_t offset, std::size_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.substr(offset, size);
}

template <typename Record>
std::optional<Record> Read(std::string_view bytes, std::size_t offset) {
  const auto part = Part(bytes, offset, sizeof(Record));
  if (!part) return std::nullopt;
  Record record;
  std::memcpy(&record, part->data(), sizeof(Record));
  return record;
}

void AddKernel(std::string_view names, std::size_t offset, std::vector<std::string>& kernels) {
  if (offset >= names.size()) return;
  std::string_view name = names.substr(offset);
  name = name.substr(0, name.find('\0'));
  if (!name.ends_with(kDescriptor) || name.size() == kDescriptor.size()) return;
  kernels.emplace_back(name.substr(0, name.size() - kDescriptor.size()));
}

core::Status AddSymbols(std::string_view bytes, const Elf64_Ehdr& head, const Elf64_Shdr& section,
                        std::vector<std::string>& kernels) {
  const auto strings =
      Read<Elf64_Shdr>(bytes, head.e_shoff + std::size_t{section.sh_link} * sizeof(Elf64_Shdr));
  const auto symbols = Part(bytes, section.sh_offset, section.sh_size);
  if (!strings || section.sh_link >= head.e_shnum || !symbols)
    return Bad("the file ends within its symbols");
  const auto names = Part(bytes, strings->sh_offset, strings->sh_size);
  if (!names) return Bad("the file ends within the names of its symbols");
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols->size(); at += sizeof(Elf64_Sym)) {
    AddKernel(*names, Read<Elf64_Sym>(*symbols, at)->st_name, kernels);
  }
  return core::Ok();
}

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
  // A module without a kernel counts as built, because its operator raises an error or chooses
  // without a table.
  void AddIfEmpty(const std::string& module) {
    const bool has = std::ranges::any_of(
        kernels_, [&](const core::ManifestKernel& kernel) { return kernel.module == module; });
    if (has || modules_.at(module).dispatch == core::Dispatch::kDirect) return;
    kernels_.push_back({module, "", std::string(core::kNoKernel), {}, true, ""});
  }

  // Keeps the number only if AITER calls the module's kernels by number.
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
    if (told) return;  // the library also contains the default kernel, which no registry names
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
  std::map<std::string, std::set<std::string>> gfxs_;  // the gfx of a module's library
  std::vector<core::ManifestKernel> kernels_;
};

}  // namespace

std::set<NamedKernel> KernelsOfHeader(std::string_view header,
                                      const std::vector<std::string>& prefixes) {
  std::set<NamedKernel> kernels;
  ForEach(header, prefixes, [&](std::size_t at, std::size_t) {
    if (at > 0 && IsWord(header[at - 1])) return;
    const std::string_view name = WordAt(header, at);
    const std::size_t end = at + name.size();
    if (end >= header.size() || header[end] != '<' || name.size() > kLongestName) return;
    NamedKernel kernel{{}, std::string(name)};
    ReadKeyBefore(header, at, kernel);
    kernels.insert(std::move(kernel));
  });
  return kernels;
}

std::set<std::string> KernelsOfLibrary(std::string_view bytes,
                                       const std::vector<std::string>& prefixes) {
  std::set<std::string> kernels;
  ForEach(bytes, prefixes, [&](std::size_t at, std::size_t prefix) {
    const std::string_view name = NameAt(bytes, at);
    // A kernel's name continues with its tile. The prefix "a8w8_rowwise_" alone, or a message, is
    // not a kernel's name.
    const bool tile = name.size() > prefix && name.size() <= kLongestName &&
                      std::ranges::any_of(name.substr(prefix), IsDigit);
    if (tile) kernels.emplace(name);
  });
  return kernels;
}

std::set<std::string> TargetsOfLibrary(std::string_view bytes) {
  std::set<std::string> targets;
  for (std::size_t at = bytes.find(kTargetMark); at != std::string_view::npos;
       at = bytes.find(kTargetMark, at + 1)) {
    const std::string_view gfx = WordAt(bytes, at + kTargetMark.size() - 3);
    if (const auto canonical = core::CanonicalGfx(gfx)) targets.emplace(*canonical);
  }
  return targets;
}

core::Result<std::vector<std::string>> KernelsOfCodeObject(std::string_view bytes) {
  const auto head = Read<Elf64_Ehdr>(bytes, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
    return Bad("this is not an ELF file");
  if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB) {
    return Bad("the file is not 64-bit little-endian");
  }
  std::vector<std::string> kernels;
  for (std::size_t i = 0; i < head->e_shnum; ++i) {
    const auto section = Read<Elf64_Shdr>(bytes, head->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return Bad("the file ends within its sections");
    if (section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM) continue;
    if (auto status = AddSymbols(bytes, *head, *section, kernels); !status.ok()) {
      return status.error();
    }
  }
  std::ranges::sort(kernels);
  const auto repeated = std::ranges::unique(kernels);
  kernels.erase(repeated.begin(), repeated.end());
  return kernels;
}

std::vector<core::ManifestKernel> BuiltKernels(const BuildTree& tree,
                                               const std::map<std::string, core::Module>& modules,
                                               std::vector<std::string>& unread) {
  return Reader(tree, modules, unread).Run();
}

}  // namespace tunehub::agent
