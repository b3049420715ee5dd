// TunableOp's files as rows of their family. No I/O.
#pragma once

#include <string_view>
#include <vector>

#include "core/readers/tree_reader.h"

namespace tunehub::core {

// Every entry that is a file of TunableOp's: one with the validator PT_VERSION, or with its usual
// name. `device`: the name of the GPU that they are of; "": as a served file's path says, else the
// gfx among their validators, else none. A row that several files have alike is taken once, and one
// with another solution in each of them is that many candidates.
TreeReading ReadTunableTree(const ReaderStore& store, const Targets& targets,
                            const std::vector<TreeEntry>& entries, std::string_view device);

}  // namespace tunehub::core
