// What no line of the log may hold.
#pragma once

#include <cstddef>

namespace tunehub::log {

// Overwrites with '*', in place: of each API key what is behind its hint ("thub_" and four more, as
// `key list` shows it), and passwords in the addresses of databases, as URL (//user:password@) and
// as keywords (password=...).
void MaskSecrets(char* text, std::size_t size);

}  // namespace tunehub::log
