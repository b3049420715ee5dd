#include "core/system/gunzip_stream.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/beast/zlib/inflate_stream.hpp>
#include <boost/crc.hpp>
#include <cstdint>
#include <string>

namespace tunehub::core {
namespace {

namespace zlib = boost::beast::zlib;

// RFC 1952: the members' parts.
constexpr char kMagic[] = "\x1f\x8b";
constexpr std::size_t kHeaderBytes = 10, kTrailerBytes = 8, kLengthBytes = 2;
constexpr unsigned kHeaderCrc = 2, kExtra = 4, kName = 8, kComment = 16, kReserved = 0xE0;
constexpr char kDeflate = 8;

std::uint32_t LittleEndian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

}  // namespace

bool BeginsLikeGzip(std::string_view text) {
  return text.starts_with(kMagic);
}

class GunzipStream::Impl {
 public:
  Result<std::size_t> Unpack(std::string_view& gzip, std::span<char> out) {
    std::size_t written = 0;
    while (!gzip.empty() && written < out.size()) {
      const std::size_t before = gzip.size();
      const Status status = part_ == Part::kData ? Inflate(gzip, out, written) : ReadPart(gzip);
      place_ += before - gzip.size();
      if (!status.ok()) return status.error();
    }
    return written;
  }

  Status AtEnd() const {
    if (part_ == Part::kHeader && bytes_.empty() && place_ > 0) return Ok();
    return Bad("ends in the middle");
  }

 private:
  enum class Part { kHeader, kExtraLength, kExtraText, kNameText, kCommentText, kCrc, kData, kEnd };

  Error Bad(std::string_view why) const {
    return {"bad_gzip", fmt::format("the gzip stream {}, at byte {}", why, place_)};
  }

  // Collects what the part needs, and goes on to the next.
  Status ReadPart(std::string_view& gzip) {
    if (part_ == Part::kNameText || part_ == Part::kCommentText) {
      const std::size_t end = gzip.find('\0');
      gzip.remove_prefix(end == std::string_view::npos ? gzip.size() : end + 1);
      if (end != std::string_view::npos) Next();
      return Ok();
    }
    const std::size_t taken = std::min(gzip.size(), Needed() - bytes_.size());
    bytes_.append(gzip.substr(0, taken));
    gzip.remove_prefix(taken);
    if (bytes_.size() < Needed()) return Ok();
    if (part_ == Part::kHeader) {
      if (!BeginsLikeGzip(bytes_) || bytes_[2] != kDeflate)
        return Bad("has no member where one should begin");
      flags_ = static_cast<unsigned char>(bytes_[3]);
      if ((flags_ & kReserved) != 0) return Bad("has a header of an unknown kind");
    }
    if (part_ == Part::kExtraLength) extra_ = LittleEndian(bytes_);
    if (part_ == Part::kEnd) {
      const std::string_view trailer = bytes_;
      if (LittleEndian(trailer.substr(0, 4)) != crc_.checksum() ||
          LittleEndian(trailer.substr(4)) != static_cast<std::uint32_t>(length_)) {
        return Bad("is damaged: its checksum is another");
      }
    }
    Next();
    return Ok();
  }

  std::size_t Needed() const {
    switch (part_) {
      case Part::kHeader:
        return kHeaderBytes;
      case Part::kExtraText:
        return extra_;
      case Part::kEnd:
        return kTrailerBytes;
      default:
        return kLengthBytes;
    }
  }

  // The next part that the flags say is there.
  void Next() {
    bytes_.clear();
    do {
      part_ = part_ == Part::kEnd ? Part::kHeader : static_cast<Part>(static_cast<int>(part_) + 1);
    } while (IsAbsent());
    if (part_ != Part::kData) return;
    inflate_.reset();
    crc_.reset();
    length_ = 0;
  }
  bool IsAbsent() const {
    switch (part_) {
      case Part::kExtraLength:
        return (flags_ & kExtra) == 0;
      case Part::kExtraText:
        return (flags_ & kExtra) == 0 || extra_ == 0;
      case Part::kNameText:
        return (flags_ & kName) == 0;
      case Part::kCommentText:
        return (flags_ & kComment) == 0;
      case Part::kCrc:
        return (flags_ & kHeaderCrc) == 0;
      default:
        return false;
    }
  }

  Status Inflate(std::string_view& gzip, std::span<char> out, std::size_t& written) {
    zlib::z_params step;
    step.next_in = gzip.data();
    step.avail_in = gzip.size();
    step.next_out = out.data() + written;
    step.avail_out = out.size() - written;
    boost::system::error_code error;
    inflate_.write(step, zlib::Flush::sync, error);
    const std::size_t made = out.size() - written - step.avail_out;
    crc_.process_bytes(out.data() + written, made);
    length_ += made;
    written += made;
    const bool stuck = made == 0 && step.avail_in == gzip.size();
    gzip.remove_prefix(gzip.size() - step.avail_in);
    if (error == zlib::error::end_of_stream) {
      Next();
    } else if ((error && error != zlib::error::need_buffers) || stuck) {
      return Bad("is damaged: " + error.message());
    }
    return Ok();
  }

  Part part_ = Part::kHeader;
  std::string bytes_;  // of the part, where it came in pieces
  unsigned flags_ = 0;
  std::size_t extra_ = 0;
  zlib::inflate_stream inflate_;
  boost::crc_32_type crc_;
  std::uint64_t length_ = 0;  // of the member, unpacked
  std::uint64_t place_ = 0;   // in the stream
};

GunzipStream::GunzipStream() : impl_(std::make_unique<Impl>()) {}
GunzipStream::~GunzipStream() = default;
GunzipStream::GunzipStream(GunzipStream&&) noexcept = default;
GunzipStream& GunzipStream::operator=(GunzipStream&&) noexcept = default;

Result<std::size_t> GunzipStream::Unpack(std::string_view& gzip, std::span<char> out) {
  return impl_->Unpack(gzip, out);
}

Status GunzipStream::AtEnd() const {
  return impl_->AtEnd();
}

}  // namespace tunehub::core
