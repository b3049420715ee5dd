// Compression with zstd, for whoever accepts it.
#pragma once

#include <string>
#include <string_view>

namespace tunehub::service {

std::string Zstd(std::string_view text);

}  // namespace tunehub::service
