// Finds the family of a command line's files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/family/families.h"
#include "core/lookup/table.h"
#include "core/table/merge.h"

namespace tunehub::agent {

// Returns the family `name`. If `name` is "", detects the family from the file's name, header and
// kernel names. Errors: unknown_family, ambiguous_family, each with the file.
core::Result<const core::Family*> FamilyOf(const core::Families& families, const std::string& name,
                                           const core::SourceFile& file);

// Reads the file, then does the same as FamilyOf.
core::Result<const core::Family*> FamilyOfPath(const core::Families& families,
                                               const std::string& name, const std::string& path);

// Does the same as FamilyOf for several files. Errors: also mixed_families, with one file of each
// family.
core::Result<const core::Family*> CommonFamily(const core::Families& families,
                                               const std::string& name,
                                               std::span<const core::SourceFile> files);

// The bytes of several files, and views of these bytes.
struct InputFiles {
  std::vector<core::FileBytes> bytes;
  std::vector<core::SourceFile> sources;
};
core::Result<InputFiles> ReadInputFiles(const std::vector<std::string>& paths);

// Refuses a table without rows, and a row of a gfx that no GPU has, which would win unseen. Leaves
// other errors to the table's reader. Errors: no_rows, unknown_gfx.
core::Status CheckTables(const Configuration& configuration, const std::vector<std::string>& files);

// If `family` is "", detects it from the files. Errors: those of reading, CommonFamily and
// LoadTable.
core::Result<lookup::LoadedTable> ReadLookupTable(const Configuration& configuration,
                                                  const std::string& family,
                                                  const std::vector<std::string>& files);

}  // namespace tunehub::agent
