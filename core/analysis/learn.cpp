#include "core/analysis/learn.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace tunehub::analysis {
namespace {

// Grown well beyond what is kept: a split that gains little may open one that gains much.
constexpr std::size_t kGrownLeaves = 96;
constexpr std::size_t kFewestLeafRows = 4;
constexpr double kNothing = 1e-9;  // of a bucket's whole weight, 1

}  // namespace

std::size_t Tree::Add(std::vector<std::uint32_t> rows) {
  Grown node;
  node.row_count = rows.size();
  std::vector<double> by_choice(samples_.choices.size());
  std::vector<std::size_t> count(samples_.choices.size());
  double total = 0;
  for (std::uint32_t row : rows) {
    by_choice[samples_.rows[row].choice] += weights_[row];
    ++count[samples_.rows[row].choice];
    total += weights_[row];
  }
  const auto heaviest = std::max_element(by_choice.begin(), by_choice.end());
  node.choice = static_cast<std::size_t>(heaviest - by_choice.begin());
  node.lost = total - *heaviest;
  node.matches = count[node.choice];
  if (node.matches < node.row_count) {
    node.split = BestSplit(binned_, samples_, weights_, rows, kFewestLeafRows);
  }
  node.rows = std::move(rows);
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

void Tree::SplitNode(std::size_t place) {
  const NodeSplit split = nodes_[place].split;
  const auto& bins = binned_.bins(split.feature);
  std::vector<std::uint32_t> yes, no;
  for (std::uint32_t row : nodes_[place].rows) (bins[row] <= split.bin ? yes : no).push_back(row);
  nodes_[place].rows = {};
  nodes_[place].leaf = false;
  const std::size_t first = Add(std::move(yes)), second = Add(std::move(no));
  nodes_[place].yes = first;
  nodes_[place].no = second;
}

void Tree::Grow(std::vector<std::uint32_t> rows) {
  Add(std::move(rows));
  for (std::size_t leaves = 1; leaves < kGrownLeaves; ++leaves) {
    std::size_t best = nodes_.size();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!nodes_[i].leaf || nodes_[i].split.gain <= 0) continue;
      if (best == nodes_.size() || nodes_[i].split.gain > nodes_[best].split.gain) best = i;
    }
    if (best == nodes_.size()) return;
    SplitNode(best);
  }
}

Tree::Subtree Tree::Below(std::size_t place) const {
  const Grown& node = nodes_[place];
  if (node.leaf) return {1, node.lost};
  const Subtree yes = Below(node.yes), no = Below(node.no);
  return {yes.leaves + no.leaves, yes.lost + no.lost};
}

// The node whose subtree is worth least per leaf that it costs.
void Tree::Weakest(std::size_t place, double& least, std::size_t& weakest) const {
  const Grown& node = nodes_[place];
  if (node.leaf) return;
  const Subtree below = Below(place);
  const double worth = (node.lost - below.lost) / static_cast<double>(below.leaves - 1);
  if (worth < least) {
    least = worth;
    weakest = place;
  }
  Weakest(node.yes, least, weakest);
  Weakest(node.no, least, weakest);
}

void Tree::Prune(std::size_t leaves) {
  for (;;) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t weakest = nodes_.size();
    Weakest(0, least, weakest);
    if (weakest == nodes_.size()) return;
    if (Below(0).leaves <= leaves && least > kNothing) return;
    nodes_[weakest].leaf = true;
  }
}

std::size_t Tree::Write(std::size_t place, Heuristic& heuristic) const {
  const Grown& grown = nodes_[place];
  const std::size_t written = heuristic.nodes.size();
  heuristic.nodes.emplace_back();
  Node node;
  if (grown.leaf) {
    node.choice = grown.choice;
    node.rows = grown.row_count;
    node.matches = grown.matches;
  } else {
    node.feature = grown.split.feature;
    node.at_most = binned_.Threshold(grown.split.feature, grown.split.bin);
    node.yes = Write(grown.yes, heuristic);
    node.no = Write(grown.no, heuristic);
  }
  heuristic.nodes[written] = node;
  return written;
}

Heuristic Tree::ToHeuristic() const {
  Heuristic heuristic;
  heuristic.choices = samples_.choices;
  Write(0, heuristic);
  return heuristic;
}

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
