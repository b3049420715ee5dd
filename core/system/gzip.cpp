#include "core/system/gzip.h"

#include <libdeflate.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace tunehub::core {
namespace {

constexpr int kLevel = 6;  // a tenth of the bytes of a tuned table; higher levels gain little
constexpr std::size_t kTrailerBytes = 4;

// The trailer of a gzip member says how many bytes it holds, modulo 2^32.
std::size_t SizeInTrailer(std::string_view bytes) {
  if (bytes.size() < kTrailerBytes) return 0;
  std::size_t size = 0;
  for (std::size_t i = 0; i < kTrailerBytes; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - kTrailerBytes + i]);
    size |= std::size_t{byte} << (8 * i);
  }
  return size;
}

}  // namespace

std::string GzipBytes(std::string_view bytes) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  out.resize(libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), out.data(),
                                      out.size()));
  return out;
}

Result<std::string> GunzipBytes(std::string_view bytes, std::size_t limit) {
  const std::size_t size = SizeInTrailer(bytes);
  if (size > limit) {
    return Error{"bad_gzip",
                 std::to_string(size) + " bytes inside, the limit is " + std::to_string(limit)};
  }
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>
      decompressor(libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  std::string out(size, '\0');
  const libdeflate_result result = libdeflate_gzip_decompress(
      decompressor.get(), bytes.data(), bytes.size(), out.data(), out.size(), nullptr);
  if (result != LIBDEFLATE_SUCCESS) return Error{"bad_gzip", "no well-formed gzip"};
  return out;
}

}  // namespace tunehub::core
