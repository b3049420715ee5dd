// gzip that comes in pieces and goes out in pieces, in bounded memory: a log of gigabytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/base/result.h"

struct z_stream_s;  // NOLINT(readability-identifier-naming): zlib's

namespace tunehub::core {

// Whether a text that begins like this is gzip: no text that people read does.
bool BeginsLikeGzip(std::string_view text);

class GunzipStream {
 public:
  GunzipStream();

  // Takes off `gzip` what it has used and answers how many bytes of `out` it wrote: all of them, or
  // fewer where `gzip` is empty then. Members that follow one another (pigz, cat a.gz b.gz) are one
  // text. Errors: bad_gzip, with the place; after it nothing more is read.
  Result<std::size_t> Unpack(std::string_view& gzip, std::span<char> out);

  // Errors: bad_gzip where the end has come in the middle of a member.
  Status AtEnd() const;

 private:
  struct Free {
    void operator()(z_stream_s* stream) const;
  };
  std::unique_ptr<z_stream_s, Free> stream_;
  bool whole_ = false;       // a member has ended, and no other has begun
  std::uint64_t place_ = 0;  // in the stream
};

}  // namespace tunehub::core
