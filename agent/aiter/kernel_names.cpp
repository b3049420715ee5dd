#include "agent/aiter/kernel_names.h"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kTargetMark = "amdgcn-amd-amdhsa--gfx";
constexpr std::size_t kLongestName = 400;  // as a manifest takes it

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

// Calls `found` with each place where one of the prefixes begins.
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

// "{\"gfx942\", 304, 16, 1280, 8192}" -> gfx and shape, nothing where it is none.
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

// What stands just before the function: "{12," of a tuner's table by number, "{{...}," of one by
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

// The name that begins at `at`: of a mangled symbol as long as the digits before it say, else the
// whole word; empty where it is only a part of one.
std::string_view NameAt(std::string_view bytes, std::size_t at) {
  const std::string_view word = WordAt(bytes, at);
  if (at == 0 || !IsWord(bytes[at - 1])) return word;
  std::size_t begin = at;
  while (begin > 0 && at - begin < 4 && IsDigit(bytes[begin - 1])) --begin;
  const auto length = core::ParseInt(bytes.substr(begin, at - begin));
  if (begin == at || !length || static_cast<std::size_t>(*length) > word.size()) return {};
  return word.substr(0, static_cast<std::size_t>(*length));
}

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
    // A name goes on with its tile; "a8w8_rowwise_" itself, or a message, is none.
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

namespace {

constexpr std::string_view kDescriptor = ".kd";

core::Error Bad(const char* what) {
  return {"bad_code_object", fmt::format("no code object: {}", what)};
}

// A part of the file; nothing where it leaves it.
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
    return Bad("its symbols are cut off");
  const auto names = Part(bytes, strings->sh_offset, strings->sh_size);
  if (!names) return Bad("the names of its symbols are cut off");
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols->size(); at += sizeof(Elf64_Sym)) {
    AddKernel(*names, Read<Elf64_Sym>(*symbols, at)->st_name, kernels);
  }
  return core::Ok();
}

}  // namespace

core::Result<std::vector<std::string>> KernelsOfCodeObject(std::string_view bytes) {
  const auto head = Read<Elf64_Ehdr>(bytes, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return Bad("it is no ELF file");
  if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB) {
    return Bad("it is not of 64 bits, little-endian");
  }
  std::vector<std::string> kernels;
  for (std::size_t i = 0; i < head->e_shnum; ++i) {
    const auto section = Read<Elf64_Shdr>(bytes, head->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return Bad("its sections are cut off");
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

}  // namespace tunehub::agent
