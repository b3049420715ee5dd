// A heuristic as source code, for programs that cannot read its file.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/heuristic.h"

namespace tunehub::analysis {

struct SourceText {
  std::string file, text;
};

// What a build has to compile (FAMILY_instances.json: each config that the tree chooses, once, and
// the default), a header of C++17 and a module of Python 3, both with the same instances in the
// same order, and with a function from a shape and a CU count to one of them. They compute in
// doubles, as Features does: no product of sizes overflows. Precondition: the heuristic has a tree.
// Error bad_family: a column whose name is no identifier.
core::Result<std::vector<SourceText>> SourcesOf(const Heuristic& heuristic,
                                                const core::Family& family);

}  // namespace tunehub::analysis
