// Errors as HTTP: one table from code to status.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/table/tuned_table.h"
#include "server/db/writer.h"
#include "server/http/message.h"

namespace tunehub::server {

// Reasons of refused requests, each with a counter: an API key without access, or a limit that a
// client reached.
enum class RefusedFor : int {
  kNone,
  kNoKey,
  kMalformedKey,
  kUnknownKey,
  kExpiredKey,
  kRevokedKey,
  kWrongScope,
  kKeyLimits,  // the key is limited to other families, targets or sources, or reached a quota
  // The values below: one client reached its limit of requests, for each http::Pool.
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

// Returns 422, the usual status of refused content, for a code that the table lacks.
int StatusOf(std::string_view code);

// The response has Retry-After if its status is 503.
http::Response ProblemFor(const core::Error& error);
http::Response ProblemFor(const core::Error& error, const std::vector<core::RowIssue>& issues);

// Returns a write's receipt, or its refusal.
http::Response WriteResponse(const WriteAnswer& answer);

// Returns 503 with Retry-After, because the database does not respond.
http::Response UnavailableProblem(std::string_view detail);

}  // namespace tunehub::server
