#include "server/hub.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "core/table/detect.h"
#include "core/table/table_writer.h"
#include "core/table/tuned_table.h"
#include "server/tables/bundle.h"

namespace tunehub::server {

Hub::Hub(const Settings& settings, ConnectionPool& connections, const Definitions& all,
         core::SecretKey signing_key)
    : pool(connections),
      definitions(all),
      keys(pool, settings.quotas),
      versions(pool),
      snapshots(definitions, pool, versions),
      revisions(pool),
      analyses(definitions, pool, snapshots, versions),
      tables(definitions, pool, snapshots, versions, settings.cache_bytes, &analyses.heuristics,
             std::move(signing_key)),
      ingest(definitions, pool, snapshots),
      runs(pool, snapshots),
      queue(definitions, pool, settings.queue, snapshots, settings.plan_on_claim),
      dispatch_tables(definitions, snapshots),
      coverage(definitions, pool, dispatch_tables),
      overview(definitions, pool, snapshots, dispatch_tables, analyses.speedups),
      maps(definitions, pool, snapshots, versions, coverage, analyses.speedups, overview),
      trends(definitions, pool, snapshots, versions, dispatch_tables),
      webhook(settings.webhook, definitions, pool, snapshots, analyses.differences) {}

namespace {

constexpr const char* kSource = "unlisted";

// Returns the stored lines of each unlisted table that a family now describes.
std::vector<core::TarFile> DescribedNow(const core::Families& families,
                                        const FamilySnapshot& snapshot) {
  const core::Family& unlisted = *families.Unlisted();
  const std::size_t path = unlisted.Find("path");
  std::map<std::string, std::vector<std::string_view>> lines;
  std::string scratch;
  for (const auto& row : snapshot.rows) {
    const std::string file =
        std::string(kConfigsFolder) + std::string(core::CellOf(row->line, path, scratch));
    if (core::FamilyOfFileName(families, file) != nullptr) lines[file].push_back(row->line);
  }
  std::vector<core::TarFile> files;
  for (const auto& [file, of_file] : lines)
    files.push_back({file, core::WriteUnlisted(unlisted, of_file)});
  return files;
}

// True if the family serves an equal or a faster row for each row of the file. Then the hub has
// already read the file.
bool IsServed(const Hub& hub, const core::TarFile& file) {
  const core::Family& family = *core::FamilyOfFileName(hub.definitions.families, file.name);
  const auto table = core::ReadTunedTable(family, hub.definitions.targets, file.bytes);
  if (!table.ok()) return false;
  const auto snapshot = hub.snapshots.Current(family);
  return std::ranges::all_of(table->rows, [&](const core::Row& row) {
    const auto same = std::ranges::equal_range(
        snapshot->rows, row.order, {},
        [](const auto& served) -> const std::string& { return served->order; });
    return std::ranges::any_of(same, [&](const auto& it) { return !(it->us > row.us); });
  });
}

}  // namespace

core::Status ReadUnlistedAgain(Hub& hub) {
  const core::Families& families = hub.definitions.families;
  if (families.Unlisted() == nullptr) return core::Ok();
  hub.snapshots.Refresh();
  const auto snapshot = hub.snapshots.Current(*families.Unlisted());
  const std::vector<core::TarFile> files = DescribedNow(families, *snapshot);
  const auto is_served = [&](const core::TarFile& file) { return IsServed(hub, file); };
  if (std::ranges::all_of(files, is_served)) return core::Ok();
  WriteRequest write;
  write.admin = true;
  write.allow_shrink = true;
  const auto answer = hub.ingest.Import(kSource, files, write);
  if (answer.refusal) return answer.refusal->error;
  for (const core::TarFile& file : files)
    spdlog::info("a family now describes {}, so the hub read its lines again", file.name);
  return core::Ok();
}

}  // namespace tunehub::server
