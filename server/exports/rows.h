// The rows of the newest revision for the dashboard of an export: a file per family and target.
#pragma once

#include "server/exports/folder.h"
#include "server/exports/tables.h"

namespace tunehub::exports {

// {"columns": ["gfx", ...], "rows": [["gfx942", ...], ...]}: the names once, since objects take
// three times as much. What it gives back: {family: [file]}. Errors: file_unwritable.
core::Result<nlohmann::ordered_json> WriteRows(const RevisionRows& of, Folder& folder);

}  // namespace tunehub::exports
