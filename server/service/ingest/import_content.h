// By what an import is known to be the one before it again.
#pragma once

#include <string>
#include <vector>

#include "core/system/tar.h"
#include "server/service/registry/definitions.h"

namespace tunehub::service {

// A digest of all that the rows of an import follow from: its files, the family files and
// targets.json, and the program that reads them; "" where nobody knows which program this is.
std::string ImportContent(const Definitions& definitions, const std::vector<core::TarFile>& files,
                          bool atomic);

}  // namespace tunehub::service
