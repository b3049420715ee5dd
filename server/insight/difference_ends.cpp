// Finds the revisions that the ends of a comparison name.
#include <fmt/core.h>

#include "core/base/rfc3339.h"
#include "core/base/text.h"
#include "server/answers/issues.h"
#include "server/ingest/run_store.h"
#include "server/insight/differences.h"

namespace tunehub::server {
namespace {

constexpr int kMostAge = 366;  // days
constexpr std::string_view kBeforeRun = "before-", kRunPrefix = "run:";

// "7d"
std::optional<int> AgeIn(std::string_view text) {
  if (!text.ends_with('d')) return std::nullopt;
  const auto days = core::ParseInt(text.substr(0, text.size() - 1));
  return days && *days >= 1 && *days <= kMostAge ? days : std::nullopt;
}

// Returns a time of RFC 3339, or the start of a date such as "2026-11-30".
std::optional<std::string> TimeIn(std::string_view text) {
  for (const char* const rest : {"", "T00:00:00Z"}) {
    std::string time = std::string(text) + rest;
    if (core::IsRfc3339(time)) return time;
  }
  return std::nullopt;
}

}  // namespace

core::Result<RevisionBefore> Differences::At(const core::Pin& revision) const {
  auto found = RevisionStore(pool_).Find(revision);
  if (!found.ok()) return found.error();
  RevisionBefore end{*std::move(found), "", false};
  const auto listed = RevisionStore(pool_).List(end.revision.number + 1, 1);
  if (!listed.empty() && listed.front().revision.number == end.revision.number)
    end.created = listed.front().created;
  return end;
}

core::Result<RevisionBefore> Differences::EndOf(std::string_view parameter,
                                                std::string_view text) const {
  if (text == "now") return RevisionBefore{{kPresent, ""}, "", false};
  const auto days = AgeIn(text);
  const auto time = TimeIn(text);
  if (days || time) {
    const auto found = RevisionStore(pool_).FindBefore(time.value_or(""), days.value_or(0));
    return found.value_or(RevisionBefore{{}, "", true});
  }
  if (const auto pin = core::ParsePin(text)) return At(*pin);
  const bool before = text.starts_with(kBeforeRun);
  const std::string_view of_run = text.substr(before ? kBeforeRun.size() : 0);
  const auto run = of_run.starts_with(kRunPrefix)
                       ? core::ParseInt64(of_run.substr(kRunPrefix.size()))
                       : std::nullopt;
  if (!run || *run < 1) {
    return NotAllowed(
        parameter, text,
        fmt::format("now, 1d to {}d, a date, a time of RFC 3339, a revision, its pin, "
                    "run:NUMBER or before-run:NUMBER",
                    kMostAge));
  }
  if (const auto known = RunStore(pool_).Find(*run); !known.ok()) return known.error();
  const auto [first, last] = RevisionStore(pool_).FindAroundRun(*run);
  return At({before ? first : last, ""});
}

}  // namespace tunehub::server
