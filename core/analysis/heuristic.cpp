#include "core/analysis/heuristic.h"

#include <algorithm>

#include "core/row/key.h"

namespace tunehub::analysis {

Choice MakeChoice(const core::Family& family, std::vector<std::string> cells) {
  Choice choice{std::move(cells), {}};
  core::AppendCandidateText(choice.identity, family,
                            core::Cells(choice.cells.begin(), choice.cells.end()));
  return choice;
}

std::size_t Heuristic::Leaves() const {
  return static_cast<std::size_t>(std::count_if(
      nodes.begin(), nodes.end(), [](const Node& node) { return node.choice != kNoChoice; }));
}

std::size_t Heuristic::Choose(const std::vector<double>& numbers) const {
  const Node* node = &nodes.front();
  while (node->choice == kNoChoice) {
    node = &nodes[numbers[node->feature] <= node->at_most ? node->yes : node->no];
  }
  return node->choice;
}

}  // namespace tunehub::analysis
