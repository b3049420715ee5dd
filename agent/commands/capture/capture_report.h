// What `capture` says of a log.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "agent/aiter/untuned_table.h"
#include "core/misses/miss_log.h"

namespace tunehub::agent {

// A line per family, and what was not understood.
void PrintCapture(std::ostream& out, const core::MissCounts& counts,
                  std::span<const UntunedTable> tables);

// The same with every shape as it was asked for:
// {"lines": 10, "misses": 9, ..., "families": [...], "shapes": [{"family": "a8w8", "gfx": "gfx942",
//  "cu_num": 304, "shape": {"M": "37", ...}, "count": 8}]}
nlohmann::ordered_json CaptureJson(const core::MissCounts& counts,
                                   std::span<const UntunedTable> tables,
                                   std::span<const core::MissShape> shapes);

// A line for each kind of `what` ("misses") that was to be read and could not be.
void PrintLost(std::ostream& out, const core::MissCounts& counts, std::string_view what);
nlohmann::ordered_json CountsJson(const core::MissCounts& counts, std::string_view what);

// Lines that were to be read and could not be.
bool HasFindings(const core::MissCounts& counts);

}  // namespace tunehub::agent
