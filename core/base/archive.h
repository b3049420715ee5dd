// Reads and writes gzip and tar, as whole buffers or as streams.
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

// Compresses a whole buffer by libdeflate. It is a third faster than zlib at level 6, and its
// output is smaller.
std::string Gzip(std::string_view text);

// Unpacks every member of the stream. Uses at most about `limit` bytes of memory. Errors: bad_gzip;
// too_large if the content exceeds `limit` bytes.
Result<std::string> Gunzip(std::string_view gzip, std::size_t limit);

}  // namespace tunehub::core

struct z_stream_s;  // NOLINT(readability-identifier-naming): zlib's

namespace tunehub::core {

// True if `text` begins with gzip's magic bytes. No readable text begins with these bytes.
bool BeginsLikeGzip(std::string_view text);

class GunzipStream {
 public:
  GunzipStream();

  // Consumes `gzip` from its front. Returns the number of bytes written: all of `out`, or fewer
  // once `gzip` is empty. Consecutive members (pigz, cat a.gz b.gz) form one text. Errors: bad_gzip
  // with the byte's position. After an error the stream is unusable.
  Result<std::size_t> Unpack(std::string_view& gzip, std::span<char> out);

  // Errors: bad_gzip if the stream ends inside a member.
  Status AtEnd() const;

 private:
  struct Free {
    void operator()(z_stream_s* stream) const;
  };
  std::unique_ptr<z_stream_s, Free> stream_;
  bool whole_ = false;       // a member has ended, and no further member has begun
  std::uint64_t place_ = 0;  // bytes of the stream read so far
};

// Reads tar archives for imports and writes them for bundles, in memory.
struct TarFile {
  std::string name;  // with its path in the archive
  std::string bytes;
};

struct TarLimits {
  std::size_t bytes;  // the most bytes of all files, decompressed
  std::size_t files;  // folders and links count as files
};

// Returns the regular files of a tar archive, plain or gzipped, sorted by name. Writes nothing to
// disk: the names are only labels. Errors: bad_archive, too_large.
Result<std::vector<TarFile>> ReadTar(std::string_view archive, const TarLimits& limits);

// Returns a tar.gz of the files in their order. Equal files give equal bytes.
std::string WriteTarGz(const std::vector<TarFile>& files);

}  // namespace tunehub::core
