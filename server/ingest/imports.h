// By what an import is known to be the one before it again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/system/tar.h"
#include "core/table/tuned_table.h"
#include "core/table/unlisted.h"
#include "server/db/writer.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/receipt.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshot.h"

namespace tunehub::server {

// A digest of all that the rows of an import follow from: its files, what its run says of how they
// are judged, the family files and targets.json, and the program that reads them; "" where nobody
// knows which program this is. Not what the run says of itself otherwise: each import says that
// anew.
std::string ImportContent(const Definitions& definitions, const std::vector<core::TarFile>& files,
                          const RunContent& run, const WriteRequest& write);

// Tables of an import that no family describes, carried line by line.

inline constexpr std::size_t kMaxUnlistedTables = 1000;

// The file as rows of the family `unlisted`; nothing, with the reason in `report`, where it is no
// such table, cannot be read, or the caller is no admin. Its untuned table is among `files`.
std::optional<core::UnlistedTable> Carry(const core::Families& families, const core::TarFile& file,
                                         const std::vector<core::TarFile>& files,
                                         const WriteRequest& write, FileReport& report);

// Rows and remarks of what was read of `carried.csv`, by the lines of the file itself.
void NumberAsFile(core::UnlistedTable carried, core::TunedTable& table);

// Error too_many_tables: with those that the registry has these files would be more than the limit.
core::Status CheckUnlistedCount(const core::Families& families, const FamilySnapshot& snapshot,
                                const std::vector<FileReport>& reports);

}  // namespace tunehub::server
