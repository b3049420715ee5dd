// The files in which engines list what they missed, told from logs.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace tunehub::agent {

// By its name; TunableOp's may have any name (PYTORCH_TUNABLEOP_UNTUNED_FILENAME), so a CSV of
// another one by its first line.
bool ListsMisses(const std::string& path);

// Those of the folder by their names, sorted. Error file_unreadable.
core::Result<std::vector<std::string>> UntunedFilesIn(const std::string& folder);

}  // namespace tunehub::agent
