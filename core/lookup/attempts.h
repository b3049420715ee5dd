// Which values of the padded column AITER's lookup tries for a raw one, and in which order.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/family/family.h"
#include "core/family/lookup_kinds.h"

namespace tunehub::lookup {

using Step = core::LookupStep;

std::string_view Name(Step step);  // "exact", "gl0", ...

struct Attempt {
  Step step;
  std::int64_t m;  // what the padded column must be; of no meaning where nothing is padded

  bool operator==(const Attempt&) const = default;
};

// What whole tiles make of a column's value; `value` where the column has none.
std::int64_t InTiles(const core::Lookup& lookup, std::size_t column, std::int64_t value);

// In order, no value twice. `n` decides where the coarse grid ends. Empty for a family without a
// lookup, and for an M above Lookup::most_m. Of Step::kTiles `m` is that of the tiles, too.
std::vector<Attempt> AttemptsFor(const core::Lookup& lookup, std::int64_t m, std::int64_t n);

}  // namespace tunehub::lookup
