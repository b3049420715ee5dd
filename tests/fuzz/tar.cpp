// The archive of an import, a bundle or a tree. The extracted files must stay within the limits,
// and be the same after packing and extracting.
#include "core/base/archive.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  constexpr core::TarLimits kLimits{1 << 20, 100};
  const auto files = core::ReadTar(fuzz::TextOf(data, size), kLimits);
  if (!files.ok()) return 0;
  std::size_t bytes = 0;
  for (const core::TarFile& file : *files) bytes += file.bytes.size();
  fuzz::Hold(bytes <= kLimits.bytes && files->size() <= kLimits.files, "the limits hold");
  const auto again = core::ReadTar(core::WriteTarGz(*files), kLimits);
  fuzz::Hold(again.ok() && again->size() == files->size(), "what was written is read");
  for (std::size_t i = 0; i < files->size(); ++i) {
    const core::TarFile& written = (*files)[i];
    fuzz::Hold((*again)[i].name == written.name && (*again)[i].bytes == written.bytes,
               "with the same names and bytes");
  }
  return 0;
}
