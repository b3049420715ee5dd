// A registry with something of everything.
#pragma once

#include <string>

namespace tunehub {

// Results that win and lose, two imports of a source, a revert, a key that lost its row and has one
// again, and digests of old tables. Made once; each call answers a copy.
std::string FilledDatabase();

}  // namespace tunehub
