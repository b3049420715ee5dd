#include "agent/aiter/code_object.h"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace tunehub::agent {
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
