#include "server/service/analysis/speedup_keys.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "core/analysis/samples.h"
#include "core/row/cell.h"
#include "core/table/table_writer.h"

namespace tunehub::service {
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

void KeyMaker::Add(const store::ChoiceTime& time) {
  if (!times_.empty() && times_.front().key != time.key) Finish();
  times_.push_back(time);
}

void KeyMaker::Finish() {
  // A key that changed since the snapshot was made is in the next one.
  const auto row = times_.empty() ? rows_.end() : rows_.find(times_.front().key);
  const auto is_won = [](const store::ChoiceTime& time) { return time.won; };
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
  const store::ChoiceTime* const before = Operator(true);
  const store::ChoiceTime* const after = before == nullptr ? nullptr : Operator(false);
  if (before != nullptr) key.default_us = before->us;
  if (after != nullptr) {  // an operator's time takes more than its kernel's
    key.tuned_us = after->us;
    key.heuristic_us = analysis::kNotMeasured;
  }
  made_.keys.push_back(key);
}

double KeyMaker::TimeOf(const std::string& identity) const {
  const core::Hash128 candidate = core::HashOf(identity);
  const auto found = std::ranges::find_if(times_, [&](const store::ChoiceTime& time) {
    return time.candidate == candidate && !time.compared;
  });
  return found == times_.end() ? analysis::kNotMeasured : found->us;
}

const store::ChoiceTime* KeyMaker::Operator(bool of_default) const {
  const auto found = std::ranges::find_if(times_, [&](const store::ChoiceTime& time) {
    return time.compared && time.is_default == of_default;
  });
  return found == times_.end() ? nullptr : &*found;
}

// The agent says which candidate runs untuned; else what people wrote down.
double KeyMaker::DefaultTime(const Chooser& chooser) const {
  for (const store::ChoiceTime& time : times_) {
    if (time.is_default) return time.us;
  }
  if (chooser.written == nullptr || !chooser.written->fallback) return analysis::kNotMeasured;
  return TimeOf(chooser.written->fallback->identity);
}

}  // namespace tunehub::service
