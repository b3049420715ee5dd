// A heuristic: which candidate to run for a shape that nobody has tuned, as a decision tree over
// the features of the shape. What people wrote down (configs/heuristics) and what was learned from
// tuned rows are the same thing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/features.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/family/family.h"

namespace tunehub::analysis {

// A candidate: one canonical text per column of the family, empty outside its config columns.
struct Choice {
  std::vector<std::string> cells;
  std::string identity;  // core::AppendCandidateText: equal for equal candidates
};

// Fills `identity` by `cells`.
Choice MakeChoice(const core::Family& family, std::vector<std::string> cells);

inline constexpr std::size_t kNoChoice = core::kNoColumn;

struct Node {
  // A leaf has a choice; any other node goes on at `yes` where its feature is at most `at_most`.
  std::size_t choice = kNoChoice;
  std::size_t feature = 0;
  double at_most = 0;
  std::size_t yes = 0, no = 0;
  // Of the rows that it was learned from: how many ended in this leaf, how many of them agree.
  std::size_t rows = 0, matches = 0;
};

struct Heuristic {
  std::string family, about;
  std::string gfx;                 // "": any
  int cu_num = 0;                  // 0: any
  std::vector<Choice> choices;     // by Node::choice
  std::vector<Node> nodes;         // the root first
  std::optional<Choice> fallback;  // what runs where nothing was tuned and no heuristic is asked

  bool AppliesTo(std::string_view row_gfx, int row_cu_num) const {
    return (gfx.empty() || gfx == row_gfx) && (cu_num == 0 || cu_num == row_cu_num);
  }
  std::size_t Leaves() const;
  // The leaf's choice for the numbers of Features::Of. Precondition: not empty.
  std::size_t Choose(const std::vector<double>& numbers) const;
};

// Strict, as every file of ours. Errors (code "bad_heuristic") name the file, the JSON pointer and
// the reason: another family than this one, a feature or a column that there is not.
core::Result<Heuristic> ParseHeuristic(std::string_view name, std::string_view json,
                                       const core::Family& family);

// `folder`/FAMILY.json, what people wrote down for a family; nothing where there is no such file.
core::Result<std::optional<Heuristic>> LoadHeuristic(const core::TextFolder& folder,
                                                     const core::Family& family);

nlohmann::ordered_json ToJson(const Heuristic& heuristic, const core::Family& family);
// {"libtype": "ck", "kernelName": ...}: the cells that are not empty, in the family's order.
nlohmann::ordered_json ToJson(const Choice& choice, const core::Family& family);

// A heuristic as source code, for programs that cannot read its file.
struct SourceText {
  std::string file, text;
};

// What a build has to compile (FAMILY_instances.json: each config that the tree chooses, once, and
// the default), a header of C++17 and a module of Python 3, both with the same instances in the
// same order, and with a function from a shape and a CU count to one of them. They compute in
// doubles, as Features does: no product of sizes overflows. Precondition: the heuristic has a tree.
// Error bad_family: a column whose name is no identifier.
core::Result<std::vector<SourceText>> SourcesOf(const Heuristic& heuristic,
                                                const core::Family& family);

}  // namespace tunehub::analysis
