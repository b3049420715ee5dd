// A heuristic: which candidate to run for a shape that nobody has tuned, as a decision tree over
// the features of the shape. What people wrote down (configs/heuristics) and what was learned from
// tuned rows are the same thing.
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

// Buckets of M: one per power of two, since a grid whose steps grow has most of its points at large
// M, and those must not decide a mean.
struct MBucket {
  std::int64_t from = 1, to = 1;  // 1, 2, 3-4, 5-8, 9-16, ...

  bool operator==(const MBucket&) const = default;
};

// The bucket's number: 0 for M = 1, 1 for 2, 2 for 3 and 4. m >= 1.
inline std::size_t BucketOf(std::int64_t m) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(m - 1)));
}

inline MBucket BucketAt(std::size_t number) {
  const auto to = static_cast<std::int64_t>(std::uint64_t{1} << number);
  return {number == 0 ? 1 : to / 2 + 1, to};
}

// A family's features. Every shape column that is a number, a truth or an enum is one, by its name
// (enums by their place in the family file); of a GEMM also
//   MN, MK, NK        products
//   waves_64x64 ...   output tiles of that size per CU
//   fill_64x64 ...    the share of the CUs that has work, over all waves of such tiles
// and of a fused MoE
//   rows_per_expert   tokens * topk / experts.
class Features {
 public:
  explicit Features(const core::Family& family);

  const std::vector<std::string>& names() const { return names_; }
  // core::kNoColumn where there is none.
  std::size_t Find(std::string_view name) const;

  // One number per name, of a row's canonical cells. A cell that is no number counts as 0.
  void Of(const core::Cells& cells, int cu_num, std::vector<double>& numbers) const;

  // The same of one feature as an expression that C++ and Python read alike: over the doubles that
  // `name_of` names, with ceil, which may be an integer of any size, and max. core::kNoColumn is
  // the CU count.
  using NameOf = std::function<std::string(std::size_t column)>;
  std::string Expression(std::size_t feature, const NameOf& name_of) const;
  // Behind the first names: the columns that are features themselves.
  const std::vector<std::size_t>& columns() const { return columns_; }

 private:
  const core::Family& family_;
  std::vector<std::size_t> columns_;
  std::vector<std::string> names_;
};

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
