// A missed file as shapes: a miss names no M, so what its reader's tuner measures is wanted.
#pragma once

#include <span>
#include <vector>

#include "core/family/families.h"
#include "core/family/targets.h"
#include "core/misses/file_misses.h"
#include "core/misses/miss_log.h"

namespace tunehub::core {

// Each M of each file's ladder, as often as the file was missed. The target is what is known of the
// device; of one that nobody knows there is none, and the shape keeps its name.
std::vector<MissShape> ShapesOfFiles(const Families& families, const Targets& targets,
                                     std::span<const MissedFile> files);

}  // namespace tunehub::core
