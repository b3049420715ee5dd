#include "server/insight/speedups.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/analysis/heuristic.h"
#include "core/analysis/model_coverage.h"
#include "core/analysis/score.h"
#include "core/base/hash.h"
#include "core/row/cell.h"
#include "core/shapes/known_models.h"
#include "core/table/table_writer.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kSpeedupBytes = 64 * 1024 * 1024;  // room for some 400,000 keys
constexpr std::size_t kModelBytes = 8 * 1024 * 1024;
constexpr std::int64_t kMostTp = 16;
constexpr const char* kOneM = "1";  // a list of one M, because groups of shapes ignore M

}  // namespace

const std::vector<std::string>* ModelNames::Asking(const core::Family& family,
                                                   const core::Cells& cells) const {
  const auto asked = names.find(analysis::GroupOf(family, cells));
  return asked == names.end() ? nullptr : &asked->second;
}

bool NamesModel(const std::vector<std::string>* names, std::string_view model, std::int64_t tp) {
  if (model.empty()) return true;
  if (names == nullptr) return false;
  const std::string asked =
      tp == 0 ? fmt::format("{} TP", model) : fmt::format("{} TP{}", model, tp);
  return std::ranges::any_of(*names, [&](const std::string& name) {
    return tp == 0 ? name.starts_with(asked) : name == asked;
  });
}

std::size_t SizeOf(const ModelNames& models) {
  std::size_t bytes = 0;
  for (const auto& [group, names] : models.names) {
    bytes += 2 * sizeof(std::string) + group.size();
    for (const std::string& name : names) bytes += sizeof(std::string) + name.size();
  }
  return bytes;
}

std::size_t SizeOf(const FamilySpeedups& speedups) {
  return speedups.keys.capacity() * sizeof(analysis::SpeedupKey) + speedups.texts.bytes();
}

Speedups::Speedups(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
                   Heuristics& heuristics)
    : definitions_(definitions),
      pool_(pool),
      snapshots_(snapshots),
      heuristics_(heuristics),
      families_(kSpeedupBytes),
      models_(kModelBytes) {}

Speedups::Models Speedups::ModelsOf(const core::Family& family, const std::string& gfx) {
  const std::string key =
      fmt::format("{} {}", family.name, definitions_.targets.IsFnuz(gfx) ? "fnuz" : "fn");
  return *models_.Get(key, [&]() -> core::Result<ModelNames> {
    ModelNames models;
    for (const core::Model& model : core::KnownModels(definitions_.models)) {
      for (std::int64_t tp = 1; tp <= kMostTp; tp *= 2) {
        const auto shapes = analysis::ShapesOfModel({.model = model, .tp = tp, .grid = kOneM},
                                                    definitions_.targets, family, gfx);
        if (!shapes.ok()) continue;  // no layer of this family, or no split over tp GPUs
        const std::string name = fmt::format("{} TP{}", model.name, tp);
        for (const core::ShapeDemand& it : *shapes) {
          const core::Cells cells(it.shape.cells.begin(), it.shape.cells.end());
          auto& names = models.names[analysis::GroupOf(family, cells)];
          if (std::ranges::find(names, name) == names.end()) names.push_back(name);
        }
      }
    }
    return models;
  });
}

namespace {

void AddChoices(const analysis::Heuristic* heuristic, std::set<core::Hash128>& candidates) {
  if (heuristic == nullptr) return;
  for (const analysis::Choice& choice : heuristic->choices)
    candidates.insert(core::HashOf(choice.identity));
  if (heuristic->fallback) candidates.insert(core::HashOf(heuristic->fallback->identity));
}

// Makes speed-ups from the times of a family's keys.
class KeyMaker {
 public:
  // Learns heuristics for targets that have a key with several candidates. `made` receives the
  // keys. Throws Unavailable.
  KeyMaker(const FamilySnapshot& snapshot, Heuristics& heuristics, ConnectionPool& pool,
           Speedups& speedups, FamilySpeedups& made)
      : family_(*snapshot.family),
        speedups_(speedups),
        made_(made),
        features_(family_),
        m_(analysis::MColumn(family_)) {
    for (const auto& row : snapshot.rows) {
      if (!row->by_default() || row->baseline || row->standing != core::Standing::kMeasured)
        continue;
      rows_.emplace(row->key, row.get());
      // Learns before VisitChoiceTimes, because learning during the visit would need a second
      // connection.
      const auto [chooser, fresh] = choosers_.try_emplace({row->gfx, row->cu_num});
      if (!fresh) continue;
      Chooser& it = chooser->second;
      it.written = heuristics.Written(family_, row->gfx, row->cu_num);
      if (MeasurementStore(pool).HasSeveral(snapshot.id, row->gfx, row->cu_num))
        it.best = heuristics.Best(family_, {row->gfx, row->cu_num}, it.holder);
    }
  }

