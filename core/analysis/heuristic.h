// A heuristic chooses a candidate for an untuned shape. It is a decision tree over the shape's
// features, written by people (configs/heuristics) or learned from tuned rows.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/family/family.h"

namespace tunehub::analysis {

// Buckets of M, one for each power of two. Most shapes of a model have a large M. Buckets prevent
// these shapes from dominating a mean.
struct MBucket {
  std::int64_t from = 1, to = 1;  // 1, 2, 3-4, 5-8, 9-16, ...

  bool operator==(const MBucket&) const = default;
};

// The bucket's number: 0 for M = 1, 1 for 2, 2 for 3 and 4. Precondition: m >= 1.
inline std::size_t BucketOf(std::int64_t m) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(m - 1)));
}

inline MBucket BucketAt(std::size_t number) {
  const auto to = static_cast<std::int64_t>(std::uint64_t{1} << number);
  return {number == 0 ? 1 : to / 2 + 1, to};
}

// A family's features. Every shape column with a number, a boolean or an enum is a feature with the
// column's name. An enum's number is the index of its value in the family file. More features of a
// GEMM:
//   MN, MK, NK        M * N, M * K, N * K
//   waves_64x64 ...   output tiles of that size per CU
//   fill_64x64 ...    the mean share of CUs that are busy while these tiles run
// More features of a fused MoE:
//   rows_per_expert   tokens * topk / experts
class Features {
 public:
  explicit Features(const core::Family& family);

  const std::vector<std::string>& names() const { return names_; }
  // Returns core::kNoColumn for an unknown feature.
  std::size_t Find(std::string_view name) const;

  // Writes one number for each name, from a row's canonical cells. A cell that is not a number
  // counts as 0.
  void Of(const core::Cells& cells, int cu_num, std::vector<double>& numbers) const;

  // One feature as an expression for C++ and Python. The expression uses doubles (named by
  // `name_of`), max and ceil. Python's ceil returns an integer of any size.
  // name_of(core::kNoColumn) is the CU count.
  using NameOf = std::function<std::string(std::size_t column)>;
  std::string Expression(std::size_t feature, const NameOf& name_of) const;
  // The shape columns that are themselves features. Features names them first, in this order.
  const std::vector<std::size_t>& columns() const { return columns_; }

 private:
  const core::Family& family_;
  std::vector<std::size_t> columns_;
  std::vector<std::string> names_;
};

// A candidate: one canonical text per column of the family. Only texts of config columns are not
// empty.
struct Choice {
  std::vector<std::string> cells;
  std::string identity;  // core::AppendCandidateText: equal for equal candidates
};

// Derives `identity` from `cells`.
Choice MakeChoice(const core::Family& family, std::vector<std::string> cells);

inline constexpr std::size_t kNoChoice = core::kNoColumn;

struct Node {
  // A leaf has a choice. Any other node continues at `yes` if its feature is at most `at_most`,
  // otherwise at `no`.
  std::size_t choice = kNoChoice;
  std::size_t feature = 0;
  double at_most = 0;
  std::size_t yes = 0, no = 0;
  // `rows`: learned rows in this leaf. `matches`: the rows among them whose winner is the leaf's
  // choice.
  std::size_t rows = 0, matches = 0;
};

struct Heuristic {
  std::string family, about;
  std::string gfx;                 // "": any
  int cu_num = 0;                  // 0: any
  std::vector<Choice> choices;     // index: Node::choice
  std::vector<Node> nodes;         // the root first
  std::optional<Choice> fallback;  // runs without tuning and without a heuristic

  bool AppliesTo(std::string_view row_gfx, int row_cu_num) const {
    return (gfx.empty() || gfx == row_gfx) && (cu_num == 0 || cu_num == row_cu_num);
  }
  std::size_t Leaves() const;
  // Returns a leaf's choice for the numbers from Features::Of. Precondition: `nodes` is not empty.
  std::size_t Choose(const std::vector<double>& numbers) const;
};

// Errors: bad_heuristic (file, JSON pointer, reason). Refuses an unknown member, feature or column,
// and a heuristic for another family.
core::Result<Heuristic> ParseHeuristic(std::string_view name, std::string_view json,
                                       const core::Family& family);

// Loads a family's hand-written heuristic, `folder`/FAMILY.json; nullopt if the file does not
// exist.
core::Result<std::optional<Heuristic>> LoadHeuristic(const core::TextFolder& folder,
                                                     const core::Family& family);

nlohmann::ordered_json ToJson(const Heuristic& heuristic, const core::Family& family);
// {"libtype": "ck", "kernelName": ...}: the non-empty cells, in the family's order.
nlohmann::ordered_json ToJson(const Choice& choice, const core::Family& family);

// A heuristic as source code, for programs that cannot read its file.
struct SourceText {
  std::string file, text;
};

// Returns three files:
// * FAMILY_instances.json, for a build to compile: the default and each config that the tree
//   chooses.
// * A C++17 header and a Python 3 module. Both contain the same instances in the same order. Both
//   contain a function that returns the instance for a shape and a CU count. The function computes
//   in doubles, as Features does, so that no multiplication of sizes overflows.
// Precondition: the heuristic has a tree. Errors: bad_family if a column's name is not an
// identifier.
core::Result<std::vector<SourceText>> SourcesOf(const Heuristic& heuristic,
                                                const core::Family& family);

}  // namespace tunehub::analysis
