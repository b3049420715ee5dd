#include "server/api/min_revision.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/service/registry/unavailable.h"

namespace tunehub::api {
namespace {

// A notification takes milliseconds, the poll under it a second. A little less than
// http::Limits::hold, so that the last word is a handler's, who can say that a revision is gone.
constexpr std::chrono::milliseconds kPatience{1'950};
// Commits that a server can be behind and still have within that time. What is farther is of
// another history, or nobody's.
constexpr std::int64_t kWithinReach = 10'000;
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

// One that is lost never comes. Error revision_gone; an older one that was not looked up before is
// taken for ours while nobody can be asked, as its bare number is.
core::Status CheckPin(const Services& services, const service::SnapshotSet& set,
                      const core::Pin& pin) {
  if (!pin.has_token() || pin == set.revision) return core::Ok();
  try {
    if (services.snapshots.silent()) throw service::Unavailable("the database says nothing");
    const auto found = services.revisions.Find(pin, set.era);
    return found.ok() ? core::Ok() : core::Status(found.error());
  } catch (const service::Unavailable&) {
    if (pin.number > set.revision.number) throw;
    return core::Ok();
  }
}

}  // namespace

bool TakesMinRevision(const Endpoint& route) {
  return !route.always_open && route.method == "GET";
}

std::optional<http::Response> AwaitsRevision(const Services& services,
                                             const http::RequestHead& request) {
  const auto wanted = PinParameter(request, kMinRevision);
  if (!wanted.ok() || !*wanted || services.snapshots.stale()) return std::nullopt;
  if (std::chrono::steady_clock::now() - request.arrived >= kPatience) return std::nullopt;
  const std::int64_t number = (*wanted)->number;
  const std::int64_t here = services.snapshots.Current()->revision.number;
  if (number <= here || number - here > kWithinReach) return std::nullopt;
  http::Response not_yet = NotYet(number, here);
  not_yet.may_change = true;
  return not_yet;
}

std::optional<http::Response> TakeMinRevision(const Services& services, http::Request& request) {
  const auto wanted = PinParameter(request, kMinRevision);
  if (!wanted.ok()) return ProblemFor(wanted.error());
  std::erase_if(request.query, [](const auto& it) { return it.first == kMinRevision; });
  if (!*wanted) return std::nullopt;
  const auto set = services.snapshots.Current();
  const auto checked = CheckPin(services, *set, **wanted);
  if (!checked.ok()) return ProblemFor(checked.error());
  const std::int64_t here = OldestIn(*set);
  if (here >= (*wanted)->number) return std::nullopt;
  return NotYet((*wanted)->number, here);
}

}  // namespace tunehub::api
