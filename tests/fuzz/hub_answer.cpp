// An answer to an agent from a hub, or from a stranger instead of the hub: a static export's index,
// a bundle, a tree. The target corrects the checksums in an archive, because random bytes never
// match them.
#include <algorithm>

#include "agent/hub/http_client.h"
#include "agent/hub/tree.h"
#include "core/base/archive.h"
#include "core/base/file.h"
#include "core/base/signature.h"
#include "tests/fuzz/shipped_definitions.h"
#include "tests/fuzz/target.h"

namespace tunehub::fuzz {
namespace {

std::string WithSums(std::vector<core::TarFile> files) {
  core::AddSums(files, {}, {}, "");
  return core::WriteTarGz(files);
}

bool StayInside(const std::map<std::string, std::string>& files) {
  return std::all_of(files.begin(), files.end(),
                     [](const auto& file) { return core::IsInnerPath(file.first); });
}

// Python imports no file with these endings, in any folder.
bool AreConfigs(const std::map<std::string, std::string>& files) {
  return std::all_of(files.begin(), files.end(), [](const auto& file) {
    return file.first.ends_with(".json") || file.first.ends_with(".csv");
  });
}

void ReadArchives(std::string_view bytes) {
  const auto bundle = agent::ParseBundle(bytes);
  Hold(!bundle.ok() || StayInside(*bundle), "no table of a bundle leaves its folder");
  for (const core::Reader& reader : ShippedDefinitions().readers.all()) {
    const auto tree = agent::ParseTree(bytes, reader);
    if (!tree.ok()) continue;
    Hold(StayInside(tree->files), "no file of a tree leaves its folder");
    Hold(AreConfigs(tree->files), "every file of a tree is a config by its name");
  }
}

}  // namespace
}  // namespace tunehub::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const std::string_view bytes = fuzz::TextOf(data, size);
  (void)agent::ParseExportIndex(bytes);
  fuzz::ReadArchives(bytes);
  auto files = core::ReadTar(bytes, {.bytes = 1 << 20, .files = 100});
  if (files.ok()) fuzz::ReadArchives(fuzz::WithSums(*std::move(files)));
  return 0;
}
