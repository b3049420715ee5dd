#include "server/tables/heuristics.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "core/analysis/coverage.h"
#include "core/analysis/learn.h"
#include "core/analysis/model_coverage.h"
#include "core/row/row.h"
#include "core/shapes/known_models.h"
#include "core/table/table_writer.h"
#include "server/tables/table_narrowing.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kLearnedBytes = 8 * 1024 * 1024;  // a few thousand trees
constexpr std::size_t kAnswerBytes = 8 * 1024 * 1024;

std::string PlaceOf(const core::Target& target, const FamilySnapshot& snapshot) {
  return fmt::format("{} {}:{} {} {}", snapshot.id, target.gfx, target.cu_num,
                     snapshot.revision.Text(), snapshot.era);
}

bool IsTaught(const TunedRow& row, const core::Target& target) {
  if (!row.by_default() || row.gfx != target.gfx || row.cu_num != target.cu_num) return false;
  return !row.baseline;  // a baseline was not chosen among candidates
}

// Returns the hash below which about `most` of `keys` lie, since hashes are distributed evenly.
// Returns nothing if all keys fit.
std::optional<core::Hash128> UpTo(std::size_t keys, std::size_t most) {
  if (keys <= most) return std::nullopt;
  constexpr std::size_t kSteps = 65'536;  // two bytes of the hash
  const std::size_t step = most * kSteps / keys;
  core::Hash128 up_to;
  up_to.bytes.fill(0xFF);
  up_to.bytes[0] = static_cast<unsigned char>(step >> 8);
  up_to.bytes[1] = static_cast<unsigned char>(step & 0xFF);
  return up_to;
}

constexpr const char* kNoTime = "inf";

// The heuristic's row for a shape without a row on this target; null: the build cannot run it.
std::shared_ptr<const TunedRow> Chosen(const core::Family& family, const core::FamilyShape& shape,
                                       const core::Target& target, const core::Targets& targets,
                                       const analysis::Features& features,
                                       const analysis::Heuristic& heuristic,
                                       const core::Manifest* manifest,
                                       std::vector<double>& numbers) {
  std::vector<std::string> cells = shape.cells;
  cells[family.gfx] = target.gfx;
  if (family.cu_num != core::kNoColumn) cells[family.cu_num] = std::to_string(target.cu_num);
  features.Of(core::Cells(cells.begin(), cells.end()), target.cu_num, numbers);
  const analysis::Choice& choice = heuristic.choices[heuristic.Choose(numbers)];
  for (std::size_t i : family.config_columns) cells[i] = choice.cells[i];
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const core::Column& column = family.columns[i];
    if (column.role != core::Role::kError && column.role != core::Role::kDerived) continue;
    cells[i] = column.type == core::Type::kEnum ? "" : "0.0";
  }
  cells[family.objective] = kNoTime;
  core::Cells view(cells.begin(), cells.end());
  std::string own_number;
  if (manifest != nullptr) {
    const core::BuildFit fit(family, *manifest);
    if (!fit.Runs(view)) return nullptr;
    fit.Renumber(view, own_number);
  }
  std::string key, scratch;
  const auto row = RowOfLine(family, targets, core::JoinCells(view), scratch);
  core::AppendKeyText(key, family, view);
  row->key = core::HashOf(key);
  row->provider = DefaultProvider(target.gfx);
  row->standing = core::Standing::kUnmeasured;
  return row;
}

}  // namespace

void ForEachLoser(const Definitions& definitions, ConnectionPool& pool, FamilyVersions& versions,
                  const core::Family& family, TimesWanted wanted,
                  const std::function<void(const TimeRecord&)>& visit) {
  const std::int16_t id = definitions.Id(family);
  wanted.engine_says = family.engine != core::kNoColumn;
  versions.Learn(id);
  MeasurementStore(pool).VisitTimes(id, wanted, [&](TimeRecord& record) {
    if (record.won) return;
    const bool fits =
        versions.Renew(family, id, record.family_version, definitions.targets, record.line);
    if (fits) visit(record);
  });
}

