// The path of an engine's file gives a shape key. The path of that shape key must give the same
// shape key.
#include "core/readers/file_name.h"
#include "core/readers/tunable_file.h"
#include "tests/fuzz/shipped_definitions.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const std::string_view path = fuzz::TextOf(data, size);
  for (const core::Reader& reader : fuzz::ShippedDefinitions().readers.all()) {
    const auto parsed = core::ParsePath(reader, path);
    if (!parsed.ok() || parsed->guessed_op) continue;
    const auto again = core::PathOf(*parsed->store, parsed->cells);
    if (!again.ok()) continue;  // no lookup requests this file
    const auto twice = core::ParsePath(reader, *again);
    fuzz::Hold(twice.ok() && twice->cells == parsed->cells, "its path stands for the same key");
  }
  (void)core::ParseTunablePath(path);
  return 0;
}
