// "did you mean": the known word that a mistyped one is nearest to.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tunehub::cli {

// Nothing where none is near: a third of the letters may be wrong, and at least one. What begins a
// word, or is the last part of it, is near to it. Upper and lower case, and - and _, are the same.
std::optional<std::string> Nearest(std::string_view typed, std::span<const std::string> known);

// "; did you mean WORD?", or "".
std::string DidYouMean(std::string_view typed, std::span<const std::string> known);

}  // namespace tunehub::cli
