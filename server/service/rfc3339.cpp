#include "server/service/rfc3339.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace tunehub::service {
namespace {

// PostgreSQL takes no larger offset, and no longer text; both are more than anybody needs.
constexpr int kMaxOffsetHours = 15;
constexpr std::size_t kMaxText = 64;

std::optional<int> Digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  for (char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

bool IsOffset(std::string_view text) {
  if (text == "Z" || text == "z") return true;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return false;
  return Digits(text, 1, 2).value_or(99) <= kMaxOffsetHours && Digits(text, 4, 2).value_or(99) < 60;
}

}  // namespace

bool IsRfc3339(std::string_view text) {
  if (text.size() < 20 || text.size() > kMaxText || text[4] != '-' || text[7] != '-' ||
      (text[10] | 0x20) != 't' || text[13] != ':' || text[16] != ':') {
    return false;
  }
  const auto year = Digits(text, 0, 4), month = Digits(text, 5, 2), day = Digits(text, 8, 2);
  if (!year || *year == 0 || !month || !day) return false;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || Digits(text, 11, 2).value_or(99) > 23 ||
      Digits(text, 14, 2).value_or(99) > 59 || Digits(text, 17, 2).value_or(99) > 60) {
    return false;
  }
  std::string_view rest = text.substr(19);
  if (rest.front() == '.') {
    const std::size_t end = rest.find_first_not_of("0123456789", 1);
    if (end == 1 || end == std::string_view::npos) return false;
    rest = rest.substr(end);
  }
  return IsOffset(rest);
}

}  // namespace tunehub::service
