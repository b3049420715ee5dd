// Texts in an address (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tunehub::core {

// Each byte that is not unreserved as %XX: a name or a value of a query.
std::string PercentEncoded(std::string_view text);
// Nothing where a % has no two digits of its own.
std::optional<std::string> PercentDecoded(std::string_view text);

}  // namespace tunehub::core
