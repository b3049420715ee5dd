// gzip of whole buffers, by libdeflate.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tunehub::core {

std::string GzipBytes(std::string_view bytes);

// Errors: bad_gzip, also where more than `limit` bytes come out.
Result<std::string> GunzipBytes(std::string_view bytes, std::size_t limit);

}  // namespace tunehub::core
