#include "agent/hub/between.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>

#include "agent/hub/problem.h"
#include "core/base/ascii.h"
#include "core/base/excerpt.h"

namespace tunehub::agent {
namespace {

constexpr int kFirstRedirect = 300, kNotModified = 304, kTooLarge = 413;

struct Meaning {
  int status;
  std::string_view text;
};

constexpr std::array kMeanings = std::to_array<Meaning>({
    {401, "it wants a login of its own"},
    {403, "it lets nobody through from here"},
    {404, "it has no hub at this address, or none just now"},
    {405, "it does not let this method through"},
    {407, "it wants a login of its own"},
    {413, "it takes smaller bodies than the hub does (nginx: client_max_body_size)"},
    {429, "it lets fewer requests through than come"},
    {502, "it does not reach the hub"},
    {503, "it does not reach the hub"},
    {504, "the hub does not answer it in time"},
});

// The hub gives the agent no page, and sends it nowhere else.
bool IsTunehubs(const Answer& answer) {
  if (answer.status == kNotModified) return true;
  if (answer.status >= kFirstRedirect) return ProblemOf(answer).of_hub;
  return !core::Lower(answer.Header("content-type")).starts_with("text/html");
}

std::string MeaningOf(const Answer& answer) {
  if (const std::string to = answer.Header("location"); !to.empty()) {
    return fmt::format("it sends to {}", core::Excerpt(to));
  }
  const auto found = std::ranges::find(kMeanings, answer.status, &Meaning::status);
  return found == kMeanings.end() ? "that is not tunehub's" : std::string(found->text);
}

}  // namespace

std::optional<core::Error> ErrorOfBetween(const Answer& answer) {
  if (IsTunehubs(answer)) return std::nullopt;
  std::string who = answer.Header("server");
  if (who.empty()) who = answer.Header("via");
  const std::string type = answer.Header("content-type");
  return core::Error{
      answer.status == kTooLarge ? kTooLargeBetween : kHubUnavailable,
      fmt::format("something between this agent and the hub{} answered {}{}: {}",
                  who.empty() ? "" : fmt::format(" ({})", core::Excerpt(who)), answer.status,
                  type.empty() ? "" : fmt::format(" as {}", core::Excerpt(type)),
                  MeaningOf(answer))};
}

}  // namespace tunehub::agent
