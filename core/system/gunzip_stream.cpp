#include "core/system/gunzip_stream.h"

#include <fmt/core.h>
#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace tunehub::core {
namespace {

constexpr int kGzip = 16;  // beside the size of the window: gzip alone is read, not zlib's own form

Error Bad(std::string_view why, std::uint64_t place) {
  return {"bad_gzip", fmt::format("the gzip stream {}, at byte {}", why, place)};
}

uInt Bounded(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

}  // namespace

bool BeginsLikeGzip(std::string_view text) {
  return text.starts_with("\x1f\x8b");
}

GunzipStream::GunzipStream() : stream_(new z_stream()) {
  if (inflateInit2(stream_.get(), MAX_WBITS + kGzip) != Z_OK) throw std::bad_alloc();
}

void GunzipStream::Free::operator()(z_stream_s* stream) const {
  ::inflateEnd(stream);
  delete stream;
}

Result<std::size_t> GunzipStream::Unpack(std::string_view& gzip, std::span<char> out) {
  std::size_t written = 0;
  while (!gzip.empty() && written < out.size()) {
    if (whole_) ::inflateReset(stream_.get());
    const uInt given = Bounded(gzip.size()), room = Bounded(out.size() - written);
    stream_->next_in = reinterpret_cast<const Bytef*>(gzip.data());
    stream_->avail_in = given;
    stream_->next_out = reinterpret_cast<Bytef*>(out.data() + written);
    stream_->avail_out = room;
    const int result = ::inflate(stream_.get(), Z_NO_FLUSH);
    gzip.remove_prefix(given - stream_->avail_in);
    place_ += given - stream_->avail_in;
    written += room - stream_->avail_out;
    whole_ = result == Z_STREAM_END;
    if (result != Z_OK && !whole_) {
      return Bad(fmt::format("is damaged: {}", stream_->msg == nullptr ? "" : stream_->msg),
                 place_);
    }
  }
  return written;
}

Status GunzipStream::AtEnd() const {
  if (whole_) return Ok();
  return Bad("ends in the middle", place_);
}

}  // namespace tunehub::core
