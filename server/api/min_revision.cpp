#include "server/api/min_revision.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "server/api/parameters.h"
#include "server/api/problems.h"

namespace tunehub::api {
namespace {

// A notification takes milliseconds, the poll under it a second.
constexpr std::chrono::seconds kPatience{2};
constexpr const char* kAgainAfterSeconds = "1";

// What is served is as of the set's revision, but for families that stayed behind.
std::int64_t OldestIn(const service::SnapshotSet& set) {
  std::int64_t oldest = set.revision.number;
  for (const auto& [id, snapshot] : set.families) {
    if (snapshot->is_behind()) oldest = std::min(oldest, snapshot->revision.number);
  }
  return oldest;
}

http::Response NotYet(std::int64_t wanted, std::int64_t here) {
  http::Response response = http::Problem(
      503, "not_yet",
      fmt::format("This server has revision {} and not yet {}; ask again, or another server.", here,
                  wanted));
  response.headers.emplace_back("Retry-After", kAgainAfterSeconds);
  return response;
}

}  // namespace

std::optional<http::Response> AwaitRevision(const Services& services, http::Request& request) {
  const auto wanted = PinParameter(request, kMinRevision);
  if (!wanted.ok()) return ProblemFor(wanted.error());
  std::erase_if(request.query, [](const auto& it) { return it.first == kMinRevision; });
  if (!*wanted) return std::nullopt;
  const core::Pin& pin = **wanted;
  services.snapshots.WaitFor(pin.number, kPatience);
  const auto set = services.snapshots.Current();
  if (pin.has_token() && pin != set->revision) {
    const auto found = services.revisions.Find(pin);  // one that is lost never comes
    if (!found.ok()) return ProblemFor(found.error());
  }
  const std::int64_t here = OldestIn(*set);
  return here < pin.number ? std::optional(NotYet(pin.number, here)) : std::nullopt;
}

bool MustWait(const Services& services, const http::RequestHead& request) {
  const auto wanted = PinParameter(request, kMinRevision);
  return wanted.ok() && *wanted &&
         (*wanted)->number > services.snapshots.Current()->revision.number;
}

}  // namespace tunehub::api
