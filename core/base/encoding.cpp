#include "core/base/encoding.h"

#include <openssl/evp.h>

#include <algorithm>

#include "core/base/text.h"

namespace tunehub::core {

void AppendHex(std::string& out, const void* bytes, std::size_t size) {
  const auto* const from = static_cast<const unsigned char*>(bytes);
  const std::size_t begin = out.size();
  out.resize(begin + 2 * size);
  for (std::size_t i = 0; i < size; ++i) {
    out[begin + 2 * i] = kHexDigits[from[i] >> 4];
    out[begin + 2 * i + 1] = kHexDigits[from[i] & 15];
  }
}

std::string Hex(std::string_view bytes) {
  std::string hex;
  AppendHex(hex, bytes.data(), bytes.size());
  return hex;
}

std::optional<std::string> FromHex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = HexDigit(hex[i]), low = HexDigit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

std::string Base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // OpenSSL writes a zero after it
  text.resize(static_cast<std::size_t>(EVP_EncodeBlock(
      reinterpret_cast<unsigned char*>(text.data()),
      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()))));
  return text;
}

std::optional<std::string> FromBase64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  const auto padding = static_cast<std::size_t>(std::ranges::count(text, '='));
  if (text.size() % 4 != 0 || size < 0 || padding > bytes.size()) return std::nullopt;
  bytes.resize(bytes.size() - padding);
  // OpenSSL also accepts surrounding blanks and unused bits that are set.
  if (Base64(bytes) != text) return std::nullopt;
  return bytes;
}

std::string PercentEncoded(std::string_view text) {
  constexpr std::string_view kUnreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (kUnreserved.find(c) != std::string_view::npos)
      out.push_back(c);
    else
      out.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return out;
}

std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    const bool whole = i + 2 < text.size();
    const int high = whole ? HexDigit(Lower(text[i + 1])) : -1;
    const int low = whole ? HexDigit(Lower(text[i + 2])) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

namespace {

using namespace std::string_view_literals;

constexpr ForeignForm kForms[] = {
    {"\x1f\x8b"sv, "packed by gzip", "zcat"},
    {"\x28\xb5\x2f\xfd"sv, "packed by zstd", "zstdcat"},
    {"\xfd"
     "7zXZ\0"sv,
     "packed by xz", "xzcat"},
    {"PK\3\4"sv, "a zip archive or an Excel workbook", "unzip -p"},
    {"\xff\xfe"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
    {"\x7f"
     "ELF"sv,
     "a program", ""},
    {"GGUF"sv, "a model in GGUF", ""},
};

}  // namespace

const ForeignForm* FormOf(std::string_view bytes) {
  for (const ForeignForm& form : kForms) {
    if (bytes.starts_with(form.begin)) return &form;
  }
  return nullptr;
}

std::size_t Utf8Length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;  // the bounds of the second byte
  if (lead >= 0xC2 && lead <= 0xDF)
    length = 2;
  else if (lead >= 0xE0 && lead <= 0xEF)
    length = 3;
  else if (lead >= 0xF0 && lead <= 0xF4)
    length = 4;
  if (lead == 0xE0) low = 0xA0;   // no overlong form
  if (lead == 0xED) high = 0x9F;  // no surrogate
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;  // nothing above U+10FFFF
  if (length == 0 || s.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

}  // namespace tunehub::core
