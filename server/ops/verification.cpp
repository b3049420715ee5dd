#include "server/ops/verification.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "core/base/pin.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/revision_store.h"
#include "server/tables/past_tables.h"
#include "server/tables/table_bytes.h"

namespace tunehub::server {
namespace {

constexpr std::size_t kLinesAtOnce = 10'000;  // some megabytes

void Add(Check& check, std::string sentence) {
  ++check.wrong;
  if (check.sentences.size() < kMostSentences) check.sentences.push_back(std::move(sentence));
}

bool IsSame(double one, double other) {
  return one == other || (std::isnan(one) && std::isnan(other));
}

// The first difference between a measurement's columns and its line; "": none.
std::string LineDiffers(const LineRecord& stored, const core::Family& family,
                        const core::Targets& targets) {
  const auto row = Reread(family, family, targets, stored.line, stored.error_limit);
  if (!row) {
    return stored.standing == static_cast<int>(core::Standing::kGarbled)
               ? ""
               : fmt::format("its line cannot be read: {}", stored.line);
  }
  if (row->key != stored.key) return fmt::format("its line has the shape key {}", row->key.Uuid());
  if (row->candidate != stored.candidate) {
    return fmt::format("it has the candidate {}, but its line has {}", stored.candidate.Uuid(),
                       row->candidate.Uuid());
  }
  if (!IsSame(row->us, stored.us))
    return fmt::format("it has {} us, but its line has {}", stored.us, row->us);
  if (!IsSame(row->error, stored.error))
    return fmt::format("it has the error {}, but its line has {}", stored.error, row->error);
  return "";
}

Check CheckLines(ConnectionPool& pool, const core::Targets& targets, FamilyVersions& versions,
                 std::int64_t& measurements) {
  Check check{"lines of measurements", 0, {}};
  std::optional<LineRecord> last;
  while (true) {
    auto lines = VerifyStore(pool).Lines(last, kLinesAtOnce);
    for (const LineRecord& line : lines) {
      std::string differs;
      try {
        differs = LineDiffers(line, *versions.Get(line.family, line.family_version), targets);
      } catch (const std::runtime_error& error) {
        differs = error.what();
      }
      if (!differs.empty()) {
        Add(check,
            fmt::format("measurement {} of shape key {}: {}", line.id, line.key.Uuid(), differs));
      }
    }
    measurements += static_cast<std::int64_t>(lines.size());
    if (lines.size() < kLinesAtOnce) return check;
    last = std::move(lines.back());
  }
}

// The digest of the whole table of a revision.
core::Result<std::string> RenderedDigest(std::int16_t id, std::int64_t revision, PastTable past,
                                         const core::Targets& targets, FamilyVersions& versions) {
  const auto family = versions.Get(id, past.family_version);
  TunedQuery everything;
  everything.revision = core::Pin{revision, ""};
  everything.allow_empty = true;
  const auto table = MakeTable(
      {family.get(), RowsOfPast(*family, id, std::move(past.rows), versions, targets)}, everything);
  if (!table.ok()) return table.error();
  return table->sha256;
}

Check CheckDigests(ConnectionPool& pool, const core::Targets& targets, FamilyVersions& versions,
                   const VerifyDepth& depth, VerifyReport& report) {
  Check check{"digests of revisions", 0, {}};
  const auto all = VerifyStore(pool).Digests();
  report.all_digests = static_cast<std::int64_t>(all.size());
  std::int64_t left = std::max(depth.least_rows, depth.rows_each * report.measurements);
  for (const DigestRecord& known : all) {
    if (left <= 0 && !known.is_newest && !depth.all) continue;
    ++report.digests;
    const auto wrong = [&](const std::string& why) {
      Add(check, fmt::format("revision {} of {}: {}", known.revision, known.family, why));
    };
    try {
      auto past = RevisionStore(pool).ReadPast(known.id, {known.revision, ""});
      if (!past.ok()) {
        wrong(past.error().detail);
        continue;
      }
      left -= static_cast<std::int64_t>(past->rows.size());
      const std::string told = past->body_sha256;
      const auto now =
          RenderedDigest(known.id, known.revision, *std::move(past), targets, versions);
      if (!now.ok()) {
        wrong(now.error().detail);
      } else if (*now != told) {
        wrong(fmt::format("its table now has the digest {}, but was served with {}", *now, told));
      }
    } catch (const Unavailable&) {
      throw;
    } catch (const std::runtime_error& error) {
      wrong(error.what());
    }
  }
  return check;
}

}  // namespace

std::int64_t VerifyReport::wrong() const {
  std::int64_t all = 0;
  for (const Check& check : checks) all += check.wrong;
  return all;
}

VerifyReport Verify(ConnectionPool& pool, const core::Targets& targets, const VerifyDepth& depth) {
  VerifyReport report;
  FamilyVersions versions(pool);
  report.revision = RevisionStore(pool).ReadHeads().revision.number;
  report.checks = VerifyStore(pool).RunChecks();
  report.checks.push_back(CheckLines(pool, targets, versions, report.measurements));
  report.checks.push_back(CheckDigests(pool, targets, versions, depth, report));
  return report;
}

}  // namespace tunehub::server
