#include "core/base/percent.h"

#include "core/base/ascii.h"
#include "core/base/hex.h"

namespace tunehub::core {

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

}  // namespace tunehub::core
