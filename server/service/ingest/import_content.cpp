#include "server/service/ingest/import_content.h"

#include <fmt/core.h>

#include "core/base/sha256.h"
#include "core/system/build_id.h"

namespace tunehub::service {

namespace {

// What rows are read and judged by; "": nobody knows which program reads them.
std::string JudgedBy(const Definitions& definitions, const store::RunContent& run,
                     const WriteRequest& write) {
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
  return list + definitions.targets.Sha256() + "\n";
}

}  // namespace

std::string ImportContent(const Definitions& definitions, const std::vector<core::TarFile>& files,
                          const store::RunContent& run, const WriteRequest& write) {
  std::string list = JudgedBy(definitions, run, write);
  if (list.empty()) return "";
  for (const core::TarFile& file : files) {
    list += std::to_string(file.name.size()) + " " + file.name + " " + core::Sha256Hex(file.bytes) +
            "\n";
  }
  return core::Sha256Hex(list);
}

std::string SentContent(const Definitions& definitions, const std::string& digest,
                        const store::RunContent& run, const WriteRequest& write) {
  const std::string list = JudgedBy(definitions, run, write);
  if (list.empty() || digest.empty()) return "";
  return core::Sha256Hex(list + fmt::format("sent by {}: {}\n", write.owner, digest));
}

}  // namespace tunehub::service
