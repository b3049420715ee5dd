// Says of a log's bytes whether they can be lines of text at all.
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace tunehub::core {

inline constexpr char kBadLog[] = "bad_log";

// `bytes`: the next of a log; `first`: its first. `place` names the log in the error. Packed logs
// and UTF-16 are known by their first bytes, UTF-16 without a mark by its NUL bytes.
// Errors: bad_log.
Status CheckLogBytes(std::string_view bytes, bool first, std::string_view place);

}  // namespace tunehub::core
