// gzip of whole buffers, by libdeflate: a third faster and smaller than zlib at its level 6.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tunehub::core {

std::string Gzip(std::string_view text);

// Every member of the stream. Errors: bad_gzip, and too_large where the content is longer than
// `limit` bytes (a bomb is noticed before it is unpacked: memory stays within the limit).
Result<std::string> Gunzip(std::string_view gzip, std::size_t limit);

}  // namespace tunehub::core
