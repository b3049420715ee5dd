// The rows of the newest revision for the dashboard of an export: a file per family and target.
#pragma once

#include "server/ops/export_tables.h"
#include "server/ops/static_export.h"

namespace tunehub::server {

// {"columns": ["gfx", ...], "rows": [["gfx942", ...], ...]}: the names once, since objects take
// three times as much. What it gives back: {family: [file]}. Errors: file_unwritable.
core::Result<nlohmann::ordered_json> WriteRows(const RevisionRows& of, Folder& folder);

// What the dashboard of an export asks for, asked beforehand: a file per answer, and which address
// it is the answer to.

inline constexpr const char* kAnswersFile = "data/answers.json";
// A list of runs beyond this is for a server: each has a page of its own.
inline constexpr int kMostRuns = 500;
// What coverage is asked for while nobody chooses, as the dashboard has it.
inline constexpr int kUsualTp = 8;

// Writes them and kAnswersFile: {"answers": {address: file}, "rows": {family: [file]}}, `of` being
// the newest revision. Errors: those of the interface, file_unwritable.
core::Status WriteAnswers(const HubReader& reader, const RevisionRows& of, Folder& folder);

}  // namespace tunehub::server
