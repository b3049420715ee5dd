#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/text.h"
#include "core/row/row.h"
#include "core/table/table_writer.h"
#include "server/db/provider.h"
#include "server/insight/comparisons.h"
#include "server/insight/differences.h"

namespace tunehub::server {
namespace {

using analysis::Difference;

bool IsListed(Difference difference, std::optional<Difference> kind) {
  if (kind) return difference == *kind;
  return difference != Difference::kNone && difference != Difference::kWithinNoise;
}

// Returns the value to sort by. A loss sorts like a gain of the same size.
std::optional<double> ValueOf(const WeighedDifference& it, DifferenceSort sort) {
  const KeyDifference& key = *it.key;
  switch (sort) {
    case DifferenceSort::kLost:
      return it.lost_us() ? std::optional(std::abs(*it.lost_us())) : std::nullopt;
    case DifferenceSort::kRatio:
      return key.before_us() && key.after_us() ? std::optional(*key.after_us() / *key.before_us())
                                               : std::nullopt;
    case DifferenceSort::kBefore:
      return key.before_us();
    case DifferenceSort::kAfter:
      return key.after_us();
    case DifferenceSort::kDemand:
      return static_cast<double>(it.demand);
    default:
      return static_cast<double>(key.change->revision);
  }
}

bool IsBefore(const WeighedDifference& a, const WeighedDifference& b, DifferenceSort sort,
              bool descending) {
  const auto less = [&](const auto& x, const auto& y) { return descending ? y < x : x < y; };
  if (sort == DifferenceSort::kFamily) return less(a.family->name, b.family->name);
  if (sort == DifferenceSort::kTarget)
    return less(std::tie(a.key->row->gfx, a.key->row->cu_num),
                std::tie(b.key->row->gfx, b.key->row->cu_num));
  const auto left = ValueOf(a, sort), right = ValueOf(b, sort);
  if (!left || !right) return left && !right;
  return less(*left, *right);
}

}  // namespace

DifferenceTotals TotalsOf(const std::vector<WeighedDifference>& differences,
                          std::optional<Difference> kind) {
  DifferenceTotals totals;
  for (const WeighedDifference& it : differences) {
    const Difference difference = it.key->difference;
    if (difference == Difference::kNone) continue;
    const auto place = static_cast<std::size_t>(difference);
    ++totals.keys[place];
    totals.lost_us[place] += it.lost_us().value_or(0);
    if (!IsListed(difference, kind)) continue;
    RevisionShare& share = totals.revisions[it.key->change->revision];
    share = {it.key->change, share.keys + 1};
  }
  return totals;
}

std::vector<WeighedDifference> Listed(const std::vector<WeighedDifference>& differences,
                                      const DifferenceChoice& choice) {
  std::vector<WeighedDifference> listed;
  for (const WeighedDifference& it : differences) {
    if (IsListed(it.key->difference, choice.kind)) listed.push_back(it);
  }
  const auto by = [&](DifferenceSort sort, bool descending) {
    std::ranges::stable_sort(
        listed, [=](const auto& a, const auto& b) { return IsBefore(a, b, sort, descending); });
  };
  if (choice.order != DifferenceSort::kLost) by(DifferenceSort::kLost, true);
  by(choice.order, choice.descending);
  return listed;
}

}  // namespace tunehub::server