  // The candidates that a heuristic may choose. VisitChoiceTimes reads their times.
  std::vector<core::Hash128> Candidates() const {
    std::set<core::Hash128> candidates;
    for (const auto& [target, chooser] : choosers_) {
      AddChoices(chooser.best, candidates);
      AddChoices(chooser.written, candidates);
    }
    return {candidates.begin(), candidates.end()};
  }

  // The caller must add all times of one key in sequence.
  void Add(const ChoiceTime& time) {
    if (!times_.empty() && times_.front().key != time.key) Finish();
    times_.push_back(time);
  }

  void Finish() {
    // Skips a key that changed after the snapshot. The next snapshot contains it.
    const auto row = times_.empty() ? rows_.end() : rows_.find(times_.front().key);
    const auto won = std::ranges::find_if(times_, &ChoiceTime::won);
    if (row != rows_.end() && won != times_.end()) {
      std::rotate(times_.begin(), won, won + 1);
      Put(*row->second);
    }
    times_.clear();
  }

 private:
  // The heuristics of a target. They choose only by the shape.
  struct Chooser {
    Heuristics::LearnedTree holder;
    const analysis::Heuristic* best = nullptr;
    const analysis::Heuristic* written = nullptr;
    Speedups::Models models;
  };

  // times_ begins with the winner; the rest is sorted by time.
  void Put(const TunedRow& row) {
    Chooser& chooser = choosers_.at({row.gfx, row.cu_num});
    const core::Cells cells = core::SplitLine(row.line, scratch_);
    analysis::SpeedupKey key;
    key.key = row.key;
    key.family = family_.name;
    key.gfx = made_.texts.Once(row.gfx);
    key.cu_num = row.cu_num;
    key.shape = made_.texts.Add(analysis::ShapeText(family_, cells));
    if (m_ != core::kNoColumn)
      key.m = std::max<std::int64_t>(1, core::ParseInt64(cells[m_]).value_or(1));
    key.campaign = made_.texts.Once(times_.front().campaign);
    if (chooser.models == nullptr) {
      chooser.models = speedups_.ModelsOf(family_, row.gfx);
      made_.models.push_back(chooser.models);
    }
    key.models = chooser.models->Asking(family_, cells);
    key.tuned_us = times_.front().us;
    key.default_us = DefaultTime(chooser);
    if (chooser.best != nullptr) {
      features_.Of(cells, row.cu_num, numbers_);
      key.heuristic_us = TimeOf(chooser.best->choices[chooser.best->Choose(numbers_)].identity);
    }
    const ChoiceTime* const before = Operator(true);
    const ChoiceTime* const after = before == nullptr ? nullptr : Operator(false);
    key.is_operator = before != nullptr;
    if (before != nullptr) key.default_us = before->us;
    if (after != nullptr) {  // compares a whole operator only with a whole operator
      key.tuned_us = after->us;
      key.heuristic_us = analysis::kNotMeasured;
    }
    made_.keys.push_back(key);
  }

  double TimeOf(const std::string& identity) const {
    const core::Hash128 candidate = core::HashOf(identity);
    const auto found = std::ranges::find_if(times_, [&](const ChoiceTime& time) {
      return time.candidate == candidate && !time.compared;
    });
    return found == times_.end() ? analysis::kNotMeasured : found->us;
  }

  // Null: not measured.
  const ChoiceTime* Operator(bool of_default) const {
    const auto found = std::ranges::find_if(times_, [&](const ChoiceTime& time) {
      return time.compared && time.is_default == of_default;
    });
    return found == times_.end() ? nullptr : &*found;
  }

  // Returns the time of the agent's default, or else of the written heuristic's fallback.
  double DefaultTime(const Chooser& chooser) const {
    const auto found = std::ranges::find_if(times_, &ChoiceTime::is_default);
    if (found != times_.end()) return found->us;
    if (chooser.written == nullptr || !chooser.written->fallback) return analysis::kNotMeasured;
    return TimeOf(chooser.written->fallback->identity);
  }

