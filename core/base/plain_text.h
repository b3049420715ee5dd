// Somebody's text, as a terminal, a log and JSON can take it.
#pragma once

#include <string>
#include <string_view>

namespace tunehub::core {

// U+FFFD stands in place of bytes that are no UTF-8, of control characters (C0 but those of `kept`,
// DEL, C1), and of those that turn a line's direction.
std::string PlainText(std::string_view text, std::string_view kept = "");

}  // namespace tunehub::core
