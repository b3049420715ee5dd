// A Triton config of AITER, as `triton merge` reads it. Its Text() must parse to the same buckets.
#include "core/analysis/bucket_merge.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tunehub;
  const auto file = buckets::BucketFile::Parse("file", fuzz::TextOf(data, size));
  if (!file.ok()) return 0;
  const auto again = buckets::BucketFile::Parse("file", file->Text());
  fuzz::Hold(again.ok() && again->buckets() == file->buckets(), "it has the same buckets");
  return 0;
}
