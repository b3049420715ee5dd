// Tables of an import that no family describes, carried line by line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/system/tar.h"
#include "core/table/tuned_table.h"
#include "core/table/unlisted.h"
#include "server/service/ingest/receipt.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/snapshot.h"
#include "server/service/registry/write.h"

namespace tunehub::service {

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

}  // namespace tunehub::service
