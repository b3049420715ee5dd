#include "server/http/text.h"

#include <cstddef>

#include "core/base/hex.h"

namespace tunehub::http {
namespace {

// The length of the sequence that `lead` opens, 0 where it opens none.
std::size_t SequenceLength(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// RFC 3629's table: four leads narrow the range of the byte after them.
bool SecondFits(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xE0:
      return second >= 0xA0 && second <= 0xBF;
    case 0xED:
      return second >= 0x80 && second <= 0x9F;
    case 0xF0:
      return second >= 0x90 && second <= 0xBF;
    case 0xF4:
      return second >= 0x80 && second <= 0x8F;
    default:
      return second >= 0x80 && second <= 0xBF;
  }
}

}  // namespace

bool IsUtf8(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = SequenceLength(byte(at));
    if (length == 0 || at + length > text.size()) return false;
    if (length > 1 && !SecondFits(byte(at), byte(at + 1))) return false;
    for (std::size_t i = 2; i < length; ++i) {
      if ((byte(at + i) & 0xC0) != 0x80) return false;
    }
    at += length;
  }
  return true;
}

void AppendJsonString(std::string& out, std::string_view text) {
  const bool utf8 = IsUtf8(text);
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      core::AppendHex(out, &byte, 1);
    } else {
      out += byte >= 0x80 && !utf8 ? '?' : c;
    }
  }
  out += '"';
}

}  // namespace tunehub::http
