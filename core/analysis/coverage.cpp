#include "core/analysis/coverage.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/row/cell.h"

namespace tunehub::analysis {
namespace {

constexpr std::array<std::string_view, kStates> kNames = {
    "exact", "gl0", "gl1", "tier", "nearest", "baseline", "unmeasured", "missing"};

State StateOf(const lookup::Table& table, const lookup::LookupAnswer& answer) {
  if (!answer.found()) return State::kMissing;
  const lookup::TableRow& row = table.rows()[answer.row];
  if (row.standing == core::Standing::kUnmeasured) return State::kUnmeasured;
  if (row.baseline) return State::kBaseline;
  constexpr State kFoundBy[] = {State::kExact,   State::kGl0,     State::kGl1,
                                State::kTier,    State::kTier,    State::kNearest,
                                State::kNearest, State::kMissing, State::kMissing};
  static_assert(std::size(kFoundBy) == static_cast<std::size_t>(lookup::Step::kDefault) + 1);
  return kFoundBy[static_cast<std::size_t>(answer.step)];
}

double Share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

class Counting {
 public:
  Counting(const lookup::Table& table, std::string_view gfx, int cu_num,
           std::span<const core::ShapeDemand> shapes)
      : table_(table), gfx_(gfx), cu_num_(cu_num), shapes_(shapes) {
    coverage_.columns = PairColumns(table.family());
  }

  Coverage Run() {
    std::map<std::string, std::size_t> seen;  // sort key -> index into shapes
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const core::ShapeDemand& it = shapes_[i];
      const auto [known, added] =
          seen.emplace(core::OrderKeyOf(table_.family(), it.shape, "", 0), coverage_.shapes.size());
      if (added) {
        Add(i);
      } else {
        coverage_.shapes[known->second].demand += it.count;
      }
    }
    NumberBuckets();
    CountCells();
    return std::move(coverage_);
  }

 private:
  void Add(std::size_t index) {
    const core::FamilyShape& shape = shapes_[index].shape;
    lookup::LookupAnswer answer = table_.Find(shape, gfx_, cu_num_);
    const State state = StateOf(table_, answer);
    std::vector<std::string> pair;
    for (const std::size_t column : coverage_.columns) pair.push_back(shape.cells[column]);
    const auto [known, added] = pairs_.emplace(pair, coverage_.pairs.size());
    if (added) coverage_.pairs.push_back(std::move(pair));
    const auto column = core::ParseInt64(shape.cells[BucketColumn(table_.family())]);
    const std::int64_t m = column.value_or(shapes_[index].m);
    const std::size_t bucket = BucketOf(std::max<std::int64_t>(m, 1));
    coverage_.shapes.push_back(
        {index, state, std::move(answer), bucket, known->second, shapes_[index].count});
  }

  // Replaces powers of two by indices into the list of occurring buckets.
  void NumberBuckets() {
    std::set<std::size_t> powers;
    for (const AnsweredShape& it : coverage_.shapes) powers.insert(it.bucket);
    std::map<std::size_t, std::size_t> place;
    for (const std::size_t power : powers) {
      place.emplace(power, coverage_.buckets.size());
      coverage_.buckets.push_back(BucketAt(power));
    }
    for (AnsweredShape& it : coverage_.shapes) it.bucket = place.at(it.bucket);
  }

  void CountCells() {
    std::map<std::pair<std::size_t, std::size_t>, Counts> cells;
    for (const AnsweredShape& it : coverage_.shapes) {
      cells[{it.bucket, it.pair}].Add(it.state, it.demand);
      const std::int64_t m = coverage_.buckets[it.bucket].to;
      coverage_.share.Add(BucketOf(m), it.state, it.demand);
    }
    for (const auto& [place, counts] : cells) {
      coverage_.cells.push_back({place.first, place.second, counts});
    }
  }

  const lookup::Table& table_;
  const std::string_view gfx_;
  const int cu_num_;
  const std::span<const core::ShapeDemand> shapes_;
  Coverage coverage_;
  std::map<std::vector<std::string>, std::size_t> pairs_;
};

}  // namespace

std::vector<std::size_t> PairColumns(const core::Family& family) {
  std::vector<std::size_t> columns;
  for (const std::string& name : family.heat_map.y) {
    const std::size_t column = family.Find(name);
    if (column != family.lookup.m) columns.push_back(column);
  }
  return columns;
}

std::size_t BucketColumn(const core::Family& family) {
  return family.lookup.m != core::kNoColumn ? family.lookup.m : family.Find(family.heat_map.x);
}

std::string_view Name(State state) {
  return kNames.at(static_cast<std::size_t>(state));
}

bool IsCovered(State state) {
  return state < State::kBaseline;
}

std::int64_t Counts::shapes() const {
  return std::accumulate(of.begin(), of.end(), std::int64_t{0});
}

std::int64_t Counts::covered() const {
  std::int64_t covered = 0;
  for (std::size_t i = 0; i < kStates; ++i) covered += IsCovered(static_cast<State>(i)) ? of[i] : 0;
  return covered;
}

void Counts::Add(State state, std::int64_t its_demand) {
  ++of.at(static_cast<std::size_t>(state));
  demand += its_demand;
}

void Counts::Add(const Counts& other) {
  for (std::size_t i = 0; i < kStates; ++i) of[i] += other.of[i];
  demand += other.demand;
}

void BucketShare::Add(std::size_t bucket, State state, std::int64_t demand) {
  buckets_[bucket].Add(state, demand);
  totals_.Add(state, demand);
}

void BucketShare::Add(const BucketShare& other) {
  for (const auto& [bucket, counts] : other.buckets_) buckets_[bucket].Add(counts);
  totals_.Add(other.totals_);
}

double BucketShare::covered() const {
  double sum = 0;
  for (const auto& [bucket, counts] : buckets_) sum += Share(counts.covered(), counts.shapes());
  return buckets_.empty() ? 0 : sum / static_cast<double>(buckets_.size());
}

double BucketShare::exact() const {
  double sum = 0;
  for (const auto& [bucket, counts] : buckets_) sum += Share(counts.of[0], counts.shapes());
  return buckets_.empty() ? 0 : sum / static_cast<double>(buckets_.size());
}

std::optional<double> BucketShare::covered_by_demand() const {
  if (totals_.demand == 0) return std::nullopt;
  double sum = 0;
  for (const auto& [bucket, counts] : buckets_) {
    sum += static_cast<double>(counts.demand) * Share(counts.covered(), counts.shapes());
  }
  return sum / static_cast<double>(totals_.demand);
}

Coverage Cover(const lookup::Table& table, std::string_view gfx, int cu_num,
               std::span<const core::ShapeDemand> shapes) {
  return Counting(table, gfx, cu_num, shapes).Run();
}

}  // namespace tunehub::analysis
