#include "core/analysis/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

namespace tunehub::analysis {
namespace {

// What a side knows of one key.
struct Best {
  const CandidateTimes* timing = nullptr;
  std::optional<Settled> settled;  // the fastest candidate's
  bool present = false;
};

struct Joined {
  const CandidateTimes* first = nullptr;  // says target and shape
  Best base, head;
};

bool SaysTarget(const Side& side) {
  return std::ranges::any_of(
      side.timings(), [](const CandidateTimes& timing) { return !timing.key.target.empty(); });
}

void Add(const CandidateTimes& timing, double spread, Best& best) {
  best.present = true;
  const auto settled = Settle(timing.runs, spread);
  if (!settled || (best.settled && best.settled->us <= settled->us)) return;
  best.settled = settled;
  best.timing = &timing;
}

bool SameVersionsOf(const Side& base, const Side& head) {
  return !base.mixed && !head.mixed && SameVersions(base.environment, head.environment);
}

Change ChangeOf(const Joined& joined, const CompareLimits& limits, bool same_versions) {
  if (!joined.base.present) return Change::kNew;
  if (!joined.head.present) return Change::kRemoved;
  if (!joined.base.settled || !joined.head.settled) return Change::kSkipped;
  const Change change = ChangeOfTimes(joined.base.settled->us, joined.head.settled->us, limits);
  if (change == Change::kIgnored) return change;
  if (!joined.base.settled->stable || !joined.head.settled->stable) return Change::kUnstable;
  if (change != Change::kSlower) return change;
  const std::string_view kernel = joined.base.timing->candidate;
  const bool same_kernel = !kernel.empty() && kernel == joined.head.timing->candidate;
  return same_kernel && same_versions ? Change::kSameKernel : Change::kSlower;
}

std::optional<Timed> TimedOf(const Best& best, core::Texts& texts) {
  if (!best.settled) return std::nullopt;
  return Timed{best.settled->us, texts.Once(best.timing->kernel)};
}

// The keys of both sides, each once, in the order of the base.
std::vector<Joined> Join(const Side& base, const Side& head, double spread) {
  const bool by_target = SaysTarget(base) && SaysTarget(head);
  std::vector<Joined> joined;
  std::unordered_map<KeyLines, std::size_t, KeyLinesHasher> places;
  const auto add = [&](const Side& side, Best Joined::*member) {
    for (const CandidateTimes& timing : side.timings()) {
      KeyLines key = timing.key;
      if (!by_target) key.target = {};
      const auto [place, fresh] = places.emplace(key, joined.size());
      if (fresh) joined.push_back({&timing, {}, {}});
      Add(timing, spread, joined[place->second].*member);
    }
  };
  add(base, &Joined::base);
  add(head, &Joined::head);
  return joined;
}

}  // namespace

std::string_view Name(Change change) {
  constexpr std::string_view kNames[kChanges] = {"slower",  "unstable", "same_kernel",
                                                 "removed", "new",      "skipped",
                                                 "ignored", "faster",   "same"};
  return kNames[static_cast<std::size_t>(change)];
}

Change ChangeOfTimes(double base_us, double head_us, const CompareLimits& limits) {
  if (base_us < limits.ignore_below_us) return Change::kIgnored;
  if (base_us > limits.ratio * head_us + limits.slack_us) return Change::kFaster;
  return head_us > limits.ratio * base_us + limits.slack_us ? Change::kSlower : Change::kSame;
}

bool SameVersions(const Environment& base, const Environment& head) {
  bool any = false;
  for (std::string_view name : kVersions) {
    const auto a = base.find(std::string(name)), b = head.find(std::string(name));
    if ((a == base.end()) != (b == head.end())) return false;
    if (a == base.end()) continue;
    if (a->second != b->second) return false;
    any = any || !a->second.empty();
  }
  return any;
}

std::size_t Comparison::lost() const {
  return static_cast<std::size_t>(std::ranges::count_if(keys, &Compared::lost));
}

std::size_t SizeOf(const Comparison& comparison) {
  return comparison.keys.capacity() * sizeof(Compared) +
         comparison.speedups.capacity() * sizeof(double) + comparison.texts.bytes();
}

core::Result<Comparison> Compare(const Side& base, const Side& head, const CompareLimits& limits) {
  const std::vector<Joined> joined = Join(base, head, limits.spread);
  Comparison comparison;
  comparison.base_environment = base.environment;
  comparison.head_environment = head.environment;
  comparison.same_versions = SameVersionsOf(base, head);
  comparison.keys.reserve(joined.size());
  core::Texts& texts = comparison.texts;
  bool common = false;
  for (const Joined& it : joined) {
    const KeyLines& key = it.first->key;
    const Compared compared{{texts.Once(key.target), texts.Once(key.columns), texts.Add(key.cells)},
                            ChangeOf(it, limits, comparison.same_versions),
                            TimedOf(it.base, texts),
                            TimedOf(it.head, texts)};
    common = common || (it.base.present && it.head.present);
    if (it.base.present) ++comparison.base_keys;
    if (it.head.present) ++comparison.head_keys;
    if (compared.base && compared.head) comparison.speedups.push_back(compared.speedup());
    ++comparison.counts[static_cast<std::size_t>(compared.change)];
    comparison.keys.push_back(compared);
  }
  comparison.speedups.shrink_to_fit();
  if (common) return comparison;
  return core::Error{"no_common_key",
                     fmt::format("no key is on both sides: the base has {}, the head {}",
                                 comparison.base_keys, comparison.head_keys)};
}

}  // namespace tunehub::analysis
