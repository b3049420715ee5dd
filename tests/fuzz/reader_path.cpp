// The path of an engine's file: the key that it stands for, and from that the path again.
#include "core/readers/file_name.h"
#include "core/readers/tunable_file.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/oracle.h"
#include "tests/fuzz/shipped_definitions.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const std::string_view path = fuzz::TextOf(data, size);
  for (const core::Reader& reader : fuzz::ShippedDefinitions().readers.all()) {
    const auto parsed = core::ParsePath(reader, path);
    if (!parsed.ok() || parsed->guessed_op) continue;
    const auto again = core::PathOf(*parsed->pool, parsed->cells);
    if (!again.ok()) continue;  // no lookup asks for it
    const auto twice = core::ParsePath(reader, *again);
    fuzz::Hold(twice.ok() && twice->cells == parsed->cells, "its path stands for the same key");
  }
  (void)core::ParseTunablePath(path);
  return 0;
}
