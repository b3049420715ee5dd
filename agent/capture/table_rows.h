// A folder of some reader's files, as rows.
#pragma once

#include <string>

#include "agent/base/configuration.h"
#include "core/base/result.h"
#include "core/readers/tree_reader.h"

namespace tunehub::agent {

// "sglang:DIR".
bool NamesReader(const Configuration& configuration, const std::string& path);

// The reader that "READER:DIR" names, or the one that takes the most of the files below DIR as they
// are named, the first by name in a tie. Errors: no_reader (none takes any), too_many_files.
core::Result<const core::Reader*> ReaderOfFolder(const Configuration& configuration,
                                                 const std::string& path);

// What the reader finds below the folder of "READER:DIR", or DIR. Errors: those of ReadReaderTree.
core::Result<core::TreeReading> ReadReaderFolder(
    const Configuration& configuration, const core::Reader& reader, const std::string& path,
    core::TreeExtent extent = core::TreeExtent::kWhole);

}  // namespace tunehub::agent