  const core::Family& family_;
  Speedups& speedups_;
  FamilySpeedups& made_;
  const analysis::Features features_;
  const std::size_t m_;
  std::unordered_map<core::Hash128, const TunedRow*, core::Hash128Hasher> rows_;
  std::map<std::pair<std::string, int>, Chooser> choosers_;  // by target
  std::vector<ChoiceTime> times_;                            // measured for the current key
  std::string scratch_;
  std::vector<double> numbers_;
};

}  // namespace

FamilySpeedups Speedups::Make(const FamilySnapshot& snapshot) {
  FamilySpeedups made;
  KeyMaker maker(snapshot, heuristics_, pool_, *this, made);
  const bool engine_says = snapshot.family->engine != core::kNoColumn;
  MeasurementStore(pool_).VisitChoiceTimes(snapshot.id, engine_says, maker.Candidates(),
                                           [&](const ChoiceTime& time) { maker.Add(time); });
  maker.Finish();
  made.keys.shrink_to_fit();
  return made;
}

namespace {

std::string FrontOf(const core::Family& family) {
  return family.name + " ";
}

std::string KeyOfSpeedups(const FamilySnapshot& snapshot, const core::Pin& evidence) {
  return fmt::format("{}{} {}", FrontOf(*snapshot.family), evidence.Text(),
                     snapshot.revision.Text());
}

}  // namespace

std::size_t Speedups::Cost(const std::vector<const core::Family*>& families) {
  const auto set = snapshots_.Current();
  std::size_t rows = 0;
  for (const core::Family* family : families) {
    const auto& snapshot = set->families.at(definitions_.Id(*family));
    const core::Pin evidence = set->EvidenceOf(snapshot->id);
    if (families_.Find(KeyOfSpeedups(*snapshot, evidence)) == nullptr)
      rows += static_cast<std::size_t>(evidence.number);
  }
  return rows;
}

// Caches the answer until the family's evidence changes. (Each new measurement changes it.) If the
// database does not respond, returns the last answer.
std::shared_ptr<const FamilySpeedups> Speedups::Find(const core::Family& family) {
  const auto snapshot = snapshots_.Current(family);
  const std::string front = FrontOf(family);
  const std::string key = KeyOfSpeedups(*snapshot, snapshots_.Evidence(snapshot->id));
  try {
    return *families_.Get(key, [&]() -> core::Result<FamilySpeedups> {
      FamilySpeedups made = Make(*snapshot);
      families_.ForgetOlder(front, key);
      return made;
    });
  } catch (const Unavailable&) {
    if (auto last = families_.FindLast(front)) return last;
    throw;
  }
}

bool Speedups::AsksFor(std::string_view model, std::int64_t tp, const core::Family& family,
                       const TunedRow& row) {
  if (model.empty()) return true;
  std::string scratch;
  const Models models = ModelsOf(family, row.gfx);
  return NamesModel(models->Asking(family, core::SplitLine(row.line, scratch)), model, tp);
}

std::size_t Speedups::CountTuned(const core::Family& family, const SpeedupQuery& query) {
  std::size_t tuned = 0;
  const auto snapshot = snapshots_.Current(family);  // owns the rows during the loop
  for (const auto& row : snapshot->rows) {
    if (row->by_default() && row->standing == core::Standing::kMeasured && !row->baseline &&
        query.target.Includes(row->gfx, row->cu_num) &&
        AsksFor(query.model, query.tp, family, *row)) {
      ++tuned;
    }
  }
  return tuned;
}

SpeedupAnswer Speedups::Get(const SpeedupQuery& query) {
  SpeedupAnswer answer;
  for (const core::Family* family : query.families) {
    const auto found = Find(*family);
    std::size_t several = 0;  // keys with more than one measured candidate
    for (const analysis::SpeedupKey& key : found->keys) {
      if (!query.target.Includes(key.gfx, key.cu_num) ||
          !NamesModel(key.models, query.model, query.tp)) {
        continue;
      }
      ++several;
      if (query.campaign.empty() || query.campaign == key.campaign) answer.keys.push_back(&key);
    }
    answer.held.push_back(found);
    const std::size_t tuned = CountTuned(*family, query);
    answer.tuned_alone += tuned - std::min(tuned, several);
  }
  return answer;
}

}  // namespace tunehub::server
