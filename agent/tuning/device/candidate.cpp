#include "agent/tuning/device/candidate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "core/row/cell.h"

namespace tunehub::agent::tuning {
namespace {

constexpr int kUnlike = 1000;
constexpr double kOtherColumnWeight = 2;

enum class Kind { kDigit, kLetter, kOther };
Kind KindOf(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (std::isdigit(byte) != 0) return Kind::kDigit;
  return std::isalpha(byte) != 0 ? Kind::kLetter : Kind::kOther;
}

// "tk_a8w8_8x2_nm" -> "tk", "_", "a", "8", "w", "8", "_", "8", "x", "2", "_", "nm".
std::vector<std::string_view> Parts(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::find_if(text.begin(), text.end(),
                                  [&](char c) { return KindOf(c) != KindOf(text.front()); });
    const auto size = static_cast<std::size_t>(end - text.begin());
    parts.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return parts;
}

int DifferencesOfText(std::string_view a, std::string_view b) {
  const auto first = Parts(a), second = Parts(b);
  if (first.size() != second.size()) return kUnlike;
  int differences = 0;
  for (std::size_t i = 0; i < first.size(); ++i) differences += first[i] == second[i] ? 0 : 1;
  return differences;
}

}  // namespace

std::string TextOf(const Columns& columns) {
  std::string text;
  for (const auto& [column, value] : columns) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", column, value);
  }
  return text;
}

long SplitK(const Columns& candidate) {
  for (const char* column : {"splitK", "ksplit"}) {
    const auto found = candidate.find(column);
    if (found != candidate.end()) return core::ParseInt64(found->second).value_or(0);
  }
  return 0;
}

double Distance(const Columns& a, const Columns& b) {
  double distance = 0;
  for (const auto& [column, value] : a) {
    const auto other = b.find(column);
    if (other == b.end()) return std::numeric_limits<double>::infinity();
    if (other->second == value) continue;
    const auto first = core::ParseInt64(value), second = core::ParseInt64(other->second);
    if (!first || !second || *first <= 0 || *second <= 0) {
      return std::numeric_limits<double>::infinity();
    }
    const double weight = column == "M" || column == "token" ? 1 : kOtherColumnWeight;
    distance +=
        weight * std::abs(std::log2(static_cast<double>(*first) / static_cast<double>(*second)));
  }
  return distance;
}

int Differences(const Columns& a, const Columns& b) {
  int differences = 0;
  for (const auto& [column, value] : a) {
    const auto other = b.find(column);
    if (other == b.end()) return kUnlike;
    differences += DifferencesOfText(value, other->second);
  }
  return std::min(differences, kUnlike);
}

}  // namespace tunehub::agent::tuning
