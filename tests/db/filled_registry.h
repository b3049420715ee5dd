// A registry with rows of every kind.
#pragma once

#include <string>

namespace tunehub {

// Has results that win and lose, two imports of a source, a revert, a shape key that lost its row
// and has one again, and digests of old tables. It is made once; each call returns a copy.
std::string FilledDatabase();

}  // namespace tunehub
