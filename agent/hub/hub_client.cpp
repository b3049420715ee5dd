#include "agent/hub/hub_client.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "agent/hub/problem.h"
#include "core/base/encoding.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

using std::chrono::milliseconds;

// Retry-After in seconds; its other form, a date, counts as absent.
milliseconds RetryAfter(const Answer& answer, const RetryPolicy& policy) {
  const std::string text = answer.Header("retry-after");
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return milliseconds(0);
  return std::min<milliseconds>(std::chrono::seconds(seconds), policy.longest_retry_after);
}

bool MaySucceedLater(const core::Result<Answer>& answer) {
  if (answer.ok()) return IsTransient(answer->status);
  constexpr std::string_view kPassing[] = {kHubUnreachable, kHubUnavailable, kTooLargeBetween};
  return std::ranges::find(kPassing, answer.error().code) != std::end(kPassing);
}

// Not std::random_device, which asks for functions of a newer libc than the agent needs.
std::uint64_t Seed() {
  std::uint64_t seed = 0;
  const std::string bytes = core::RandomBytes(sizeof seed);
  std::memcpy(&seed, bytes.data(), sizeof seed);
  return seed;
}

constexpr int kFirstRedirect = 300, kNotModified = 304, kTooLarge = 413;

// The hub gives the agent no page, and sends it nowhere else.
bool IsTunehubs(const Answer& answer) {
  if (answer.status == kNotModified) return true;
  if (answer.status >= kFirstRedirect) return ProblemOf(answer).of_hub;
  return !core::Lower(answer.Header("content-type")).starts_with("text/html");
}

}  // namespace

std::string QueryString(const Parameters& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters) {
    out += fmt::format("{}{}={}", out.empty() ? "" : "&", core::PercentEncoded(name),
                       core::PercentEncoded(value));
  }
  return out;
}

std::string WithQuery(const std::string& path, const Parameters& parameters) {
  return parameters.empty() ? path : path + "?" + QueryString(parameters);
}

core::Result<Parameters> AssignmentsOf(const std::vector<std::string>& assignments) {
  Parameters parameters;
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      return core::Error{"bad_query",
                         fmt::format("--query {}: not of the form name=value", assignment)};
    }
    parameters.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return parameters;
}

Pauses Pauses::Real() {
  auto engine = std::make_shared<std::mt19937_64>(Seed());
  return {[](milliseconds pause) { std::this_thread::sleep_for(pause); },
          [engine] { return std::uniform_real_distribution<double>(0, 1)(*engine); }};
}

Pauses Pauses::Telling(std::ostream& err) {
  Pauses pauses = Real();
  pauses.tell = [&err, told = std::make_shared<bool>(false)](const std::string& why) {
    if (!std::exchange(*told, true))
      err << "tunehub-agent: " << why << "; trying again\n" << std::flush;
  };
  return pauses;
}

bool IsTransient(int status) {
  constexpr int kTransient[] = {408, 425, 429, 502, 503, 504};
  return std::find(std::begin(kTransient), std::end(kTransient), status) != std::end(kTransient);
}

bool Rested(milliseconds pause, const RetryPolicy& policy, const Pauses& pauses) {
  constexpr milliseconds kLook{50};  // how soon a signal is noticed
  if (!policy.stop) pauses.sleep(pause);
  for (; policy.stop && pause > milliseconds(0); pause -= kLook) {
    if (policy.stop()) return false;
    pauses.sleep(std::min(pause, kLook));
  }
  return true;
}

core::Result<Answer> SendWithRetries(HubClient& hub, const Request& request,
                                     const RetryPolicy& policy, const Pauses& pauses) {
  milliseconds pause = policy.first_pause;
  for (int attempt = 1;; ++attempt) {
    core::Result<Answer> answer = hub.Send(request);
    const milliseconds asked = answer.ok() ? RetryAfter(*answer, policy) : milliseconds(0);
    // What something else answered in the hub's place becomes the error that it is.
    auto between = answer.ok() ? ErrorOfBetween(*answer) : std::nullopt;
    if (between) answer = *std::move(between);
    if (!MaySucceedLater(answer) || attempt >= policy.tries) return answer;
    if (pauses.tell) {
      pauses.tell(answer.ok() ? ToError(ProblemOf(*answer)).detail : answer.error().detail);
    }
    const double share = 0.5 + 0.5 * pauses.random();
    const auto jittered = std::chrono::duration_cast<milliseconds>(pause * share);
    if (!Rested(std::max(jittered, asked), policy, pauses)) return answer;
    pause = std::min(pause * 2, policy.longest_pause);
  }
}

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
