// A request's target, and its parameters as queries for tables, files and trees.
#include "server/http/target.h"
#include "server/tables/file_query.h"
#include "server/tables/tuned_query.h"
#include "tests/fuzz/shipped_definitions.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const auto target = http::ParseTarget(fuzz::TextOf(data, size));
  if (!target.ok()) return 0;
  fuzz::Hold(target->path.starts_with('/'), "a path begins with a slash");
  const server::Definitions& definitions = fuzz::ShippedDefinitions();
  for (const auto& family : definitions.families.all())
    (void)server::ParseTunedQuery(*family, definitions.targets, target->query);
  for (const core::Reader& reader : definitions.readers.all()) {
    (void)server::ParseFileQuery(definitions, reader.name, target->path.substr(1), target->query);
    (void)server::ParseTreeQuery(definitions, reader.name, target->query);
  }
  return 0;
}
