// A registry with rows of every kind.
#pragma once

#include <string>

namespace tunehub {

// Contains winning and losing results, two imports of a source, a revert, and digests of old
// tables. One shape key lost its row and got another. Each call returns a copy of the same
// database.
std::string FilledDatabase();

}  // namespace tunehub
