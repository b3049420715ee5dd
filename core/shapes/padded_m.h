// AITER's padded lookup of M: exact M, then the gl 0 grid, then the gl 1 grid.
#pragma once

#include <cstdint>

namespace tunehub::core {

// gl 0: up to a multiple of 16 (M <= 256), 32 (<= 1024), 64 (<= 4096), else 128.
std::int64_t PaddedMGl0(std::int64_t m);
// gl 1: 8192 where M > 8192 and N > 4096, else the next power of two (1 for M <= 1).
std::int64_t PaddedMGl1(std::int64_t m, std::int64_t n);
// fmoe: the next power of two below 32768; then 32768 and, from 131072 on, 131072.
std::int64_t TokenTier(std::int64_t token);

}  // namespace tunehub::core
