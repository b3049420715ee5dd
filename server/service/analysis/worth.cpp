#include "server/service/analysis/worth.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/analysis/model_question.h"
#include "core/table/table_writer.h"

namespace tunehub::service {
namespace {

constexpr std::size_t kEstimateBytes = 48 * 1024 * 1024;  // of some 150,000 keys
constexpr std::size_t kCellBytes = 32 * 1024 * 1024;      // of some 300 models on targets
constexpr std::size_t kMostTargets = 256;                 // they are in the hands of whoever asks

std::string NameOf(const JudgedTarget& on) {
  return fmt::format("{}:{} {}", on.target.gfx, on.target.cu_num,
                     on.product == nullptr ? "" : on.product->product);
}

analysis::Need NeedOf(analysis::State state) {
  switch (state) {
    case analysis::State::kMissing:
      return analysis::Need::kMissing;
    case analysis::State::kBaseline:
      return analysis::Need::kBaseline;
    case analysis::State::kUnmeasured:
      return analysis::Need::kUnmeasured;
    default:
      return analysis::Need::kSlow;
  }
}

core::Cells CellsOf(const core::FamilyShape& shape) {
  return {shape.cells.begin(), shape.cells.end()};
}

std::vector<std::string> NamesOf(const core::Family& family, const std::vector<std::size_t>& of) {
  std::vector<std::string> names;
  for (const std::size_t column : of) names.push_back(family.columns[column].name);
  return names;
}

// Says of each shape of a coverage what is known of it.
class Needs {
 public:
  Needs(const Definitions& definitions, const FamilyCoverage& coverage,
        const analysis::Estimates& estimates, const JudgedTarget& on)
      : definitions_(definitions),
        coverage_(coverage),
        family_(coverage.family()),
        estimates_(estimates),
        on_(on),
        cu_num_(family_.cu_num == core::kNoColumn ? 0 : on.target.cu_num) {}

  analysis::NeededShape Of(const analysis::AnsweredShape& answered) const {
    const core::ShapeDemand& asked = coverage_.shapes[answered.index];
    analysis::NeededShape out{NeedOf(answered.state), std::max<std::int64_t>(asked.m, 1),
                              answered.bucket, answered.pair, answered.demand};
    const bool tuned = out.need == analysis::Need::kSlow;
    std::string scratch;
    const lookup::TableRow* row =
        tuned ? &coverage_.table->table.rows()[answered.answer.row] : nullptr;
    const core::Cells cells = tuned ? core::SplitLine(row->line, scratch) : CellsOf(asked.shape);
    out.key.cu_num = cu_num_;
    out.key.place.shape = analysis::ShapeText(family_, cells);
    auto place = analysis::PlaceOf(family_, cells);
    if (!place) return out;
    out.key.place = *std::move(place);
    // Families without times declare what runs; others say when it is known.
    if (tuned && row->us > 0) out.key.tuned_us = row->us;
    const analysis::TimedKey* const known = estimates_.Find(out.key.place, cu_num_);
    if (known != nullptr) out.key.default_us = known->default_us;
    const auto roofline = RooflineOn(definitions_, family_, cells, on_, cu_num_);
    if (!roofline) return out;
    out.roofline = *roofline;
    out.key.roofline_us = roofline->us;
    return out;
  }

