#include "core/analysis/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/family/family.h"
#include "core/table/csv.h"
#include "core/table/table_writer.h"

namespace tunehub::analysis {
namespace {

std::size_t HashOfTexts(std::size_t so_far, std::string_view text) {
  constexpr std::size_t kOdd = 0x9e3779b97f4a7c15;
  return (so_far ^ std::hash<std::string_view>()(text)) * kOdd;
}

void AppendField(std::string& line, std::string_view field, bool is_first) {
  if (!is_first) line.push_back(',');
  core::AppendCsvField(line, field);
}

// A side's fastest candidate for one shape key.
struct Best {
  const CandidateTimes* timing = nullptr;
  std::optional<Settled> settled;  // the fastest candidate's time
  bool present = false;
};

struct Joined {
  const CandidateTimes* first = nullptr;  // contains target and shape
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

// Facts that are mixed within a side count as differing, because a value may differ from the other
// side's.
Environments EnvironmentsOf(const Side& base, const Side& head) {
  Environments environments = CompareEnvironments(base.environment, head.environment);
  std::set<std::string> differing(base.mixed);
  differing.insert(head.mixed.begin(), head.mixed.end());
  if (differing.empty()) return environments;
  differing.insert(environments.differing.begin(), environments.differing.end());
  return {{differing.begin(), differing.end()}, false};
}

// True if both times have samples and the 95 % interval of their ratio reaches the limit.
bool IsWithinNoise(const Timed& base, const Timed& head, const CompareLimits& limits) {
  if (base.reach == 0 || head.reach == 0) return false;
  const double ratio = std::max(base.us / head.us, head.us / base.us);
  return ratio * (1 - std::hypot(base.reach, head.reach)) <= limits.ratio;
}

Change ChangeOf(const Compared& it, const CompareLimits& limits, bool is_repetition) {
  if (!it.in_base) return Change::kNotInBase;
  if (it.base && it.base->us < limits.ignore_below_us) return Change::kBelowFloor;
  if (!it.in_head) return Change::kNotInHead;
  if (!it.base || !it.head) return Change::kSkipped;
  const Change change = ChangeOfTimes(it.base->us, it.head->us, limits);
  if (!it.is_stable) return Change::kUnstable;
  if (IsWithinNoise(*it.base, *it.head, limits)) return Change::kSame;
  const bool is_noise = change == Change::kSlower && it.same_kernel && is_repetition;
  return is_noise ? Change::kSameKernel : change;
}

std::optional<Timed> TimedOf(const Best& best, core::Texts& texts) {
  if (!best.settled) return std::nullopt;
  return Timed{best.settled->us, texts.Once(best.timing->kernel), best.timing->reach};
}

// Returns the distinct keys of both sides, in the order of the base.
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

Compared ComparedOf(const Joined& joined, core::Texts& texts) {
  const KeyLines& key = joined.first->key;
  const auto &base = joined.base, &head = joined.head;
  Compared it;
  it.key = {texts.Once(key.target), texts.Once(key.columns), texts.Add(key.cells)};
  it.in_base = base.present;
  it.in_head = head.present;
  it.base = TimedOf(base, texts);
  it.head = TimedOf(head, texts);
  if (!it.base || !it.head) return it;
  it.is_stable = base.settled->stable && head.settled->stable;
  const std::string_view kernel = base.timing->candidate;
  it.same_kernel = !kernel.empty() && kernel == head.timing->candidate;
  return it;
}

// Fills in the changes and counts from the keys and the limits.
core::Result<Comparison> Judged(Comparison comparison, const CompareLimits& limits) {
  bool common = false;
  for (Compared& it : comparison.keys) {
    it.change = ChangeOf(it, limits, comparison.environments.is_repetition);
    common = common || (it.in_base && it.in_head);
    if (it.in_base) ++comparison.base_keys;
    if (it.in_head) ++comparison.head_keys;
    if (it.base && it.head) comparison.speedups.push_back(it.speedup());
    ++comparison.counts[static_cast<std::size_t>(it.change)];
  }
  comparison.speedups.shrink_to_fit();
  if (common) return comparison;
  return core::Error{
      "no_common_key",
      fmt::format("both sides have no shape in common; the base has {} shapes, the head has {}",
                  comparison.base_keys, comparison.head_keys)};
}

}  // namespace

NamedCells KeyLines::shape() const {
  NamedCells shape;
  if (columns.empty()) return shape;
  std::string scratch, other_scratch;
  const core::Cells names = core::SplitLine(columns, scratch),
                    values = core::SplitLine(cells, other_scratch);
  for (std::size_t i = 0; i < names.size(); ++i) shape.emplace_back(names[i], values[i]);
  return shape;
}

std::size_t KeyLinesHasher::operator()(const KeyLines& key) const {
  return HashOfTexts(HashOfTexts(HashOfTexts(0, key.target), key.columns), key.cells);
}

std::size_t Side::PlaceHasher::operator()(const Place& place) const {
  return HashOfTexts(KeyLinesHasher()(place.key), place.candidate);
}

CandidateTimes& Side::At(std::string_view target, const NamedViews& shape,
                         std::string_view candidate, std::string_view kernel) {
  columns_.clear();
  cells_.clear();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    AppendField(columns_, shape[i].first, i == 0);
    AppendField(cells_, shape[i].second, i == 0);
  }
  const auto known = places_.find({{target, columns_, cells_}, candidate});
  if (known != places_.end()) return timings_[known->second];
  const KeyLines key{texts_.Once(target), texts_.Once(columns_), texts_.Add(cells_)};
  timings_.push_back({key, texts_.Once(candidate), texts_.Once(kernel), {}});
  places_.emplace(Place{key, timings_.back().candidate}, timings_.size() - 1);
  return timings_.back();
}

std::size_t Comparison::lost() const {
  return static_cast<std::size_t>(std::ranges::count_if(keys, &Compared::lost));
}

std::size_t SizeOf(const Comparison& comparison) {
  return comparison.keys.capacity() * sizeof(Compared) +
         comparison.speedups.capacity() * sizeof(double) + comparison.texts->bytes();
}

core::Result<Comparison> Compare(const Side& base, const Side& head, const CompareLimits& limits) {
  const std::vector<Joined> joined = Join(base, head, limits.spread);
  Comparison comparison;
  comparison.base_environment = base.environment;
  comparison.head_environment = head.environment;
  comparison.environments = EnvironmentsOf(base, head);
  comparison.keys.reserve(joined.size());
  const auto texts = std::make_shared<core::Texts>();
  for (const Joined& it : joined) comparison.keys.push_back(ComparedOf(it, *texts));
  comparison.texts = texts;
  return Judged(std::move(comparison), limits);
}

core::Result<Comparison> Narrowed(const Comparison& whole, const WantedTarget& wanted,
                                  const CompareLimits& limits) {
  Comparison comparison;
  comparison.base_environment = whole.base_environment;
  comparison.head_environment = whole.head_environment;
  comparison.environments = whole.environments;
  comparison.texts = whole.texts;
  for (const Compared& it : whole.keys) {
    const auto target = wanted(it.key.target);
    if (!target) continue;
    comparison.keys.push_back(it);
    comparison.keys.back().key.target = *target;
  }
  comparison.keys.shrink_to_fit();
  return Judged(std::move(comparison), limits);
}

Difference DifferenceOf(const Winner& before, const Winner& after, bool same_code) {
  if (!after.is_tuned) return before.is_tuned ? Difference::kNotMeasuredAfter : Difference::kNone;
  if (!before.is_tuned) return Difference::kNotMeasuredBefore;
  if (!before.us) return after.us ? Difference::kNotMeasuredBefore : Difference::kNone;
  if (!after.us) return Difference::kNotMeasuredAfter;
  if (*before.us == *after.us) return Difference::kNone;
  switch (ChangeOfTimes(*before.us, *after.us, {})) {
    case Change::kSlower:
      return same_code ? Difference::kWithinNoise : Difference::kSlower;
    case Change::kFaster:
      return Difference::kFaster;
    case Change::kBelowFloor:
      return Difference::kBelowFloor;
    default:
      return Difference::kWithinNoise;
  }
}

}  // namespace tunehub::analysis
