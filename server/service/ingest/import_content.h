// By what an import is known to be the one before it again.
#pragma once

#include <string>
#include <vector>

#include "core/system/tar.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/write.h"
#include "server/store/ingest/run_records.h"

namespace tunehub::service {

// A digest of all that the rows of an import follow from: its files, what its run says of how they
// are judged, the family files and targets.json, and the program that reads them; "" where nobody
// knows which program this is. Not what the run says of itself otherwise: each import says that
// anew.
std::string ImportContent(const Definitions& definitions, const std::vector<core::TarFile>& files,
                          const store::RunContent& run, const WriteRequest& write);

}  // namespace tunehub::service
