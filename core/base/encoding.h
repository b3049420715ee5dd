// Encodes bytes as hexadecimal digits, as base64, as parts of a URL, and as UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tunehub::core {

// Bytes as hexadecimal digits, in lower case.
inline constexpr std::string_view kHexDigits = "0123456789abcdef";

// The value of one of kHexDigits; -1 for any other character.
constexpr int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void AppendHex(std::string& out, const void* bytes, std::size_t size);
std::string Hex(std::string_view bytes);
// Returns nullopt for a text that Hex cannot have written.
std::optional<std::string> FromHex(std::string_view hex);

// RFC 4648, padded.
std::string Base64(std::string_view bytes);
// Returns nullopt for a text that Base64 cannot have written.
std::optional<std::string> FromBase64(std::string_view text);

// Writes each byte as %XX, except the unreserved characters of RFC 3986. For names and values of a
// query.
std::string PercentEncoded(std::string_view text);
// Returns nullopt if a % lacks its two hexadecimal digits.
std::optional<std::string> PercentDecoded(std::string_view text);

// A file that is no UTF-8 text, known by its first bytes.
struct ForeignForm {
  std::string_view begin;
  std::string_view what;     // "packed by gzip"
  std::string_view command;  // writes its text to the standard output; "": no text is in it
};
// Returns nullptr if the bytes may be text.
const ForeignForm* FormOf(std::string_view bytes);

// The length of the well-formed UTF-8 sequence (RFC 3629) at the beginning of `s`; 0 if there is
// none. Precondition: `s` is not empty.
std::size_t Utf8Length(std::string_view s);

}  // namespace tunehub::core
