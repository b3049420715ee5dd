#include "core/analysis/worth.h"

#include <algorithm>

#include "core/analysis/statistics.h"

namespace tunehub::analysis {
namespace {

constexpr std::array<std::string_view, kNeeds> kNeedNames = {"missing", "baseline", "unmeasured",
                                                             "slow"};

// The weight of a shape in its group, by pair and bucket.
class ShapeWeights {
 public:
  explicit ShapeWeights(const Coverage& coverage) {
    std::vector<double> demand(coverage.buckets.size());
    for (const Cell& cell : coverage.cells)
      demand[cell.bucket] += static_cast<double>(cell.counts.demand);
    std::vector<double> asked(coverage.pairs.size()), buckets(coverage.pairs.size());
    for (const Cell& cell : coverage.cells) {
      asked[cell.pair] += demand[cell.bucket];
      ++buckets[cell.pair];
    }
    for (const Cell& cell : coverage.cells) {
      const double share =
          asked[cell.pair] > 0 ? demand[cell.bucket] / asked[cell.pair] : 1 / buckets[cell.pair];
      of_[{cell.pair, cell.bucket}] = share / static_cast<double>(cell.counts.shapes());
    }
  }
  double Of(const NeededShape& shape) const { return of_.at({shape.pair, shape.bucket}); }

 private:
  std::map<std::pair<std::size_t, std::size_t>, double> of_;
};

class Grouping {
 public:
  Grouping(const Coverage& coverage, const Estimates& estimates)
      : weights_(coverage), estimates_(estimates) {}

  WorthGroup Make(std::vector<const NeededShape*> shapes) {
    group_ = {};
    shares_.clear();
    group_.pair = shapes.front()->pair;
    std::ranges::stable_sort(shapes, {}, &NeededShape::m);
    for (const NeededShape* shape : shapes) Add(*shape);
    if (!shares_.empty()) group_.median_share = Median(shares_);
    group_.judged = shares_.size();
    return std::move(group_);
  }

 private:
  void Add(const NeededShape& shape) {
    ++group_.shapes[static_cast<std::size_t>(shape.need)];
    group_.demand += shape.demand;
    AddRange(shape);
    const double per_token = weights_.Of(shape) / static_cast<double>(shape.m);
    if (shape.need == Need::kSlow) return AddTuned(shape, per_token);
    const auto tuned = shape.need == Need::kUnmeasured ? std::nullopt : estimates_.Tuned(shape.key);
    if (tuned) return AddEstimate(shape, *tuned, per_token);
    ++group_.without_basis;
  }

  void AddRange(const NeededShape& shape) {
    if (group_.ranges.empty() || group_.ranges.back().need != shape.need)
      group_.ranges.push_back({shape.need, shape.m, shape.m, 0});
    group_.ranges.back().to = shape.m;
    ++group_.ranges.back().shapes;
  }

  void AddTuned(const NeededShape& shape, double per_token) {
    const TimedKey& key = shape.key;
    if (key.has_default()) {
      group_.brought += (key.default_us - key.tuned_us) * per_token;
      ++group_.brought_shapes;
    }
    if (!key.has_roofline()) return;
    group_.lost += (key.tuned_us - key.roofline_us) * per_token;
    if (shares_.empty() || key.share() < group_.furthest.key.share()) group_.furthest = shape;
    shares_.push_back(key.share());
  }

  void AddEstimate(const NeededShape& shape, const TimeEstimate& tuned, double per_token) {
    group_.tuned_us += tuned.us * per_token;
    const auto worth = estimates_.Worth(shape.key, tuned);
    BasisUse& use = UseOf(shape, tuned, worth);
    if (!worth || use.worth.keys == 0) {
      ++group_.without_basis;
      return;
    }
    ++group_.worth_shapes;
    group_.worth += worth->us * per_token;
    const bool sure = use.worth.is_sure();
    group_.sure = group_.sure && sure;
    group_.range.low += (worth->us + (sure ? 0 : use.worth.low * tuned.us)) * per_token;
    group_.range.high += (worth->us + (sure ? 0 : use.worth.high * tuned.us)) * per_token;
  }

  BasisUse& UseOf(const NeededShape& shape, const TimeEstimate& tuned,
                  const std::optional<WorthEstimate>& worth) {
    const bool measured = shape.key.has_default();
    const auto is_it = [&](const BasisUse& it) {
      return it.basis == tuned.basis && it.default_measured == measured;
    };
    auto use = std::ranges::find_if(group_.bases, is_it);
    if (use == group_.bases.end()) {
      group_.bases.push_back({tuned.basis, measured, 0, tuned, shape.m, shape.key.place.shape, "",
                              estimates_.TunedError(tuned.basis),
                              estimates_.WorthError(tuned.basis, measured)});
      use = std::prev(group_.bases.end());
      if (worth && worth->ratio_of != nullptr) use->ratio_of = worth->ratio_of->place.shape;
    }
    ++use->shapes;
    return *use;
  }

  const ShapeWeights weights_;
  const Estimates& estimates_;
  WorthGroup group_;
  std::vector<double> shares_;
};

}  // namespace

std::string_view Name(Need need) {
  return kNeedNames.at(static_cast<std::size_t>(need));
}

std::vector<WorthGroup> GroupByPair(const std::vector<NeededShape>& shapes,
                                    const Coverage& coverage, const Estimates& estimates) {
  std::map<std::size_t, std::vector<const NeededShape*>> pairs;
  for (const NeededShape& shape : shapes) pairs[shape.pair].push_back(&shape);
  Grouping grouping(coverage, estimates);
  std::vector<WorthGroup> groups;
  for (auto& [pair, its] : pairs) groups.push_back(grouping.Make(std::move(its)));
  return groups;
}

}  // namespace tunehub::analysis
