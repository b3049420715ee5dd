// What a hub, or a stranger in its place, answers an agent: a static export's index, a bundle, a
// tree.
#include "agent/hub/bundle.h"
#include "agent/hub/export_index.h"
#include "agent/hub/tree.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const std::string_view bytes = fuzz::TextOf(data, size);
  (void)agent::ParseExportIndex(bytes);
  (void)agent::ParseBundle(bytes);
  (void)agent::ParseTree(bytes);
  return 0;
}
