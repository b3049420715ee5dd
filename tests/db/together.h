// Batches of one family that wait at the same time, so that they commit together.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/support/registry.h"

namespace tunehub {

inline constexpr int kTogether = 8;

// Makes a run for each batch.
std::vector<std::int64_t> RunsTogether(test::Registry& registry);

// Calls send(i) for each batch in its own thread. The first waits in the database for the family's
// lock; the rest queue behind the first.
void SendTogether(test::Registry& registry, const std::function<void(int)>& send);

}  // namespace tunehub
