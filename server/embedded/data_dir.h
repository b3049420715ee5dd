// DIR itself.
#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace tunehub::embedded {

// data_dir_unusable, with what the system says of `error_number`.
core::Error Unusable(const std::filesystem::path& path, int error_number);

// Makes DIR and its missing parents; the answer is absolute and without links, because PostgreSQL
// starts with another current folder. Errors: data_dir_unusable.
core::Result<std::filesystem::path> MakeDataDir(const std::filesystem::path& data_dir);

}  // namespace tunehub::embedded
