// A file whose reader takes the nearest M, with the engine's own default pinned where nothing
// better is known.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/readers/file_body.h"
#include "server/service/files/file_rows.h"

namespace tunehub::service {

// The keys of the set's rows that were measured.
std::vector<core::Hash128> MeasuredKeys(const FileSet& set);
// What is known of them: the default may be the work of another run than the rows that a query has
// chosen.
void NoteMeasured(const MeasuredConfigs& measured, FileSet& set);

// Writes the default into `members`; how many are its. Precondition: form.rules. Errors: those of
// pins::DefaultOf and pins::AddGiven.
core::Result<std::size_t> PinDefaults(const FileForm& form, const std::vector<FileRow>& rows,
                                      std::vector<core::BodyMember>& members);

}  // namespace tunehub::service
