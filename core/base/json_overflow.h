// Which number of a JSON text is too large for any variable.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/result.h"

namespace tunehub::core {

// "/shapes/0/M: 1e999 is out of range": the first number of `text` that no double holds, by its
// JSON pointer; bad_json. Nothing where there is none before the text's first other mistake. Reads
// the text again: for one that a parser has refused.
std::optional<Error> FindOverflow(std::string_view text);

}  // namespace tunehub::core
