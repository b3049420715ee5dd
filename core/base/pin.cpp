#include "core/base/pin.h"

#include <algorithm>
#include <charconv>

#include "core/base/encoding.h"

namespace tunehub::core {

std::string Pin::Text() const {
  std::string text = std::to_string(number);
  if (has_token()) text.append("-").append(token);
  return text;
}

std::optional<Pin> ParsePin(std::string_view text) {
  Pin pin;
  if (text.starts_with('-')) return std::nullopt;  // from_chars would accept "-0"
  const std::size_t dash = std::min(text.find('-'), text.size());
  const char* const end = text.data() + dash;
  const auto parsed = std::from_chars(text.data(), end, pin.number);
  if (parsed.ec != std::errc() || parsed.ptr != end || pin.number < 0) return std::nullopt;
  if (dash == text.size()) return pin;
  pin.token = text.substr(dash + 1);
  const bool is_token = pin.token.size() == kTokenDigits &&
                        std::ranges::all_of(pin.token, [](char c) { return HexDigit(c) >= 0; });
  if (!is_token) return std::nullopt;
  return pin;
}

}  // namespace tunehub::core
