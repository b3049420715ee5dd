// Tables that no family described when they were imported, and one does now.
#pragma once

#include "core/base/result.h"
#include "server/hub.h"

namespace tunehub::server {

// Reads them again as the family's, as the import of a source of its own ("unlisted"). Their lines
// stay until their own source is imported again, and so do pins of them. Errors: those of
// Ingest::Import.
core::Status ReadUnlistedAgain(Hub& hub);

}  // namespace tunehub::server
