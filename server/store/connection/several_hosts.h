// A database at one of several hosts, in any of the ways that libpq is told of them.
#pragma once

#include <string>

namespace tunehub::store {

// Whether the URL, the environment or a service file names several hosts, and none of them says
// what is expected of the one to be taken.
bool MeansAnyOfSeveral(const std::string& url);

}  // namespace tunehub::store
