// Identifies a revision by its number and a random token. After a restore or a lossy failover, the
// database may issue a number again with other content. Then the token differs, although the number
// is the same. PostgreSQL's system identifier and timeline cannot replace the token. The timeline
// lags and changes on clean switchovers. Both repeat after a base backup that starts without
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
  std::string token;  // kTokenDigits hexadecimal digits in lower case; "": unknown

  bool operator==(const Pin&) const = default;
  bool has_token() const { return !token.empty(); }
  std::string Text() const;  // "81-0f3a..."; without a token "81"
};

// Parses "81-0f3a..." or "81", the forms that Text writes; nullopt otherwise.
std::optional<Pin> ParsePin(std::string_view text);

}  // namespace tunehub::core
