// A revision that no other one can be taken for: its number, and the token that was drawn at random
// with it. After a restore, or a failover that lost commits, a number may come again for something
// else; its token does not. PostgreSQL's system identifier and timeline cannot replace it: they
// lag, change on clean switchovers, and repeat after a base backup that is started without
// recovery.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tunehub::core {

inline constexpr std::size_t kTokenDigits = 32;

struct Pin {
  std::int64_t number = 0;
  std::string token;  // kTokenDigits hexadecimal digits in lower case; "": not known

  bool operator==(const Pin&) const = default;
  bool has_token() const { return !token.empty(); }
  std::string Text() const;  // "81-0f3a..."; of an unknown token "81"
};

// "81-0f3a..." or "81", as Text writes them; nothing where it is neither.
std::optional<Pin> ParsePin(std::string_view text);

}  // namespace tunehub::core
