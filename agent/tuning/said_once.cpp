#include "agent/tuning/said_once.h"

#include <unistd.h>

#include <array>

#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent::tuning {
namespace {

// A home may be shared by hosts.
std::string NoteName(const std::string& topic) {
  std::array<char, 256> host{};
  const bool named = ::gethostname(host.data(), host.size() - 1) == 0;
  return topic + '@' + (named ? host.data() : "host");
}

}  // namespace

bool IsNews(const std::filesystem::path& folder, const std::string& topic,
            const std::string& text) {
  const std::filesystem::path note = folder / NoteName(topic);
  const auto known = core::FileBytes::Read(note.string());
  if (known.ok() && known->view() == text) return false;
  if (core::MakeFolder(folder).ok()) (void)core::WriteAtomically(note.string(), text);
  return true;
}

}  // namespace tunehub::agent::tuning
