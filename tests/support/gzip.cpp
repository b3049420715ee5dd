#include "tests/support/gzip.h"

#include <libdeflate.h>
#include <zstd.h>

#include <memory>
#include <stdexcept>

namespace tunehub::test {
namespace {

constexpr int kLevel = 9;
constexpr std::size_t kLargest = std::size_t{256} << 20;  // no test decompresses more

}  // namespace

std::string Gzip(const std::string& text) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  out.resize(
      libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), out.data(), out.size()));
  return out;
}

std::string Gunzip(const std::string& bytes) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  std::string out(kLargest, '\0');
  std::size_t size = 0;
  if (libdeflate_gzip_decompress(decompressor.get(), bytes.data(), bytes.size(), out.data(),
                                 out.size(), &size) != LIBDEFLATE_SUCCESS) {
    throw std::runtime_error("no gzip");
  }
  out.resize(size);
  return out;
}

std::string Unzstd(const std::string& bytes) {
  std::string out(kLargest, '\0');
  const std::size_t size = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0) throw std::runtime_error(ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

}  // namespace tunehub::test
