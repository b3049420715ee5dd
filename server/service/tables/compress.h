// gzip by libdeflate (a third faster and smaller than zlib at its level 6), zstd for our own
// client.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tunehub::service {

std::string Gzip(std::string_view text);
std::string Zstd(std::string_view text);

// Errors: bad_gzip, and too_large where the content is longer than `limit` bytes (a bomb is noticed
// before it is unpacked: memory stays within the limit).
core::Result<std::string> Gunzip(std::string_view gzip, std::size_t limit);

}  // namespace tunehub::service
