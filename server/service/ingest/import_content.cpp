#include "server/service/ingest/import_content.h"

#include <fmt/core.h>

#include "core/base/sha256.h"
#include "core/system/build_id.h"

namespace tunehub::service {

std::string ImportContent(const Definitions& definitions, const std::vector<core::TarFile>& files,
                          const store::RunContent& run, const WriteRequest& write) {
  static const std::string build = core::BuildId();
  if (build.empty()) return "";
  // A digest holds no line feed, and comes last in its line: no two lists have one text.
  std::string list = build + (write.atomic ? "\natomic\n" : "\n");
  if (store::IsTrusted(run, write)) list += "upstream\n";
  if (run.error_limit) list += fmt::format("error_limit {}\n", *run.error_limit);
  if (run.provider) list += fmt::format("provider {}\n", static_cast<int>(*run.provider));
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
