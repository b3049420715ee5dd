// The files of an import: their rows, and by what the same files are known again.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/system/tar.h"
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

// The rows of the files that are tables, each file with its report. A table that no family
// describes is carried line by line, of an admin's import.
std::vector<FileReport> ReadImport(const Definitions& definitions,
                                   const std::vector<core::TarFile>& files, const RunContent& run,
                                   const WriteRequest& write, std::vector<StagedRow>& rows);

// Tables that no family describes.
inline constexpr std::size_t kMaxUnlistedTables = 1000;

// Error too_many_tables: with those that the registry has these files would be more than the limit.
core::Status CheckUnlistedCount(const core::Families& families, const FamilySnapshot& snapshot,
                                const std::vector<FileReport>& reports);

}  // namespace tunehub::server
