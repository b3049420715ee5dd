#include "core/readers/python_dict.h"

#include <charconv>
#include <unordered_map>

namespace tunehub::core {
namespace {

bool IsPythonBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f');
}

bool IsDecimal(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::vector<JsonMember> AsDict(std::vector<JsonMember> members, std::vector<std::string>* twice) {
  std::vector<JsonMember> dict;
  std::unordered_map<std::string, std::size_t> places;
  for (JsonMember& member : members) {
    const auto [it, is_new] = places.try_emplace(member.name, dict.size());
    if (is_new) {
      dict.push_back(std::move(member));
      continue;
    }
    if (twice != nullptr) twice->push_back(member.name);
    dict[it->second].value = member.value;
  }
  return dict;
}

std::optional<std::int64_t> PythonInt(std::string_view text) {
  while (!text.empty() && IsPythonBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsPythonBlank(text.back())) text.remove_suffix(1);
  std::string digits;
  if (text.starts_with('-')) digits = "-";
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool joins = text[i] == '_' && i > 0 && i + 1 < text.size() && IsDecimal(text[i - 1]) &&
                       IsDecimal(text[i + 1]);
    if (joins) continue;
    if (!IsDecimal(text[i])) return std::nullopt;
    digits.push_back(text[i]);
  }
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

}  // namespace tunehub::core
