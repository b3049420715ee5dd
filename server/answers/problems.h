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

// Counters of refused requests: an API key without access, or a limit that a client reached.
enum class RefusedFor : int {
  kNone,
  kNoKey,
  kMalformedKey,
  kUnknownKey,
  kExpiredKey,
  kRevokedKey,
  kWrongScope,
  kKeyLimits,  // the key is limited to other families, targets or sources, or reached a quota
  // One client's limit of requests, by http::Pool.
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

// 422 for a code that the table lacks: the usual status of refused content.
int StatusOf(std::string_view code);

// The answer has Retry-After if its status is 503.
http::Response ProblemFor(const core::Error& error);
http::Response ProblemFor(const core::Error& error, const std::vector<core::RowIssue>& issues);

// A write's receipt, or its refusal.
http::Response WriteResponse(const WriteAnswer& answer);

// 503 with Retry-After: the database does not respond.
http::Response UnavailableProblem(std::string_view detail);

}  // namespace tunehub::server
