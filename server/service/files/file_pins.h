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

// Writes the default into `members`; how many are its. Precondition: form.rules. Errors: those of
// pins::DefaultOf and pins::AddGiven.
core::Result<std::size_t> PinDefaults(const FileForm& form, const std::vector<FileRow>& rows,
                                      std::vector<core::BodyMember>& members);

}  // namespace tunehub::service
