#include "core/analysis/learn.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace tunehub::analysis {
namespace {

// Far above kMostLeaves, because a split with a small gain may enable a split with a large gain.
constexpr std::size_t kGrownLeaves = 96;
constexpr std::size_t kFewestLeafRows = 4;
constexpr double kNothing = 1e-9;  // relative to a bucket's whole weight, 1

constexpr std::size_t kMostBins = 256;  // one byte

// Returns a number in [low, high) with as few digits as possible, because people read it.
double Between(double low, double high) {
  constexpr int kFirst = -12, kLast = 6;  // powers of ten
  for (int decimals = kFirst; decimals <= kLast; ++decimals) {
    const double scale = std::pow(10.0, std::abs(decimals));
    const double middle = low + (high - low) / 2;
    const double rounded =
        decimals < 0 ? std::round(middle / scale) * scale : std::round(middle * scale) / scale;
    if (rounded >= low && rounded < high) return rounded;
  }
  return low;
}

// Sums over a leaf's rows on one side of a split.
struct Half {
  double weight = 0, squares = 0;  // the sum of the choices' squared weights
  std::size_t rows = 0;

  double Purity() const { return weight > 0 ? squares / weight : 0; }
};

// Tries each split of one feature, in one pass over a leaf's rows in the order of their bins.
// `all`: the sum of the weights of each choice. `whole`: sums over all rows.
void TryFeature(const Binned& binned, const Samples& samples, const std::vector<double>& weights,
                const std::vector<std::uint32_t>& rows, const std::vector<double>& all,
                const Half& whole, std::size_t feature, std::size_t fewest, NodeSplit& best) {
  const auto& bins = binned.bins(feature);
  std::vector<std::size_t> ends(binned.bin_count(feature) + 1);
  for (std::uint32_t row : rows) ++ends[bins[row] + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::uint32_t> by_bin(rows.size());
  for (std::uint32_t row : rows) by_bin[ends[bins[row]]++] = row;
  std::vector<double> left(all.size());
  Half low, high = whole;
  for (std::size_t bin = 0; bin + 2 < ends.size(); ++bin) {
    if (low.rows == ends[bin]) continue;
    for (; low.rows < ends[bin]; ++low.rows, --high.rows) {
      const std::uint32_t row = by_bin[low.rows];
      const std::size_t choice = samples.rows[row].choice;
      const double moved = weights[row], right = all[choice] - left[choice];
      low.squares += moved * (2 * left[choice] + moved);
      high.squares += moved * (moved - 2 * right);
      low.weight += moved;
      high.weight -= moved;
      left[choice] += moved;
    }
    if (low.rows < fewest || high.rows < fewest) continue;
    const double gain = low.Purity() + high.Purity() - whole.Purity();
    if (gain > best.gain * (1 + 1e-9) + 1e-12) best = {gain, feature, bin};
  }
}

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

// Finds the node whose subtree gains least per leaf.
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
      // Point to the equal choice of the samples, because the tree's choice dies with the tree.
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
        fmt::format(
            "{}: a heuristic cannot choose this family's rows, because each row is a whole file",
            samples.family.name)};
  }
  const std::size_t rows = samples.rows.size(), groups = samples.groups.size();
  if (rows >= kFewestSamples && groups >= kFewestGroups) return core::Ok();
  return core::Error{"too_few_rows",
                     fmt::format("{}: learning needs at least {} tuned shapes with at least {} "
                                 "different sizes (without M); found {} shapes with {} sizes",
                                 samples.family.name, kFewestSamples, kFewestGroups, rows, groups)};
}

std::vector<double> BalancedWeights(const Samples& samples, const std::vector<bool>& taken) {
  std::array<std::size_t, kBuckets> rows{};
  for (std::size_t i = 0; i < samples.rows.size(); ++i) {
    if (taken[i]) ++rows[BucketOf(samples.rows[i].m)];
  }
  std::vector<double> weights(samples.rows.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (taken[i]) weights[i] = 1 / static_cast<double>(rows[BucketOf(samples.rows[i].m)]);
  }
  return weights;
}

Binned::Binned(const Samples& samples, const std::vector<double>& weights) {
  const auto& rows = samples.rows;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::uint32_t> order(rows.size());
  for (std::size_t f = 0; f < samples.features.names().size(); ++f) {
    const auto number = [&](std::uint32_t row) { return rows[row].numbers[f]; };
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return number(a) < number(b); });
    std::size_t values = order.empty() ? 0 : 1;
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (number(order[i]) != number(order[i - 1])) ++values;
    }
    Feature feature;
    feature.bins.resize(rows.size());
    double seen = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool next_value = i > 0 && number(order[i]) != number(order[i - 1]);
      const double full =
          total * static_cast<double>(feature.upper.size() + 1) / static_cast<double>(kMostBins);
      if (next_value && (values <= kMostBins || seen >= full) &&
          feature.upper.size() + 1 < kMostBins) {
        feature.upper.push_back(Between(number(order[i - 1]), number(order[i])));
      }
      feature.bins[order[i]] = static_cast<std::uint8_t>(feature.upper.size());
      seen += weights[order[i]];
    }
    feature.upper.push_back(order.empty() ? 0 : number(order.back()));
    features_.push_back(std::move(feature));
  }
}

NodeSplit BestSplit(const Binned& binned, const Samples& samples,
                    const std::vector<double>& weights, const std::vector<std::uint32_t>& rows,
                    std::size_t fewest) {
  std::vector<double> all(samples.choices.size());
  Half whole;
  for (std::uint32_t row : rows) {
    all[samples.rows[row].choice] += weights[row];
    whole.weight += weights[row];
  }
  for (double weight : all) whole.squares += weight * weight;
  whole.rows = rows.size();
  NodeSplit best;
  for (std::size_t feature = 0; feature < binned.features(); ++feature) {
    TryFeature(binned, samples, weights, rows, all, whole, feature, fewest, best);
  }
  return best;
}

}  // namespace tunehub::analysis
