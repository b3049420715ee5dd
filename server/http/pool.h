// Which threads answer a request: what is slow keeps nothing waiting but its like.
#pragma once

#include <array>
#include <cstddef>

namespace tunehub::http {

enum class Pool {
  kQuick,  // reads that end at once
  kQueue,  // steps of the queue: signs of life must not wait behind rows
  kHeavy,  // reads that compute
  kWrite,
};
inline constexpr std::size_t kPools = 4;
// What figures call them.
inline constexpr std::array<const char*, kPools> kPoolNames = {"reads", "queue", "heavy_reads",
                                                               "writes"};

}  // namespace tunehub::http
