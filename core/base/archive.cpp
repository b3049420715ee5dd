#define ZLIB_CONST

#include "core/base/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/core.h>
#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <stdexcept>

namespace tunehub::core {
namespace {

constexpr int kLevel = 6;  // compresses a tuned table to a tenth; higher levels gain little
// libdeflate needs room for the whole output. Begin with the usual ratio of text, then double.
constexpr std::size_t kUsualRatio = 12;
constexpr std::size_t kLeastRoom = 4096;

template <auto Free>
struct Freed {
  void operator()(auto* it) const { Free(it); }
};

struct Member {
  std::size_t read = 0, written = 0;
};

// Unpacks the first member of `gzip`. Writes its text after the first `used` bytes of `out`.
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
      return Error{"bad_gzip", "expected a gzip stream"};
    }
    if (out.size() == limit) {
      return Error{"too_large", fmt::format("the unpacked body is larger than {} bytes", limit)};
    }
    room *= 2;
  }
}

constexpr int kGzip = 16;  // a flag for the window bits: accept gzip only, not zlib's format

Error Bad(std::string_view why, std::uint64_t place) {
  return {"bad_gzip", fmt::format("the gzip stream {}, at byte {}", why, place)};
}

uInt Bounded(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max()));
}

constexpr std::size_t kBlock = 64 * 1024;
constexpr int kMode = 0644;

Error Bad(archive* reader) {
  const char* text = archive_error_string(reader);
  return {"bad_archive", fmt::format("expected a tar archive: {}", text != nullptr ? text : "?")};
}

// Reads at most `room` bytes. The size in a header is not trusted (decompression bombs).
Result<std::string> ReadEntry(archive* reader, std::size_t room) {
  std::string text;
  std::array<char, kBlock> block{};
  for (;;) {
    const la_ssize_t size = archive_read_data(reader, block.data(), block.size());
    if (size < 0) return Bad(reader);
    if (size == 0) return text;
    if (text.size() + static_cast<std::size_t>(size) > room) {
      return Error{"too_large", "the unpacked files are larger than the limit"};
    }
    text.append(block.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace

std::string Gzip(std::string_view text) {
  const std::unique_ptr<libdeflate_compressor, Freed<libdeflate_free_compressor>> compressor(
      libdeflate_alloc_compressor(kLevel));
  if (compressor == nullptr) throw std::bad_alloc();
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  out.resize(
      libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), out.data(), out.size()));
  out.shrink_to_fit();
  return out;
}

Result<std::string> Gunzip(std::string_view gzip, std::size_t limit) {
  const std::unique_ptr<libdeflate_decompressor, Freed<libdeflate_free_decompressor>> decompressor(
      libdeflate_alloc_decompressor());
  if (decompressor == nullptr) throw std::bad_alloc();
  std::string out;
  std::size_t used = 0;
  // A gzip stream may have several members (pigz, cat a.gz b.gz).
  do {
    const auto member = UnpackMember(decompressor.get(), gzip, limit, used, out);
    if (!member.ok()) return member.error();
    gzip.remove_prefix(member->read);
    used += member->written;
  } while (!gzip.empty());
  out.resize(used);
  return out;
}

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
  return Bad("ends too early", place_);
}

Result<std::vector<TarFile>> ReadTar(std::string_view bytes, const TarLimits& limits) {
  const std::unique_ptr<archive, Freed<archive_read_free>> reader(archive_read_new());
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    return Bad(reader.get());
  }
  std::vector<TarFile> files;
  std::size_t total = 0;
  for (std::size_t entries = 0;; ++entries) {
    archive_entry* entry = nullptr;
    const int next = archive_read_next_header(reader.get(), &entry);
    if (next == ARCHIVE_EOF) break;
    // A warning is about a name that the locale cannot encode. It is harmless here.
    if (next < ARCHIVE_WARN) return Bad(reader.get());
    // Count entries of every kind: a gigabyte of empty folders compresses to a megabyte.
    if (entries == limits.files) {
      return Error{"too_large", fmt::format("more than {} files", limits.files)};
    }
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    const char* name = archive_entry_pathname(entry);
    auto text = ReadEntry(reader.get(), limits.bytes - total);
    if (!text.ok()) return text.error();
    total += text->size();
    files.push_back({name != nullptr ? name : "", *std::move(text)});
  }
  std::stable_sort(files.begin(), files.end(),
                   [](const TarFile& a, const TarFile& b) { return a.name < b.name; });
  return files;
}

std::string WriteTarGz(const std::vector<TarFile>& files) {
  // For each file: two headers, a long name and the padding of two blocks.
  constexpr std::size_t kRoomForHeaders = 3 * 1024;
  std::size_t room = 64 * 1024;
  for (const TarFile& file : files) room += file.bytes.size() + kRoomForHeaders + file.name.size();
  std::string tar(room, '\0');  // outlives the writer, which still writes into it when freed
  std::size_t used = 0;
  const std::unique_ptr<archive, Freed<archive_write_free>> writer(archive_write_new());
  // Write ustar. Add a pax header only for a name that ustar cannot store (over 100 bytes after the
  // last slash).
  archive_write_set_format_pax_restricted(writer.get());
  archive_write_open_memory(writer.get(), tar.data(), tar.size(), &used);
  for (const TarFile& file : files) {
    const std::unique_ptr<archive_entry, Freed<archive_entry_free>> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), file.name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.bytes.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), kMode);
    archive_entry_set_mtime(entry.get(), 0, 0);  // equal files must give equal bytes
    if (archive_write_header(writer.get(), entry.get()) != ARCHIVE_OK ||
        archive_write_data(writer.get(), file.bytes.data(), file.bytes.size()) < 0) {
      throw std::runtime_error(archive_error_string(writer.get()));
    }
  }
  archive_write_close(writer.get());
  tar.resize(used);
  return Gzip(tar);
}

}  // namespace tunehub::core
