// What a heuristic may look at: numbers that follow from a shape and the CU count of its target.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace tunehub::analysis
