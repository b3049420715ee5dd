#include "core/system/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <string_view>

#include "core/base/hex.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kOwner{"GNU\0", 4};  // with its zero, as a note has it

std::size_t Padded(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

std::string FindBuildId(std::string_view notes) {
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const std::size_t name = Padded(note.n_namesz), content = Padded(note.n_descsz);
    if (name + content > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(0, note.n_namesz) == kOwner) {
      return Hex(notes.substr(name, note.n_descsz));
    }
    notes.remove_prefix(name + content);
  }
  return "";
}

// The program itself comes first; what it is linked with is not asked.
int ReadProgram(dl_phdr_info* program, std::size_t, void* id) {
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = program->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader hands over an address as a number
    const auto* const begin = reinterpret_cast<const char*>(program->dlpi_addr + part.p_vaddr);
    const std::string found = FindBuildId({begin, part.p_memsz});
    if (found.empty()) continue;
    *static_cast<std::string*>(id) = found;
    break;
  }
  return 1;
}

}  // namespace

std::string BuildId() {
  std::string id;
  dl_iterate_phdr(ReadProgram, &id);
  return id;
}

}  // namespace tunehub::core
