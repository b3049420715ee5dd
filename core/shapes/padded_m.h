// AITER's padded lookup of M: exact M, then the gl 0 grid, then the gl 1 grid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/family/family.h"

namespace tunehub::core {

// gl 0: up to a multiple of 16 (M <= 256), 32 (<= 1024), 64 (<= 4096), else 128.
std::int64_t PaddedMGl0(std::int64_t m);
// gl 1: 8192 where M > 8192 and N > 4096, else the next power of two (1 for M <= 1).
std::int64_t PaddedMGl1(std::int64_t m, std::int64_t n);
// fmoe: the next power of two below 32768; then 32768 and, from 131072 on, 131072.
std::int64_t TokenTier(std::int64_t token);

// The shape that a tuned table must have for a lookup of a raw shape to find it: what untuned
// tables and jobs ask for, while demand keeps the raw shape.

// The column that holds M: what is padded, or what the metric says; kNoColumn: there is none.
std::size_t MColumnOf(const Family& family);

// By the family's Lookup: "padded_m": 1, 2, 4 and 8 stay, because the gl 1 grid (powers of two)
// finds them and decoding asks for nothing else so often; all others go up to the gl 0 grid.
// "token_tiers": up to the next tier (core/shapes/padded_m.h). Otherwise `m` itself. m >= 1.
std::int64_t LookupM(const Family& family, std::int64_t m);

// `cells` in the order of Family::untuned_columns: the same with the family's padded column mapped
// by LookupM. A cell that is no positive integer stays as it is.
std::vector<std::string> LookupShape(const Family& family, std::vector<std::string> cells);

}  // namespace tunehub::core
