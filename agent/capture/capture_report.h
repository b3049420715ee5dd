// What `capture` says of a log.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "agent/aiter/untuned_table.h"
#include "agent/capture/capture.h"
#include "core/misses/miss_log.h"

namespace tunehub::agent {

// A line per family and per reader, and what was not understood.
void PrintCapture(std::ostream& out, const core::MissCounts& counts,
                  std::span<const UntunedTable> tables, const Missed& missed);

// The same with every shape as it was asked for:
// {"lines": 10, "misses": 9, ..., "families": [...], "shapes": [{"family": "a8w8", "gfx": "gfx942",
//  "cu_num": 304, "shape": {"M": "37", ...}, "count": 8}], "files": [...], "misnamed": [{"path",
//  "detail", "count"}]}; the shapes have every M of the files' ladders.
nlohmann::ordered_json CaptureJson(const core::MissCounts& counts,
                                   std::span<const UntunedTable> tables, const Missed& missed);

// The files of a log by their readers: how often each, where it was looked for, and what was read
// in its place. `says`: "looked for and not found".
void PrintFiles(std::ostream& out, std::span<const core::MissedFile> files, std::string_view says);
// Of one file: its folders, and that no family has such files.
void PrintAsked(std::ostream& out, std::string_view indent, const core::MissedFile& file);
// [{"reader": "vllm", "family": "triton_fused_moe", "path": "E=8,...json", "key": {"E": "8", ...},
//  "used": "..." or null, "count": 16, "asked": ["/.../E=8,...json"]}]; "family" is "" where the
// hub keeps no such files.
nlohmann::ordered_json FilesJson(std::span<const core::MissedFile> files);

// Lines about tuned files in general: how many, and the first.
void PrintRemarks(std::ostream& out, std::span<const core::RemarkedLines> remarks);
// [{"reader": "aiter", "says": "...", "count": 2, "first": "..."}]
nlohmann::ordered_json RemarksJson(std::span<const core::RemarkedLines> remarks);

// What follows about the shapes of a log without a miss.
void PrintNoMiss(std::ostream& out, const core::MissCounts& counts);
// A line for each kind of `what` ("misses") that was to be read and could not be.
void PrintLost(std::ostream& out, const core::MissCounts& counts, std::string_view what);
nlohmann::ordered_json CountsJson(const core::MissCounts& counts, std::string_view what);

// Lines that were to be read and could not be; also fragments, where nothing else was found.
bool HasFindings(const core::MissCounts& counts);

}  // namespace tunehub::agent
