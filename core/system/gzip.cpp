#include "core/system/gzip.h"

#include <fmt/core.h>
#include <libdeflate.h>

#include <algorithm>
#include <memory>
#include <new>

namespace tunehub::core {
namespace {

constexpr int kLevel = 6;  // a tenth of the bytes of a tuned table; higher levels gain little
// libdeflate wants the whole output at once: begin with what text usually needs, then double.
constexpr std::size_t kUsualRatio = 12;
constexpr std::size_t kLeastRoom = 4096;

struct FreeCompressor {
  void operator()(libdeflate_compressor* it) const { libdeflate_free_compressor(it); }
};
struct FreeDecompressor {
  void operator()(libdeflate_decompressor* it) const { libdeflate_free_decompressor(it); }
};

struct Member {
  std::size_t read = 0, written = 0;
};

// Unpacks the first member of `gzip` behind the `used` bytes of `out`.
Result<Member> UnpackMember(libdeflate_decompressor* decompressor, std::string_view gzip,
                            std::size_t limit, std::size_t used, std::string& out) {
  std::size_t room = std::max(gzip.size() * kUsualRatio, kLeastRoom);
  for (;;) {
    out.resize(std::min(limit, used + room));
    Member member;
    const auto result =
        libdeflate_gzip_decompress_ex(decompressor, gzip.data(), gzip.size(), out.data() + used,
                                      out.size() - used, &member.read, &member.written);
    if (result == LIBDEFLATE_SUCCESS) return member;
    if (result != LIBDEFLATE_INSUFFICIENT_SPACE) {
      return Error{"bad_gzip", "the body is no gzip stream"};
    }
    if (out.size() == limit) {
      return Error{"too_large", fmt::format("the unpacked body is larger than {} bytes", limit)};
    }
    room *= 2;
  }
}

}  // namespace

std::string Gzip(std::string_view text) {
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(kLevel));
  if (compressor == nullptr) throw std::bad_alloc();
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  out.resize(
      libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), out.data(), out.size()));
  out.shrink_to_fit();
  return out;
}

Result<std::string> Gunzip(std::string_view gzip, std::size_t limit) {
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(
      libdeflate_alloc_decompressor());
  if (decompressor == nullptr) throw std::bad_alloc();
  std::string out;
  std::size_t used = 0;
  // A stream may have several members (pigz, cat a.gz b.gz): the rows of all are meant.
  do {
    const auto member = UnpackMember(decompressor.get(), gzip, limit, used, out);
    if (!member.ok()) return member.error();
    gzip.remove_prefix(member->read);
    used += member->written;
  } while (!gzip.empty());
  out.resize(used);
  return out;
}

}  // namespace tunehub::core
