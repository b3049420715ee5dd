#pragma once

#include <cstddef>
#include <string_view>

namespace tunehub::core {

// The length of the well-formed UTF-8 sequence (RFC 3629) that begins `s`, which is not empty; 0
// where there is none.
std::size_t Utf8Length(std::string_view s);

}  // namespace tunehub::core
