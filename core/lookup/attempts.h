// Which values of the padded column AITER's lookup tries for a raw one, and in which order.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/family/family.h"

namespace tunehub::lookup {

// How an answer was found. The names are part of the API.
enum class Step {
  kExact,      // a row of this very shape
  kGl0,        // a row at the next point of the fine grid of padded M
  kGl1,        // a row at the next point of the coarse grid
  kTier,       // a row at the next tier of tokens
  kLowerTier,  // no row at the last tier: the one below
  kNearest,    // a row beside it: of the nearest M, or of the next bucket
  kHeuristic,  // no row: a rule that looks at the shape
  kDefault,    // no row and no rule: one kernel for everything
};

std::string_view Name(Step step);  // "exact", "gl0", ...

struct Attempt {
  Step step;
  std::int64_t m;  // what the padded column must be; of no meaning where nothing is padded

  bool operator==(const Attempt&) const = default;
};

// In order, no value twice. `n` decides where the coarse grid ends. Empty for a family without a
// lookup.
std::vector<Attempt> AttemptsFor(const core::Lookup& lookup, std::int64_t m, std::int64_t n);

}  // namespace tunehub::lookup
