// What refusals are counted as: a key that opens nothing here, or a limit that its asker has
// reached.
#pragma once

#include <array>
#include <cstddef>

namespace tunehub::service {

enum class RefusedFor : int {
  kNone,
  kNoKey,
  kMalformedKey,
  kUnknownKey,
  kExpiredKey,
  kRevokedKey,
  kWrongScope,
  kKeyLimits,  // the key is limited to others
  // Too many requests for one asker, by http::Pool.
  kManyReads,
  kManyQueueSteps,
  kManyHeavyReads,
  kManyWrites,
};

inline constexpr std::array kKeyRefusals = {RefusedFor::kNoKey,      RefusedFor::kMalformedKey,
                                            RefusedFor::kUnknownKey, RefusedFor::kExpiredKey,
                                            RefusedFor::kRevokedKey, RefusedFor::kWrongScope,
                                            RefusedFor::kKeyLimits};
inline constexpr std::array<const char*, kKeyRefusals.size()> kKeyRefusalNames = {
    "none", "malformed", "unknown", "expired", "revoked", "scope", "limits"};

inline constexpr std::array kRateRefusals = {RefusedFor::kManyReads, RefusedFor::kManyQueueSteps,
                                             RefusedFor::kManyHeavyReads, RefusedFor::kManyWrites};
inline constexpr std::size_t kRefusals = 1 + kKeyRefusals.size() + kRateRefusals.size();

}  // namespace tunehub::service
