// zstd, for our own client.
#pragma once

#include <string>
#include <string_view>

namespace tunehub::service {

std::string Zstd(std::string_view text);

}  // namespace tunehub::service
