// What an error may quote of a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace tunehub::core {

// What an error quotes of somebody's text, unless it says otherwise.
inline constexpr std::size_t kExcerptBytes = 60;
// At most `bytes` of `text`, never a part of a UTF-8 character.
std::string_view Excerpt(std::string_view text, std::size_t bytes = kExcerptBytes);

}  // namespace tunehub::core
