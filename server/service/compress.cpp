#include "server/service/compress.h"

#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace tunehub::service {
namespace {

constexpr int kGzipLevel = 6;
constexpr int kZstdLevel = 3;
// libdeflate wants the whole output at once: begin with what text usually needs, then double.
constexpr std::size_t kUsualRatio = 12;

struct FreeCompressor {
  void operator()(libdeflate_compressor* it) const { libdeflate_free_compressor(it); }
};
struct FreeDecompressor {
  void operator()(libdeflate_decompressor* it) const { libdeflate_free_decompressor(it); }
};

}  // namespace

std::string Gzip(std::string_view text) {
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(kGzipLevel));
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), out.data(), out.size()));
  out.shrink_to_fit();
  return out;
}

std::string Zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(ZSTD_getErrorName(size));
  out.resize(size);
  out.shrink_to_fit();
  return out;
}

core::Result<std::string> Gunzip(std::string_view gzip, std::size_t limit) {
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  std::string out;
  std::size_t room = std::min(limit, std::max<std::size_t>(gzip.size() * kUsualRatio, 4096));
  for (;;) {
    out.resize(room);
    std::size_t size = 0;
    const auto result = libdeflate_gzip_decompress(decompressor.get(), gzip.data(), gzip.size(),
                                                   out.data(), out.size(), &size);
    if (result == LIBDEFLATE_SUCCESS) {
      out.resize(size);
      return out;
    }
    if (result != LIBDEFLATE_INSUFFICIENT_SPACE) {
      return core::Error{"bad_gzip", "the body is no gzip stream"};
    }
    if (room == limit) {
      return core::Error{"too_large",
                         "the unpacked body is larger than " + std::to_string(limit) + " bytes"};
    }
    room = std::min(limit, room * 2);
  }
}

}  // namespace tunehub::service
