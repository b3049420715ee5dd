// Whose GPU a log is of: what its lines say, else what the person said, else this host's.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/family/targets.h"
#include "core/misses/miss_log.h"
#include "core/row/target.h"

namespace tunehub::agent {

enum class TargetFrom { kNobody, kLog, kOptions, kHost };

struct LogTarget {
  core::Target target;  // of the lines that do not say; gfx "": unknown
  TargetFrom from = TargetFrom::kNobody;
};

// The GPU of the lines that name none. `asked`: --gfx and --cu-num, gfx "" where neither was given.
// Without it the one that the log's other lines name, if they name one alone; without that the AMD
// GPU that the kernel driver lists below `root`.
LogTarget TargetOfLog(const core::Target& asked, std::span<const core::MissShape> shapes,
                      const std::filesystem::path& root);

// The shapes, with `target` where a shape has none.
std::vector<core::MissShape> WithTarget(std::vector<core::MissShape> shapes,
                                        const core::Target& target);

// "MI300X / MI325X (gfx942:304)"
std::string Describe(const core::Targets& targets, const core::Target& target);
// "gfx942:304", "gfx950" without a CU count.
std::string Name(const core::Target& target);

}  // namespace tunehub::agent
