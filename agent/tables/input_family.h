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

// The family `name`; if `name` is "", the family that the file's name, header or kernel names tell.
// Errors: unknown_family, ambiguous_family, each with the file.
core::Result<const core::Family*> FamilyOf(const core::Families& families, const std::string& name,
                                           const core::SourceFile& file);

// The same for a file, which it reads.
core::Result<const core::Family*> FamilyOfPath(const core::Families& families,
                                               const std::string& name, const std::string& path);

// The same for several files. Errors: also mixed_families, with one file of each family.
core::Result<const core::Family*> CommonFamily(const core::Families& families,
                                               const std::string& name,
                                               std::span<const core::SourceFile> files);

// The bytes of files, and views of them.
struct InputFiles {
  std::vector<core::FileBytes> bytes;
  std::vector<core::SourceFile> sources;
};
core::Result<InputFiles> ReadInputFiles(const std::vector<std::string>& paths);

// `family` "": found from the files. Errors: those of reading, CommonFamily and LoadTable.
core::Result<lookup::LoadedTable> ReadLookupTable(const Configuration& configuration,
                                                  const std::string& family,
                                                  const std::vector<std::string>& files);

}  // namespace tunehub::agent
