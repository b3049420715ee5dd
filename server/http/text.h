// The two questions about text that the transport has to answer for itself.
#pragma once

#include <string>
#include <string_view>

namespace tunehub::http {

// Well-formed UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

// Appends `text` as a JSON string with its quotes. Text that is no UTF-8 keeps its ASCII only,
// because a problem document must parse whatever a client sent.
void AppendJsonString(std::string& out, std::string_view text);

}  // namespace tunehub::http
