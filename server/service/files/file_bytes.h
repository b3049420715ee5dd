// A reader's file, and its tree, as bytes.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/service/files/file_rows.h"

namespace tunehub::service {

// One file. Errors: bad_validators.
core::Result<std::string> FileBytes(const FileForm& form, const core::Family& family,
                                    const std::vector<FileRow>& rows);

// A tar.gz with the same bytes for the same files: NAME/... with the reader's files as its variable
// wants them, env.sh, SHA256SUMS and tree.json (agent/hub/tree.h). Errors: those of FileBytes,
// bad_parameter where one name would stand for several files. An error of one file names it.
core::Result<std::string> TreeBytes(const FileForm& form, const core::Family& family,
                                    const FileSet& set);

}  // namespace tunehub::service
