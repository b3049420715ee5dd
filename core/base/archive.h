// gzip and tar, whole or as a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

// gzip of whole buffers, by libdeflate, which is a third faster than zlib at level 6 and packs
// smaller.
std::string Gzip(std::string_view text);

// Unpacks every member of the stream. Errors: bad_gzip; too_large if the content exceeds `limit`
// bytes (memory stays within the limit, too).
Result<std::string> Gunzip(std::string_view gzip, std::size_t limit);

}  // namespace tunehub::core

struct z_stream_s;  // NOLINT(readability-identifier-naming): zlib's

namespace tunehub::core {

// True if `text` begins with gzip's magic bytes, which no readable text does.
bool BeginsLikeGzip(std::string_view text);

class GunzipStream {
 public:
  GunzipStream();

  // Consumes `gzip` from its front. Returns the number of bytes written: all of `out`, or fewer
  // once `gzip` is empty. Consecutive members (pigz, cat a.gz b.gz) form one text. Errors: bad_gzip
  // with the byte's position; the stream is unusable after it.
  Result<std::size_t> Unpack(std::string_view& gzip, std::span<char> out);

  // Errors: bad_gzip if the stream ends inside a member.
  Status AtEnd() const;

 private:
  struct Free {
    void operator()(z_stream_s* stream) const;
  };
  std::unique_ptr<z_stream_s, Free> stream_;
  bool whole_ = false;       // a member has ended, and no other has begun
  std::uint64_t place_ = 0;  // bytes of the stream read so far
};

// tar archives in memory: read for imports, written for bundles.
struct TarFile {
  std::string name;  // with its path in the archive
  std::string bytes;
};

struct TarLimits {
  std::size_t bytes;  // of all files, unpacked
  std::size_t files;  // folders and links count, too
};

// The regular files of a tar, plain or compressed by gzip, sorted by name. Errors: bad_archive,
// too_large. Names are labels only: nothing is written to disk.
Result<std::vector<TarFile>> ReadTar(std::string_view archive, const TarLimits& limits);

// A tar.gz of the files in their order; the same files give the same bytes.
std::string WriteTarGz(const std::vector<TarFile>& files);

}  // namespace tunehub::core
