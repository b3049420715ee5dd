// Batches of one family that wait for each other, and so are committed together.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/support/registry.h"

namespace tunehub {

inline constexpr int kTogether = 8;

// A run for each.
std::vector<std::int64_t> RunsTogether(test::Registry& registry);

// Does send(i) for each, from a thread of its own: the first waits for the family in the database,
// the others behind it in the line.
void SendTogether(test::Registry& registry, const std::function<void(int)>& send);

}  // namespace tunehub
