// What a fuzz target holds beside "it does not crash".
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tunehub::fuzz {

// Ends the program, which libFuzzer counts as a finding and whose input it keeps.
inline void Hold(bool condition, std::string_view what) {
  if (condition) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace tunehub::fuzz
