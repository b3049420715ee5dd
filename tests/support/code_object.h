// Makes a code object in the layout that a linker writes.
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

namespace tunehub::test {

// A code object with these symbols. A kernel is a symbol with a descriptor: "_ZN5aiter1aE.kd".
inline std::string CodeObject(const std::vector<std::string>& symbols) {
  std::string names(1, '\0');
  std::vector<Elf64_Sym> table(1);
  for (const std::string& symbol : symbols) {
    Elf64_Sym entry{};
    entry.st_name = static_cast<Elf64_Word>(names.size());
    names += symbol + '\0';
    table.push_back(entry);
  }
  const std::size_t symbol_bytes = table.size() * sizeof(Elf64_Sym);
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_shnum = 2;
  head.e_shoff = sizeof(head) + symbol_bytes + names.size();
  Elf64_Shdr sections[2] = {};
  sections[0].sh_type = SHT_SYMTAB;
  sections[0].sh_offset = sizeof(head);
  sections[0].sh_size = symbol_bytes;
  sections[0].sh_link = 1;
  sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_offset = sizeof(head) + symbol_bytes;
  sections[1].sh_size = names.size();
  const auto bytes = [](const void* data, std::size_t size) {
    return std::string(static_cast<const char*>(data), size);
  };
  return bytes(&head, sizeof(head)) + bytes(table.data(), symbol_bytes) + names +
         bytes(sections, sizeof(sections));
}

}  // namespace tunehub::test
