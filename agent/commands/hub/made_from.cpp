#include "agent/commands/hub/made_from.h"

#include <fmt/core.h>

#include "core/base/sha256.h"
#include "core/system/build_id.h"

namespace tunehub::agent {

MadeFrom::MadeFrom(std::string_view how) {
  const std::string build = core::BuildId();
  if (!build.empty()) list_ = build + "\n";
  if (!build.empty()) Add("how", how);
}

void MadeFrom::Add(std::string_view name, std::string_view bytes) {
  if (list_.empty()) return;
  // The name's length before it, and a digest last: no two lists have one text.
  list_ += fmt::format("{} {} {}\n", name.size(), name, core::Sha256Hex(bytes));
}

std::string MadeFrom::Digest() const {
  return list_.empty() ? "" : core::Sha256Hex(list_);
}

}  // namespace tunehub::agent
