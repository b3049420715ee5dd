#include "server/service/analysis/speedups.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/analysis/samples.h"
#include "core/row/cell.h"
#include "core/shapes/model.h"
#include "core/table/table_writer.h"

namespace tunehub::service {
namespace {

constexpr std::int64_t kMostTp = 16;
constexpr const char* kOneM = "1";  // a grid: the models' shapes are compared without M

std::string ShapeText(const core::Family& family, const core::Cells& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!family.columns[i].is_shape()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", family.columns[i].name, cells[i]);
  }
  return text;
}

double TimeOf(const KeyTimes& key, const std::string& identity) {
  const auto found = std::find_if(key.candidates.begin(), key.candidates.end(),
                                  [&](const CandidateTime& it) { return it.identity == identity; });
  return found == key.candidates.end() ? analysis::kNotMeasured : found->us;
}

// The agent says which candidate runs untuned; else what people wrote down.
double DefaultTime(const KeyTimes& key, const analysis::Heuristic* written) {
  for (const CandidateTime& it : key.candidates) {
    if (it.is_default) return it.us;
  }
  if (written == nullptr || !written->fallback) return analysis::kNotMeasured;
  return TimeOf(key, written->fallback->identity);
}

bool Asks(const std::vector<std::string>& models, const SpeedupQuery& query) {
  if (query.model.empty()) return true;
  return std::any_of(models.begin(), models.end(), [&](const std::string& name) {
    if (query.tp == 0) return name.starts_with(query.model + " TP");
    return name == fmt::format("{} TP{}", query.model, query.tp);
  });
}

bool Matches(const std::string& gfx, int cu_num, const core::Target& target) {
  return (target.gfx.empty() || target.gfx == gfx) &&
         (target.cu_num == 0 || cu_num == 0 || target.cu_num == cu_num);
}

}  // namespace

Speedups::Speedups(const Definitions& definitions, const Snapshots& snapshots, TimeTables& times,
                   Heuristics& heuristics)
    : definitions_(definitions), snapshots_(snapshots), times_(times), heuristics_(heuristics) {}

const Speedups::ModelNames& Speedups::ModelsOf(const core::Family& family, const std::string& gfx) {
  const bool fnuz = definitions_.targets.IsFnuz(gfx);
  const auto [place, fresh] = models_.try_emplace({definitions_.Id(family), fnuz});
  if (!fresh) return place->second;
  for (const std::string& model : core::ModelNames(definitions_.models)) {
    for (std::int64_t tp = 1; tp <= kMostTp; tp *= 2) {
      const auto shapes = ShapesOf(definitions_, family, gfx, {model, tp, kOneM});
      if (!shapes.ok()) continue;  // it has no such part, or cannot be split so
      for (const core::FamilyShape& shape : *shapes) {
        auto& names = place->second[analysis::GroupOf(
            family, core::Cells(shape.cells.begin(), shape.cells.end()))];
        const std::string name = fmt::format("{} TP{}", model, tp);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
  }
  return place->second;
}

std::shared_ptr<const std::vector<analysis::SpeedupKey>> Speedups::Make(const core::Family& family,
                                                                        const FamilyTimes& times) {
  auto keys = std::make_shared<std::vector<analysis::SpeedupKey>>();
  const analysis::Features features(family);
  const std::size_t m = analysis::MColumn(family);
  struct Chooser {
    std::shared_ptr<const Learned> holder;
    const analysis::Heuristic* best = nullptr;
  };
  std::map<std::pair<std::string, int>, Chooser> choosers;
  std::vector<double> numbers;
  std::string scratch;
  for (const KeyTimes& it : times.keys) {
    const auto [chooser, fresh] = choosers.try_emplace({it.gfx, it.cu_num});
    if (fresh) {
      chooser->second.best = heuristics_.Best(family, {it.gfx, it.cu_num}, chooser->second.holder);
    }
    const core::Cells cells = core::SplitLine(it.candidates.front().line, scratch);
    analysis::SpeedupKey key;
    key.family = family.name;
    key.gfx = it.gfx;
    key.cu_num = it.cu_num;
    key.shape = ShapeText(family, cells);
    if (m != core::kNoColumn) {
      key.m = std::max<std::int64_t>(1, core::ParseInt64(cells[m]).value_or(1));
    }
    key.campaign = it.campaign;
    const ModelNames& models = ModelsOf(family, it.gfx);
    const auto asked = models.find(analysis::GroupOf(family, cells));
    if (asked != models.end()) key.models = asked->second;
    key.tuned_us = it.candidates.front().us;
    key.default_us = DefaultTime(it, heuristics_.Written(family, it.gfx, it.cu_num));
    if (const analysis::Heuristic* best = chooser->second.best) {
      features.Of(cells, it.cu_num, numbers);
      key.heuristic_us = TimeOf(it, best->choices[best->Choose(numbers)].identity);
    }
    keys->push_back(std::move(key));
  }
  return keys;
}

Speedups::Known Speedups::Find(const core::Family& family) {
  const auto times = times_.Get(family);
  const core::Pin revision = snapshots_.Current(family)->revision;
  const std::lock_guard lock(mutex_);
  Known& known = known_[definitions_.Id(family)];
  if (known.keys == nullptr || known.writes != times->writes || known.revision != revision) {
    known = {times->writes, revision, Make(family, *times)};
  }
  return known;
}

std::size_t Speedups::CountTuned(const core::Family& family, const SpeedupQuery& query) {
  std::size_t tuned = 0;
  std::string scratch;
  const std::lock_guard lock(mutex_);  // of the models
  for (const auto& row : snapshots_.Current(family)->rows) {
    if (!row->by_default() || row->standing != core::Standing::kMeasured || row->baseline ||
        !Matches(row->gfx, row->cu_num, query.target)) {
      continue;
    }
    if (!query.model.empty()) {
      const ModelNames& models = ModelsOf(family, row->gfx);
      const auto asked =
          models.find(analysis::GroupOf(family, core::SplitLine(row->line, scratch)));
      if (asked == models.end() || !Asks(asked->second, query)) continue;
    }
    ++tuned;
  }
  return tuned;
}

SpeedupAnswer Speedups::Get(const SpeedupQuery& query) {
  SpeedupAnswer answer;
  for (const core::Family* family : query.families) {
    const Known known = Find(*family);
    std::size_t several = 0;  // of the same keys
    for (const analysis::SpeedupKey& key : *known.keys) {
      if (!Matches(key.gfx, key.cu_num, query.target) || !Asks(key.models, query)) continue;
      ++several;
      if (query.campaign.empty() || query.campaign == key.campaign) answer.keys.push_back(&key);
    }
    answer.held.push_back(known.keys);
    const std::size_t tuned = CountTuned(*family, query);
    answer.tuned_alone += tuned - std::min(tuned, several);
  }
  return answer;
}

}  // namespace tunehub::service
