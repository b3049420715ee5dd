// What the dashboard of an export asks for, asked beforehand: a file per answer, and which address
// it is the answer to.
#pragma once

#include "server/exports/folder.h"
#include "server/exports/reader.h"
#include "server/exports/tables.h"

namespace tunehub::exports {

inline constexpr const char* kAnswersFile = "data/answers.json";
// A list of runs beyond this is for a server: each has a page of its own.
inline constexpr int kMostRuns = 500;
// What coverage is asked for while nobody chooses, as the dashboard has it.
inline constexpr int kUsualTp = 8;

// Writes them and kAnswersFile: {"answers": {address: file}, "rows": {family: [file]}}, `of` being
// the newest revision. Errors: those of the interface, file_unwritable.
core::Status WriteAnswers(const HubReader& reader, const RevisionRows& of, Folder& folder);

}  // namespace tunehub::exports
