#include "agent/hub/between.h"

#include <fmt/core.h>

#include <string>

#include "agent/hub/problem.h"
#include "core/base/ascii.h"
#include "core/base/excerpt.h"

namespace tunehub::agent {
namespace {

constexpr int kFirstRedirect = 300, kNotModified = 304, kTooLarge = 413;

// The hub gives the agent no page, and sends it nowhere else.
bool IsTunehubs(const Answer& answer) {
  if (answer.status == kNotModified) return true;
  if (answer.status >= kFirstRedirect) return ProblemOf(answer).of_hub;
  return !core::Lower(answer.Header("content-type")).starts_with("text/html");
}

}  // namespace

std::optional<core::Error> ErrorOfBetween(const Answer& answer) {
  if (IsTunehubs(answer)) return std::nullopt;
  std::string who = answer.Header("server");
  if (who.empty()) who = answer.Header("via");
  const std::string type = answer.Header("content-type"), to = answer.Header("location");
  return core::Error{
      answer.status == kTooLarge ? kTooLargeBetween : kHubUnavailable,
      fmt::format("something between this agent and the hub{} answered {}{}{}",
                  who.empty() ? "" : fmt::format(" ({})", core::Excerpt(who)), answer.status,
                  type.empty() ? "" : fmt::format(" as {}", core::Excerpt(type)),
                  to.empty() ? "" : fmt::format(": it sends to {}", core::Excerpt(to)))};
}

}  // namespace tunehub::agent
