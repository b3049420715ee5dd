// The name of a source of imports. Names that look alike would be sources of their own, and neither
// would supersede the other's rows.
#pragma once

#include <cstddef>
#include <string_view>

namespace tunehub::service {

inline constexpr std::size_t kMaxSourceBytes = 100;
inline constexpr std::string_view kSourceChars = "abcdefghijklmnopqrstuvwxyz0123456789._-/:@+";
inline constexpr std::string_view kSourceRule = "1 to 100 of a-z 0-9 . _ - / : @ +";

inline bool IsSourceName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSourceBytes &&
         text.find_first_not_of(kSourceChars) == std::string_view::npos;
}

}  // namespace tunehub::service
