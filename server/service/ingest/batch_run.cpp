#include "server/service/ingest/batch_run.h"

#include <fmt/core.h>

#include "core/system/random.h"

namespace tunehub::service {
namespace {

constexpr std::size_t kNonceBytes = 16;

}  // namespace

store::RunContent UnknownProvenance() {
  store::RunContent run;
  run.provenance = R"({"provenance":"unknown"})";
  return run;
}

core::Hash128 HashOfRequest(const WriteRequest& write) {
  return core::HashOf(fmt::format("{}\n{}\n{}\n{}", write.digest, write.api_key,
                                  write.idempotency_key.value_or(""),
                                  core::RandomBytes(kNonceBytes)));
}

store::RunContent RunOfImport(const std::string& source, const WriteRequest& write,
                              const std::optional<store::RunContent>& about) {
  store::RunContent run = about.value_or(UnknownProvenance());
  run.hash = HashOfRequest(write);
  run.source = source;
  return run;
}

}  // namespace tunehub::service