std::size_t SizeOf(const Learned& learned) {
  std::size_t bytes = learned.tree.nodes.size() * sizeof(analysis::Node);
  for (const analysis::Choice& choice : learned.tree.choices) {
    bytes += choice.identity.size() + sizeof choice;
    for (const std::string& cell : choice.cells) bytes += cell.capacity() + sizeof(std::string);
  }
  return bytes;
}

std::size_t SizeOf(const HeuristicAnswer& answer) {
  return answer.body.size();
}

Heuristics::Heuristics(const Definitions& definitions, ConnectionPool& pool,
                       const Snapshots& snapshots, FamilyVersions& versions)
    : definitions_(definitions),
      pool_(pool),
      snapshots_(snapshots),
      versions_(versions),
      learned_(kLearnedBytes, {"too_few_rows"}),
      answers_(kAnswerBytes, {"too_few_rows"}) {
  for (const auto& family : definitions_.families.all()) {
    auto heuristic = analysis::LoadHeuristic(definitions_.heuristics, *family);
    if (!heuristic.ok()) throw std::runtime_error(heuristic.error().detail);
    if (*heuristic) written_.emplace(family->name, **std::move(heuristic));
  }
}

const analysis::Heuristic* Heuristics::Written(const core::Family& family, std::string_view gfx,
                                               int cu_num) const {
  const auto found = written_.find(family.name);
  if (found == written_.end() || !found->second.AppliesTo(gfx, cu_num)) return nullptr;
  return &found->second;
}

analysis::Samples Heuristics::SamplesOf(const core::Family& family, const core::Target& target,
                                        const FamilySnapshot& snapshot) {
  std::size_t keys = 0;
  for (const auto& row : snapshot.rows) keys += IsTaught(*row, target) ? 1 : 0;
  const auto stored =
      static_cast<std::size_t>(snapshots_.Current()->EvidenceOf(snapshot.id).number);
  const std::size_t within = kMostTimes * snapshot.rows.size() / std::max<std::size_t>(stored, 1);
  const auto up_to = UpTo(keys, kMostLearned);
  analysis::SampleMaker maker(family);
  for (const auto& row : snapshot.rows) {
    if (!IsTaught(*row, target) || (up_to && row->key > *up_to)) continue;
    maker.Add({row->line, row->cu_num, row->us, row->standing});
  }
  // The times of candidates that lost show how much slower a wrong choice is. A sample of the keys
  // is enough.
  const TimesWanted wanted{.gfx = target.gfx,
                           .cu_num = target.cu_num,
                           .up_to = UpTo(keys, std::clamp<std::size_t>(within, 1, kMostLearned))};
  ForEachLoser(definitions_, pool_, versions_, family, wanted, [&](const TimeRecord& record) {
    maker.Add({record.line, record.cu_num, record.us, core::Standing::kMeasured});
  });
  analysis::Samples samples = maker.Done();
  const auto* const written = Written(family, target.gfx, target.cu_num);
  if (written != nullptr) samples.fallback = written->fallback;
  return samples;
}

core::Result<Heuristics::LearnedTree> Heuristics::Learn(const core::Family& family,
                                                        const core::Target& target) {
  const auto snapshot = snapshots_.Current(family);
  return learned_.Get(PlaceOf(target, *snapshot), [&] {
    return LearnFrom(family, target, *snapshot, SamplesOf(family, target, *snapshot));
  });
}

core::Result<Learned> Heuristics::LearnFrom(const core::Family& family, const core::Target& target,
                                            const FamilySnapshot& snapshot,
                                            const analysis::Samples& samples) const {
  if (const auto enough = analysis::CheckEnough(samples); !enough.ok()) return enough.error();
  Learned learned;
  learned.revision = snapshot.revision;
  learned.tree = analysis::Learner(samples).Learn();
  learned.tree.gfx = target.gfx;
  learned.tree.cu_num = target.cu_num;
  learned.tree.about = fmt::format("Learned from {} tuned shapes of revision {}.",
                                   samples.rows.size(), snapshot.revision.number);
  if (const auto* written = Written(family, target.gfx, target.cu_num)) {
    learned.tree.fallback = written->fallback;
  }
  return learned;
}