 private:
  const Definitions& definitions_;
  const FamilyCoverage& coverage_;
  const core::Family& family_;
  const analysis::Estimates& estimates_;
  const JudgedTarget& on_;
  const int cu_num_;
};

}  // namespace

std::size_t SizeOf(const FamilyEstimates& it) {
  std::size_t bytes = 0;
  for (const analysis::TimedKey& key : it.estimates.keys())
    bytes += 2 * sizeof key + key.place.shape.size() + key.place.rest.size();
  return bytes;
}

std::size_t SizeOf(const CellWorth& worth) {
  std::size_t bytes = 0;
  for (const FamilyWorth& family : worth.families) {
    bytes += sizeof family;
    for (const analysis::WorthGroup& group : family.groups) {
      bytes += sizeof group + group.ranges.size() * sizeof group.ranges[0] +
               group.bases.size() * (sizeof group.bases[0] + 128) + 256;
    }
    for (const core::FamilyShape& shape : family.without_default)
      bytes += shape.cells.size() * sizeof(std::string);
  }
  return bytes;
}

Worth::Worth(const Definitions& definitions, store::Store& store, const Snapshots& snapshots,
             CoverageService& coverage, Speedups& speedups)
    : definitions_(definitions),
      store_(store),
      snapshots_(snapshots),
      coverage_(coverage),
      speedups_(speedups),
      estimates_(kEstimateBytes),
      cells_(kCellBytes) {}

std::string Worth::DemandState(const core::Target& target) {
  const std::string name = NameOf({target});
  try {
    std::string state = store_.queue().NewestDemand(target.gfx, target.cu_num);
    const std::lock_guard lock(mutex_);
    if (demand_.size() >= kMostTargets) demand_.clear();
    return demand_[name] = std::move(state);
  } catch (const store::Unavailable&) {
    const std::lock_guard lock(mutex_);
    return demand_[name];
  }
}

FamilyWorth Worth::MakeFamily(FamilyCoverage& coverage, const WorthQuery& query,
                              const std::string& state) {
  const core::Family& family = coverage.family();
  const FamilySnapshot& snapshot = *coverage.table->snapshot;
  FamilyWorth out;
  out.family = &family;
  out.known = *estimates_.Get(
      fmt::format("{} {} {} {}", family.name, NameOf(query.on), state, snapshot.revision.Text()),
      [&]() -> core::Result<FamilyEstimates> {
        return FamilyEstimates{EstimatesOf(definitions_, snapshot, speedups_, query.on)};
      });
  const analysis::Estimates& estimates = out.known->estimates;
  const int cu_num = family.cu_num == core::kNoColumn ? 0 : query.on.target.cu_num;
  for (const analysis::TimedKey& key : estimates.keys()) {
    if (key.cu_num != cu_num || !key.is_tuned()) continue;
    ++out.tuned;
    if (key.has_default()) ++out.with_default;
  }
  const Needs needs(definitions_, coverage, estimates, query.on);
  std::vector<analysis::NeededShape> shapes;
  shapes.reserve(coverage.coverage.shapes.size());
  for (const analysis::AnsweredShape& it : coverage.coverage.shapes) {
    shapes.push_back(needs.Of(it));
    const analysis::TimedKey& key = shapes.back().key;
    if (it.state == analysis::State::kExact && key.is_tuned() && !key.has_default())
      out.without_default.push_back(coverage.shapes[it.index].shape);
  }
  out.groups = analysis::GroupByPair(shapes, coverage.coverage, estimates);
  out.columns = NamesOf(family, coverage.coverage.columns);
  for (std::vector<std::string>& pair : coverage.coverage.pairs) {
    const auto layer = coverage.layers.find(pair);
    out.layers.push_back(layer == coverage.layers.end() ? analysis::PairLayer{} : layer->second);
    out.pairs.push_back(std::move(pair));
  }
  return out;
}

core::Result<CellWorth> Worth::Make(const WorthQuery& query, const std::string& state) {
  CellWorth worth;
  worth.revision = snapshots_.Current()->revision;
  auto all = coverage_.OfModel(query.model, analysis::kDefaultMaxM, query.family, query.on.target);
  if (!all.ok()) return all.error();
  for (FamilyCoverage& coverage : *all)
    worth.families.push_back(MakeFamily(coverage, query, state));
  return worth;
}

std::vector<TuningCost> Worth::CostsOf(const CellWorth& worth, const core::Target& target) {
  std::vector<store::DoneWork> done;
  try {
    done = store_.queue().ReadDoneWork();
  } catch (const store::Unavailable&) {
    return std::vector<TuningCost>(worth.families.size());
  }
  std::vector<TuningCost> costs;
  for (const FamilyWorth& family : worth.families)
    costs.push_back(CostOf(done, definitions_.Id(*family.family), target));
  return costs;
}

core::Result<std::shared_ptr<const CellWorth>> Worth::Of(const WorthQuery& query) {
  const auto set = snapshots_.Current();
  const std::string state = fmt::format("{} {}", set->writes.Text(), set->revision.Text());
  const std::string key = fmt::format("{} TP{} {} {} {} {}", query.model.model, query.model.tp,
                                      query.family == nullptr ? "" : query.family->name,
                                      NameOf(query.on), state, DemandState(query.on.target));
  return cells_.Get(key, [&] { return Make(query, state); });
}

}  // namespace tunehub::service
