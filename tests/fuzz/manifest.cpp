// A build's manifest that anybody may send. Its canonical text must parse to the same manifest.
#include "core/builds/manifest.h"

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  std::vector<core::RowIssue> issues;
  const auto manifest = core::ParseManifest(fuzz::TextOf(data, size), issues);
  if (!manifest.ok()) return 0;
  const std::string text = manifest->Text();
  const auto again = core::ParseManifest(text, issues);
  fuzz::Hold(again.ok() && again->Text() == text, "a canonical text stays as it is");
  return 0;
}