Rated Heuristics::Rate(const core::Family& family, const core::Target& target,
                       const analysis::Samples& samples, const analysis::Heuristic& tree) const {
  Rated rated;
  rated.left_out = analysis::Learner(samples).LeaveOut();
  rated.seen = analysis::ScoreOf(samples, tree);
  if (const auto* written = Written(family, target.gfx, target.cu_num)) {
    if (!written->nodes.empty()) rated.written = analysis::ScoreOf(samples, *written);
    if (written->fallback) rated.fallback = analysis::ScoreOf(samples, *written->fallback);
  }
  return rated;
}

core::Result<std::shared_ptr<const HeuristicAnswer>> Heuristics::Answer(const core::Family& family,
                                                                        const core::Target& target,
                                                                        const WriteReport& write) {
  const auto snapshot = snapshots_.Current(family);
  return answers_.Get(PlaceOf(target, *snapshot), [&]() -> core::Result<HeuristicAnswer> {
    const analysis::Samples samples = SamplesOf(family, target, *snapshot);
    const auto learned = learned_.Get(
        PlaceOf(target, *snapshot), [&] { return LearnFrom(family, target, *snapshot, samples); });
    if (!learned.ok()) return learned.error();
    const HeuristicReport report{**learned, samples,
                                 Rate(family, target, samples, (*learned)->tree)};
    return HeuristicAnswer{(*learned)->revision, write(report)};
  });
}

std::size_t Heuristics::Cost(const core::Family& family, const core::Target& target) {
  const auto set = snapshots_.Current();
  const auto& snapshot = set->families.at(definitions_.Id(family));
  if (answers_.FindMade(PlaceOf(target, *snapshot))) return 0;
  return static_cast<std::size_t>(set->EvidenceOf(snapshot->id).number);
}

const analysis::Heuristic* Heuristics::Best(const core::Family& family, const core::Target& target,
                                            LearnedTree& holder) {
  const auto* written = Written(family, target.gfx, target.cu_num);
  if (written != nullptr && !written->nodes.empty()) return written;
  const auto learned = Learn(family, target);
  if (!learned.ok()) return nullptr;
  holder = *learned;
  return &holder->tree;
}

core::Result<Filled> Fill(RowSet& set, const TunedQuery& query, const Definitions& definitions,
                          Heuristics* heuristics, const core::Manifest* manifest) {
  const core::Family& family = *set.family;
  if (heuristics == nullptr || family.objective == core::kNoColumn ||
      family.engine != core::kNoColumn || family.gfx == core::kNoColumn) {
    return core::Error{"no_heuristic", fmt::format("no heuristic supports {}", family.name)};
  }
  const auto model = core::FindModel(definitions.models, query.model);
  if (!model.ok()) return model.error();
  const lookup::Table table = LookupTable(set);
  const analysis::Features features(family);
  std::vector<std::shared_ptr<const TunedRow>> added;
  std::vector<double> numbers;
  Filled filled;
  for (core::Target target : query.targets) {
    target.cu_num = family.CuNumOf(target.cu_num);
    std::shared_ptr<const Learned> holder;
    const analysis::Heuristic* const heuristic = heuristics->Best(family, target, holder);
    if (heuristic == nullptr) return heuristics->Learn(family, target).error();
    const auto shapes = analysis::ShapesOfModel({.model = *model, .tp = query.tp},
                                                definitions.targets, family, target.gfx);
    if (!shapes.ok()) return shapes.error();
    const auto coverage = analysis::Cover(table, target.gfx, target.cu_num, *shapes);
    for (const analysis::AnsweredShape& it : coverage.shapes) {
      if (it.state != analysis::State::kMissing) continue;
      auto row = Chosen(family, (*shapes)[it.index].shape, target, definitions.targets, features,
                        *heuristic, manifest, numbers);
      if (row == nullptr) {
        ++filled.left_out;
      } else {
        added.push_back(std::move(row));
      }
    }
  }
  set.rows.insert(set.rows.end(), added.begin(), added.end());
  SortRows(set.rows);
  filled.rows = added.size();
  return filled;
}

}  // namespace tunehub::server
