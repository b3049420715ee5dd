// What answers in the hub's place: a proxy, a load balancer, the page of a login.
#pragma once

#include <optional>

#include "agent/http/message.h"
#include "core/base/result.h"

namespace tunehub::agent {

// Something between refuses a body for its size: others may pass where this one does not.
inline constexpr char kTooLargeBetween[] = "too_large_between";

// Of an answer that is not tunehub's own: hub_unavailable or too_large_between, with who says what.
// None of them is final: proxies are set up anew, and servers
// behind them are replaced. Nothing for what tunehub answers.
std::optional<core::Error> ErrorOfBetween(const Answer& answer);

}  // namespace tunehub::agent
