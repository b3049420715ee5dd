#include "core/analysis/learn.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/analysis/tree.h"

namespace tunehub::analysis {

Learner::Learner(const Samples& samples)
    : samples_(samples),
      weights_(BalancedWeights(samples, std::vector<bool>(samples.rows.size(), true))),
      binned_(samples, weights_) {}

Heuristic Learner::LearnFrom(const std::vector<bool>& taken) const {
  Tree tree(binned_, samples_, BalancedWeights(samples_, taken));
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (taken[i]) rows.push_back(static_cast<std::uint32_t>(i));
  }
  tree.Grow(std::move(rows));
  tree.Prune(kMostLeaves);
  Heuristic heuristic = tree.ToHeuristic();
  heuristic.family = samples_.family.name;
  return heuristic;
}

Score Learner::LeaveOut() const {
  const std::size_t folds = std::min(samples_.groups.size(), kMostFolds);
  std::vector<const std::string*> answers(samples_.rows.size(), nullptr);
  std::vector<bool> taken(samples_.rows.size());
  for (std::size_t fold = 0; fold < folds; ++fold) {
    for (std::size_t i = 0; i < taken.size(); ++i) {
      taken[i] = samples_.rows[i].group % folds != fold;
    }
    const Heuristic heuristic = LearnFrom(taken);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (taken[i]) continue;
      const Choice& choice = heuristic.choices[heuristic.Choose(samples_.rows[i].numbers)];
      // The tree goes away, its choices are the samples'.
      answers[i] =
          &std::find_if(samples_.choices.begin(), samples_.choices.end(), [&](const Choice& it) {
             return it.identity == choice.identity;
           })->identity;
    }
  }
  return ScoreOf(samples_, [&](const Sample&, std::size_t i) { return answers[i]; });
}

core::Status CheckEnough(const Samples& samples) {
  const auto& columns = samples.family.columns;
  if (std::ranges::find(columns, core::Type::kDocument, &core::Column::type) != columns.end()) {
    return core::Error{
        "no_heuristic",
        fmt::format("{}: whole files are carried, and become no code", samples.family.name)};
  }
  const std::size_t rows = samples.rows.size(), groups = samples.groups.size();
  if (rows >= kFewestSamples && groups >= kFewestGroups) return core::Ok();
  return core::Error{"too_few_rows",
                     fmt::format("{}: a heuristic is learned from {} tuned shapes or more, of {} "
                                 "sizes besides M or more; there are {} of {}",
                                 samples.family.name, kFewestSamples, kFewestGroups, rows, groups)};
}

}  // namespace tunehub::analysis
