// The file that this process runs.
#pragma once

#include <string>

namespace tunehub::agent {

// Its path, by which it can be started again; "/proc/self/exe" where its file was replaced since:
// an upgrade must not put another version's worker beside a daemon. Without /proc, as in a bare
// root, what it was started by.
std::string OwnProgram();

}  // namespace tunehub::agent
