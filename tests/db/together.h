// Batches of one family that wait together, so that they commit together.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/support/registry.h"

namespace tunehub {

inline constexpr int kTogether = 8;

// A run for each batch.
std::vector<std::int64_t> RunsTogether(test::Registry& registry);

// Calls send(i) for each in a thread of its own. The first waits for the family's lock in the
// database, the rest queue behind it.
void SendTogether(test::Registry& registry, const std::function<void(int)>& send);

}  // namespace tunehub
