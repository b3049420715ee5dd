#include "core/analysis/compared_keys.h"

#include <algorithm>

#include "core/analysis/choice.h"
#include "core/analysis/statistics.h"

namespace tunehub::analysis {
namespace {

constexpr std::string_view kOrders[] = {"change", "target", "base", "head", "speedup"};

std::optional<double> ValueOf(const Compared& it, KeyOrder order) {
  if (order == KeyOrder::kBase && it.base) return it.base->us;
  if (order == KeyOrder::kHead && it.head) return it.head->us;
  if (order == KeyOrder::kSpeedup && it.base && it.head) return it.speedup();
  return std::nullopt;
}

bool IsWorse(const Compared* a, const Compared* b) {
  const auto speedup = [](const Compared& it) { return it.base && it.head ? it.speedup() : 1; };
  return a->change != b->change ? a->change < b->change : speedup(*a) < speedup(*b);
}

// Whether `a` comes before `b` by the chosen value alone.
bool IsBefore(const Compared& a, const Compared& b, const KeyChoice& choice) {
  const auto less = [&](const auto& x, const auto& y) { return choice.descending ? y < x : x < y; };
  if (choice.order == KeyOrder::kWorst) return less(a.change, b.change);
  if (choice.order == KeyOrder::kTarget) return less(a.key.target, b.key.target);
  const auto left = ValueOf(a, choice.order), right = ValueOf(b, choice.order);
  if (!left || !right) return left && !right;
  return less(*left, *right);
}

}  // namespace

core::Status ParseOrder(std::string_view text, KeyChoice& choice) {
  return ParseOrder(text, kOrders, choice);
}

std::vector<const Compared*> Chosen(const Comparison& comparison, const KeyChoice& choice) {
  std::vector<const Compared*> keys;
  for (const Compared& it : comparison.keys) {
    if (!choice.change || it.change == *choice.change) keys.push_back(&it);
  }
  std::stable_sort(keys.begin(), keys.end(), IsWorse);
  if (choice.order == KeyOrder::kWorst && !choice.descending) return keys;
  std::stable_sort(keys.begin(), keys.end(),
                   [&](const Compared* a, const Compared* b) { return IsBefore(*a, *b, choice); });
  return keys;
}

SpeedupRange RangeOf(const Comparison& comparison, std::optional<Change> change) {
  std::vector<double> speedups;
  for (const Compared& it : comparison.keys) {
    if (it.base && it.head && (!change || it.change == *change)) speedups.push_back(it.speedup());
  }
  if (speedups.empty()) return {};
  const auto [least, greatest] = std::minmax_element(speedups.begin(), speedups.end());
  return {speedups.size(), GeometricMean(speedups), *least, *greatest};
}

}  // namespace tunehub::analysis
