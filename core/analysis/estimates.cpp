#include "core/analysis/estimates.h"

#include <algorithm>
#include <limits>

namespace tunehub::analysis {
namespace {

constexpr std::array<std::string_view, kBases> kBasisNames = {"same_weights", "other_weights",
                                                              "sibling", "roofline"};

// The median of a sorted list without one of its values, where that is named.
double MedianWithout(const std::vector<double>& sorted, std::optional<double> value) {
  const std::size_t gone =
      value ? static_cast<std::size_t>(std::ranges::lower_bound(sorted, *value) - sorted.begin())
            : sorted.size();
  const std::size_t size = sorted.size() - (value ? 1 : 0);
  const auto at = [&](std::size_t i) { return sorted[i < gone ? i : i + 1]; };
  return size % 2 == 1 ? at(size / 2) : (at(size / 2 - 1) + at(size / 2)) / 2;
}

}  // namespace

std::string_view Name(Basis basis) {
  return kBasisNames.at(static_cast<std::size_t>(basis));
}

Estimates::Estimates(std::vector<TimedKey> keys, int cu_num) : keys_(std::move(keys)) {
  std::ranges::stable_sort(keys_, [](const auto& a, const auto& b) { return Order(a) < Order(b); });
  for (const TimedKey& key : keys_) {
    if (!key.is_tuned()) continue;
    Target& target = targets_[key.cu_num];
    target.tuned[key.place.rest][{key.place.n, key.place.k}].push_back(&key);
    if (key.has_roofline()) target.shares.push_back(key.share());
    if (!key.has_default()) continue;
    both_[key.place.rest][{key.place.n, key.place.k}].push_back(&key);
    ++with_both_;
  }
  for (auto& [its, target] : targets_) std::ranges::sort(target.shares);
  for (const auto& [here, target] : targets_) {
    for (const auto& [there, other] : targets_) {
      if (here != there) Learn(here, there);
    }
  }
  for (std::size_t i = 0; i < kBases; ++i) errors_[i] = Judge(static_cast<Basis>(i), cu_num);
}

void Estimates::Learn(int here, int there) {
  std::vector<double>& ratios = ratios_[{here, there}];
  for (const TimedKey& key : keys_) {
    if (key.cu_num != here || !key.is_tuned()) continue;
    const TimedKey* const other = At(targets_.at(there), key.place);
    if (other != nullptr) ratios.push_back(key.tuned_us / other->tuned_us);
  }
  std::ranges::sort(ratios);
}

const TimedKey* Estimates::At(const Target& target, const KeyPlace& place) {
  const auto rest = target.tuned.find(place.rest);
  if (rest == target.tuned.end()) return nullptr;
  const auto weights = rest->second.find({place.n, place.k});
  if (weights == rest->second.end()) return nullptr;
  const auto found = std::ranges::lower_bound(weights->second, place.m, {},
                                              [](const TimedKey* key) { return key->place.m; });
  return found != weights->second.end() && (*found)->place.m == place.m ? *found : nullptr;
}

const TimedKey* Estimates::Find(const KeyPlace& place, int cu_num) const {
  const TimedKey asked{place, cu_num};
  const auto found = std::ranges::lower_bound(
      keys_, asked, [](const auto& a, const auto& b) { return Order(a) < Order(b); });
  return found != keys_.end() && IsSameKey(*found, asked) ? &*found : nullptr;
}

bool Estimates::has_defaults() const {
  return std::ranges::any_of(keys_, &TimedKey::has_default);
}

std::optional<TimeEstimate> Estimates::ByNeighbour(const TimedKey& asked, bool same_weights) const {
  const auto target = targets_.find(asked.cu_num);
  if (target == targets_.end() || !asked.has_roofline()) return std::nullopt;
  const auto rest = target->second.tuned.find(asked.place.rest);
  if (rest == target->second.tuned.end()) return std::nullopt;
  NearestKey nearest(asked, kFarthest * kFarthest, true);
  const Weights own{asked.place.n, asked.place.k};
  if (!same_weights) {
    nearest.LookAround(rest->second, own);
  } else if (const auto keys = rest->second.find(own); keys != rest->second.end()) {
    nearest.Look(keys->second);
  }
  const TimedKey* const best = nearest.key();
  if (best == nullptr) return std::nullopt;
  const double factor = asked.roofline_us / best->roofline_us;
  return TimeEstimate{same_weights ? Basis::kSameWeights : Basis::kOtherWeights,
                      best->tuned_us * factor, best, factor};
}

std::optional<TimeEstimate> Estimates::BySibling(const TimedKey& asked) const {
  for (const auto& [cu_num, target] : targets_) {
    if (cu_num == asked.cu_num) continue;
    const TimedKey* const there = At(target, asked.place);
    const auto ratios = ratios_.find({asked.cu_num, cu_num});
    if (there == nullptr || ratios == ratios_.end()) continue;
    // The known key's own ratio is no evidence about itself.
    const TimedKey* const own = Find(asked.place, asked.cu_num);
    const bool known = own != nullptr && own->is_tuned();
    const std::size_t keys = ratios->second.size() - (known ? 1 : 0);
    if (keys < kFewestKeys) continue;
    const auto gone = known ? std::optional(own->tuned_us / there->tuned_us) : std::nullopt;
    const double factor = MedianWithout(ratios->second, gone);
    return TimeEstimate{Basis::kSibling, there->tuned_us * factor, there, factor, keys};
  }
  return std::nullopt;
}

std::optional<TimeEstimate> Estimates::ByRoofline(const TimedKey& asked) const {
  const auto target = targets_.find(asked.cu_num);
  if (target == targets_.end() || !asked.has_roofline()) return std::nullopt;
  const TimedKey* const own = Find(asked.place, asked.cu_num);
  const bool known = own != nullptr && own->is_tuned() && own->has_roofline();
  const std::vector<double>& shares = target->second.shares;
  const std::size_t keys = shares.size() - (known ? 1 : 0);
  if (shares.empty() || keys < kFewestKeys) return std::nullopt;
  const double share = MedianWithout(shares, known ? std::optional(own->share()) : std::nullopt);
  return TimeEstimate{Basis::kRoofline, asked.roofline_us / share, nullptr, share, keys};
}

std::optional<TimeEstimate> Estimates::Tuned(const TimedKey& asked, Basis basis) const {
  switch (basis) {
    case Basis::kSameWeights:
      return ByNeighbour(asked, true);
    case Basis::kOtherWeights:
      return ByNeighbour(asked, false);
    case Basis::kSibling:
      return BySibling(asked);
    case Basis::kRoofline:
      return ByRoofline(asked);
  }
  return std::nullopt;
}

std::optional<TimeEstimate> Estimates::Tuned(const TimedKey& asked) const {
  for (std::size_t i = 0; i < kBases; ++i) {
    if (const auto found = Tuned(asked, static_cast<Basis>(i))) return found;
  }
  return std::nullopt;
}

const TimedKey* Estimates::NearestWithBoth(const TimedKey& asked) const {
  const auto alike = both_.find(asked.place.rest);
  if (alike == both_.end()) return nullptr;
  NearestKey nearest(asked, std::numeric_limits<double>::infinity(), false);
  nearest.LookAround(alike->second);
  return nearest.key();
}

std::optional<WorthEstimate> Estimates::Worth(const TimedKey& asked,
                                              const TimeEstimate& tuned) const {
  if (asked.has_default()) {
    return WorthEstimate{tuned, asked.default_us, nullptr, asked.default_us - tuned.us};
  }
  const TimedKey* const near = NearestWithBoth(asked);
  if (near == nullptr) return std::nullopt;
  const double default_us = tuned.us * near->ratio();
  return WorthEstimate{tuned, default_us, near, default_us - tuned.us};
}

Estimates::Errors Estimates::Judge(Basis basis, int cu_num) const {
  HeldOutMaker times, worths, by_ratio;
  for (const TimedKey& key : keys_) {
    const bool both = key.is_tuned() && key.has_default();
    if (!both && (!key.is_tuned() || key.cu_num != cu_num)) continue;
    const auto tuned = Tuned(key, basis);
    if (!tuned) continue;
    if (key.cu_num == cu_num) times.Add(tuned->us, key.tuned_us, tuned->us);
    if (!both) continue;
    const double brought = key.default_us - key.tuned_us;
    worths.Add(Worth(key, *tuned)->us, brought, tuned->us);
    TimedKey without = key;
    without.default_us = kUnknown;
    const auto worth = Worth(without, *tuned);
    if (worth) by_ratio.Add(worth->us, brought, tuned->us);
  }
  return {times.Done(), worths.Done(), by_ratio.Done()};
}

}  // namespace tunehub::analysis
