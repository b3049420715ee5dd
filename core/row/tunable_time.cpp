#include "core/row/tunable_time.h"

#include <charconv>

namespace tunehub::core {
namespace {

constexpr int kThousand = 3;      // places
constexpr int kMostPlaces = 308;  // a double's; more is no time

// A number above 0 as digits without zeros at either end, and where its point stands among them.
struct DecimalText {
  std::string digits;
  int point = 0;  // digits before the point; below 0: zeros behind it
};

bool ReadExponent(std::string_view text, int& exponent) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  return code == std::errc() && end == text.data() + text.size() && exponent >= -kMostPlaces &&
         exponent <= kMostPlaces;
}

bool ReadDecimal(std::string_view text, DecimalText& number) {
  bool behind = false, any = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !behind) {
      behind = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    if (!behind) ++number.point;
    number.digits += c;
  }
  int exponent = 0;
  const bool scaled = i < text.size();
  if (!any || (scaled && text[i] != 'e' && text[i] != 'E')) return false;
  if (scaled && !ReadExponent(text.substr(i + 1), exponent)) return false;
  const std::size_t zeros = number.digits.find_first_not_of('0');
  if (zeros == std::string::npos) return false;  // 0
  number.digits.erase(0, zeros);
  number.digits.erase(number.digits.find_last_not_of('0') + 1);
  number.point += exponent - static_cast<int>(zeros);
  return number.point <= kMostPlaces && number.point >= -kMostPlaces;
}

std::string Moved(std::string_view text, int places) {
  DecimalText number;
  if (!ReadDecimal(text, number)) return "";
  const int point = number.point + places;
  const int count = static_cast<int>(number.digits.size());
  if (point <= 0) return "0." + std::string(static_cast<std::size_t>(-point), '0') + number.digits;
  if (point >= count) {
    return number.digits + std::string(static_cast<std::size_t>(point - count), '0');
  }
  return number.digits.substr(0, static_cast<std::size_t>(point)) + "." +
         number.digits.substr(static_cast<std::size_t>(point));
}

}  // namespace

std::string MicrosecondsOf(std::string_view ms) {
  return Moved(ms, kThousand);
}

std::string MillisecondsOf(std::string_view us) {
  return Moved(us, -kThousand);
}

}  // namespace tunehub::core
