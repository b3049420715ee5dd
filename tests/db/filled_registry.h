// A registry with rows of every kind.
#pragma once

#include <string>

namespace tunehub {

// Has results that win and lose, two imports of a source, a revert, a shape key that lost its row
// and got one again, and digests of old tables. Made once; each call returns a copy.
std::string FilledDatabase();

}  // namespace tunehub
