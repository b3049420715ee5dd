#include "server/insight/speedups.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "core/analysis/samples.h"
#include "core/row/cell.h"
#include "core/shapes/known_models.h"
#include "core/table/table_writer.h"
#include "server/tables/measurement_store.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kSpeedupBytes = 64 * 1024 * 1024;  // of some 400,000 keys
constexpr std::size_t kModelBytes = 8 * 1024 * 1024;
constexpr std::int64_t kMostTp = 16;
constexpr const char* kOneM = "1";  // a grid: the models' shapes are compared without M

bool Asks(const std::vector<std::string>* models, const SpeedupQuery& query) {
  return query.model.empty() || NamesModel(models, query.model, query.tp);
}

}  // namespace

bool NamesModel(const std::vector<std::string>* names, std::string_view model, std::int64_t tp) {
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

Speedups::Speedups(const Definitions& definitions, const Snapshots& snapshots, TimeTables& times,
                   Heuristics& heuristics)
    : definitions_(definitions),
      snapshots_(snapshots),
      times_(times),
      heuristics_(heuristics),
      families_(kSpeedupBytes),
      models_(kModelBytes) {}

Speedups::Models Speedups::ModelsOf(const core::Family& family, const std::string& gfx) {
  const std::string key =
      fmt::format("{} {}", family.name, definitions_.targets.IsFnuz(gfx) ? "fnuz" : "fn");
  return *models_.Get(key, [&] { return ReadModels(family, gfx); });
}

core::Result<ModelNames> Speedups::ReadModels(const core::Family& family,
                                              const std::string& gfx) const {
  ModelNames models;
  for (const core::Model& model : core::KnownModels(definitions_.models)) {
    for (std::int64_t tp = 1; tp <= kMostTp; tp *= 2) {
      const auto shapes = ShapesOf(definitions_, model, family, gfx, {model.name, tp, kOneM});
      if (!shapes.ok()) continue;  // it has no such part, or cannot be split so
      for (const core::FamilyShape& shape : *shapes) {
        auto& names = models.names[analysis::GroupOf(
            family, core::Cells(shape.cells.begin(), shape.cells.end()))];
        const std::string name = fmt::format("{} TP{}", model.name, tp);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
  }
  return models;
}

FamilySpeedups Speedups::Make(const FamilySnapshot& snapshot) {
  const core::Family& family = *snapshot.family;
  FamilySpeedups made;
  KeyMaker maker(snapshot, heuristics_, times_, made);
  maker.OnModels([&](const std::string& gfx) { return ModelsOf(family, gfx); });
  times_.ForEachChoice(family, maker.Candidates(),
                       [&](const ChoiceTime& time) { maker.Add(time); });
  maker.Finish();
  made.keys.shrink_to_fit();
  return made;
}

// The writes tell whether anything was measured since. While the database is gone the last ones
// stand.
std::shared_ptr<const FamilySpeedups> Speedups::Find(const core::Family& family) {
  const auto snapshot = snapshots_.Current(family);
  std::string known;
  {
    const std::lock_guard lock(mutex_);
    known = known_[snapshot->id];
  }
  std::string key;
  try {
    key = fmt::format("{} {} {}", family.name, times_.Writes().Text(), snapshot->revision.Text());
  } catch (const Unavailable&) {
    if (auto last = families_.Find(known)) return last;
    throw;
  }
  const auto made =
      families_.Get(key, [&]() -> core::Result<FamilySpeedups> { return Make(*snapshot); });
  const std::lock_guard lock(mutex_);
  if (known != key) families_.Forget(known);
  known_[snapshot->id] = key;
  return *made;
}

std::size_t Speedups::CountTuned(const core::Family& family, const SpeedupQuery& query) {
  std::size_t tuned = 0;
  std::string scratch;
  for (const auto& row : snapshots_.Current(family)->rows) {
    if (!row->by_default() || row->standing != core::Standing::kMeasured || row->baseline ||
        !query.target.Includes(row->gfx, row->cu_num)) {
      continue;
    }
    if (!query.model.empty()) {
      const Models models = ModelsOf(family, row->gfx);
      const auto asked =
          models->names.find(analysis::GroupOf(family, core::SplitLine(row->line, scratch)));
      if (asked == models->names.end() || !Asks(&asked->second, query)) continue;
    }
    ++tuned;
  }
  return tuned;
}

std::vector<std::string> Speedups::ModelsAsking(const core::Family& family, const TunedRow& row) {
  std::string scratch;
  const Models models = ModelsOf(family, row.gfx);
  const auto asked =
      models->names.find(analysis::GroupOf(family, core::SplitLine(row.line, scratch)));
  return asked == models->names.end() ? std::vector<std::string>() : asked->second;
}

SpeedupAnswer Speedups::Get(const SpeedupQuery& query) {
  SpeedupAnswer answer;
  for (const core::Family* family : query.families) {
    const auto found = Find(*family);
    std::size_t several = 0;  // of the same keys
    for (const analysis::SpeedupKey& key : found->keys) {
      if (!query.target.Includes(key.gfx, key.cu_num) || !Asks(key.models, query)) continue;
      ++several;
      if (query.campaign.empty() || query.campaign == key.campaign) answer.keys.push_back(&key);
    }
    answer.held.push_back(found);
    const std::size_t tuned = CountTuned(*family, query);
    answer.tuned_alone += tuned - std::min(tuned, several);
  }
  return answer;
}

namespace {

void AddChoices(const analysis::Heuristic* heuristic, std::set<core::Hash128>& candidates) {
  if (heuristic == nullptr) return;
  for (const analysis::Choice& choice : heuristic->choices)
    candidates.insert(core::HashOf(choice.identity));
  if (heuristic->fallback) candidates.insert(core::HashOf(heuristic->fallback->identity));
}

}  // namespace

KeyMaker::KeyMaker(const FamilySnapshot& snapshot, Heuristics& heuristics, TimeTables& times,
                   FamilySpeedups& made)
    : family_(*snapshot.family),
      heuristics_(heuristics),
      made_(made),
      features_(family_),
      m_(analysis::MColumn(family_)) {
  for (const auto& row : snapshot.rows) {
    if (!row->by_default() || row->baseline || row->standing != core::Standing::kMeasured) continue;
    rows_.emplace(row->key, row.get());
    Learn(*row, times);
  }
}

// Before the times are read, since what is learned needs a connection of its own.
void KeyMaker::Learn(const TunedRow& row, TimeTables& times) {
  const auto [chooser, fresh] = choosers_.try_emplace({row.gfx, row.cu_num});
  if (!fresh) return;
  Chooser& it = chooser->second;
  it.written = heuristics_.Written(family_, row.gfx, row.cu_num);
  if (times.HasSeveral(family_, row.gfx, row.cu_num))
    it.best = heuristics_.Best(family_, {row.gfx, row.cu_num}, it.holder);
}

std::vector<core::Hash128> KeyMaker::Candidates() const {
  std::set<core::Hash128> candidates;
  for (const auto& [target, chooser] : choosers_) {
    AddChoices(chooser.best, candidates);
    AddChoices(chooser.written, candidates);
  }
  return {candidates.begin(), candidates.end()};
}

void KeyMaker::Add(const ChoiceTime& time) {
  if (!times_.empty() && times_.front().key != time.key) Finish();
  times_.push_back(time);
}

void KeyMaker::Finish() {
  // A key that changed since the snapshot was made is in the next one.
  const auto row = times_.empty() ? rows_.end() : rows_.find(times_.front().key);
  const auto is_won = [](const ChoiceTime& time) { return time.won; };
  const auto won = std::ranges::find_if(times_, is_won);
  if (row != rows_.end() && won != times_.end()) {
    std::rotate(times_.begin(), won, won + 1);
    Put(*row->second);
  }
  times_.clear();
}

// The winner is the first one, the others follow by their times.
void KeyMaker::Put(const TunedRow& row) {
  Chooser& chooser = choosers_.at({row.gfx, row.cu_num});
  const core::Cells cells = core::SplitLine(row.line, scratch_);
  analysis::SpeedupKey key;
  key.family = family_.name;
  key.gfx = made_.texts.Once(row.gfx);
  key.cu_num = row.cu_num;
  key.shape = made_.texts.Add(analysis::ShapeText(family_, cells));
  if (m_ != core::kNoColumn)
    key.m = std::max<std::int64_t>(1, core::ParseInt64(cells[m_]).value_or(1));
  key.campaign = made_.texts.Once(times_.front().campaign);
  if (chooser.models == nullptr) {
    chooser.models = find_models_(row.gfx);
    made_.models.push_back(chooser.models);
  }
  const auto asked = chooser.models->names.find(analysis::GroupOf(family_, cells));
  if (asked != chooser.models->names.end()) key.models = &asked->second;
  key.tuned_us = times_.front().us;
  key.default_us = DefaultTime(chooser);
  if (chooser.best != nullptr) {
    features_.Of(cells, row.cu_num, numbers_);
    key.heuristic_us = TimeOf(chooser.best->choices[chooser.best->Choose(numbers_)].identity);
  }
  const ChoiceTime* const before = Operator(true);
  const ChoiceTime* const after = before == nullptr ? nullptr : Operator(false);
  if (before != nullptr) key.default_us = before->us;
  if (after != nullptr) {  // an operator's time takes more than its kernel's
    key.tuned_us = after->us;
    key.heuristic_us = analysis::kNotMeasured;
  }
  made_.keys.push_back(key);
}

double KeyMaker::TimeOf(const std::string& identity) const {
  const core::Hash128 candidate = core::HashOf(identity);
  const auto found = std::ranges::find_if(times_, [&](const ChoiceTime& time) {
    return time.candidate == candidate && !time.compared;
  });
  return found == times_.end() ? analysis::kNotMeasured : found->us;
}

const ChoiceTime* KeyMaker::Operator(bool of_default) const {
  const auto found = std::ranges::find_if(times_, [&](const ChoiceTime& time) {
    return time.compared && time.is_default == of_default;
  });
  return found == times_.end() ? nullptr : &*found;
}

// The agent says which candidate runs untuned; else what people wrote down.
double KeyMaker::DefaultTime(const Chooser& chooser) const {
  for (const ChoiceTime& time : times_) {
    if (time.is_default) return time.us;
  }
  if (chooser.written == nullptr || !chooser.written->fallback) return analysis::kNotMeasured;
  return TimeOf(chooser.written->fallback->identity);
}

}  // namespace tunehub::server
