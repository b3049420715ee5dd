#include "server/service/ingest/import_content.h"

#include "core/base/sha256.h"
#include "core/system/build_id.h"

namespace tunehub::service {

std::string ImportContent(const Definitions& definitions, const std::vector<core::TarFile>& files,
                          bool atomic) {
  static const std::string build = core::BuildId();
  if (build.empty()) return "";
  // A digest holds no line feed, and comes last in its line: no two lists have one text.
  std::string list = build + (atomic ? "\natomic\n" : "\n");
  for (const auto& family : definitions.families.all()) {
    list += family->name + " " + family->Sha256() + "\n";
  }
  list += definitions.targets.Sha256() + "\n";
  for (const core::TarFile& file : files) {
    list += std::to_string(file.name.size()) + " " + file.name + " " + core::Sha256Hex(file.bytes) +
            "\n";
  }
  return core::Sha256Hex(list);
}

}  // namespace tunehub::service
