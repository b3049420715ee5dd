// What GET /bundle gives: tuned tables laid out as aiter/configs, each with its SHA-256.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tunehub::agent {

struct Bundle {
  std::map<std::string, std::string> tables;  // by name inside aiter/configs
};

// Errors: those of SummedArchive.
core::Result<Bundle> ParseBundle(std::string_view tar_gz);

}  // namespace tunehub::agent
