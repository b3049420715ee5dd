// The lines of all readers' files, each with the grammar that takes its paths apart.
#pragma once

#include <vector>

#include "core/misses/file_misses.h"
#include "core/readers/reader.h"

namespace tunehub::core {

// `readers` must outlive the answer.
std::vector<FileLine> FileLinesOf(const Readers& readers);

// Those about tuned files in general, none of them seen yet.
std::vector<RemarkedLines> RemarksOf(const Readers& readers);

}  // namespace tunehub::core
