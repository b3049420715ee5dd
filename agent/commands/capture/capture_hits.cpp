#include "agent/commands/capture/capture_hits.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/command_line.h"
#include "agent/commands/capture/capture_report.h"
#include "agent/commands/capture/hits_report.h"
#include "agent/commands/tables/input_family.h"
#include "agent/commands/tables/lookup_table.h"
#include "agent/hub/get_body.h"
#include "core/family/family_misses.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent {
namespace {

core::Status CheckSaysHits(const core::Family& family) {
  if (!core::HitLinesOf(family).empty()) return core::Ok();
  return core::Error{
      "no_hit_lines",
      fmt::format("AITER's log does not say which rows of {} it finds", family.name)};
}

// A line without a target may be of the options' alone.
void KeepTarget(const CaptureOptions& options, HitsOfFamily& family) {
  core::MissShape target;
  target.family = family.family;
  target.gfx = options.gfx;
  if (options.cu_num > 0) target.cu_num = std::to_string(options.cu_num);
  if (target.gfx.empty() && target.cu_num.empty()) return;
  analysis::KeepTarget(family.table->table, target, family.matched);
}

core::Result<std::vector<HitsOfFamily>> Compare(const std::vector<core::MissShape>& shapes,
                                                const CaptureOptions& options,
                                                const HitTables& tables) {
  std::map<std::string, HitsOfFamily> families;
  for (const core::Family* family : tables.families) families[family->name].family = family;
  for (const core::MissShape& shape : shapes) {
    HitsOfFamily& family = families[shape.family->name];
    family.family = shape.family;
    family.hits.push_back(shape);
  }
  std::vector<HitsOfFamily> compared;
  for (auto& [name, family] : families) {
    const bool known =
        tables.families.empty() || std::ranges::count(tables.families, family.family) > 0;
    if (tables.read && known) {
      auto table = tables.read(*family.family);
      if (!table.ok()) return table.error();
      family.table = std::make_unique<lookup::LoadedTable>(*std::move(table));
      family.matched = analysis::MatchHits(family.table->table, family.hits);
      KeepTarget(options, family);
    }
    compared.push_back(std::move(family));
  }
  return compared;
}

}  // namespace

core::Result<HitTables> TablesOfFiles(const Configuration& configuration,
                                      const CaptureOptions& options) {
  HitTables tables;
  std::map<const core::Family*, std::vector<std::string>> files;
  for (const std::string& file : options.tables) {
    const auto bytes = core::FileBytes::Read(file);
    if (!bytes.ok()) return bytes.error();
    const auto family =
        FamilyOf(configuration.families, options.family, core::SourceFile{file, bytes->view()});
    if (!family.ok()) return family.error();
    if (auto says = CheckSaysHits(**family); !says.ok()) return says.error();
    files[*family].push_back(file);
  }
  for (const auto& [family, names] : files) tables.families.push_back(family);
  if (files.empty()) return tables;
  tables.read = [&configuration, files](const core::Family& family) {
    return ReadLookupTable(configuration, family.name, files.at(&family));
  };
  return tables;
}

HitTables TablesOfHub(const Configuration& configuration, const CaptureOptions& options,
                      HubClient& hub, const RetryPolicy& retry, const Pauses& pauses) {
  HitTables tables;
  tables.read = [&](const core::Family& family) -> core::Result<lookup::LoadedTable> {
    Parameters query = {{"allow_empty", "1"}};
    if (!options.gfx.empty()) query.emplace_back("gfx", options.gfx);
    if (options.cu_num > 0 && family.cu_num != core::kNoColumn) {
      query.emplace_back("cu_num", std::to_string(options.cu_num));
    }
    const auto csv = GetBody(hub, "/tuned/" + family.name, query, retry, pauses);
    if (!csv.ok()) return csv.error();
    const std::vector<core::SourceFile> sources = {{"the hub's table", *csv}};
    return lookup::LoadTable(family, configuration.targets, sources);
  };
  return tables;
}

int CaptureHits(const Configuration& configuration, const CaptureOptions& options,
                const HitTables& tables, Console& console) {
  std::vector<core::MissShape> shapes;
  std::vector<core::MissedFile> files;
  const CaptureSink sink{[&](core::MissLog& log, bool last) -> core::Status {
    if (last) shapes = log.Shapes();
    if (last) files = log.Files();
    return core::Ok();
  }};
  const auto counts = Capture(configuration, options, sink, console);
  if (!counts.ok()) return Fail(console, "capture", counts.error());
  const auto compared = Compare(shapes, options, tables);
  if (!compared.ok()) return Fail(console, "capture", compared.error());
  if (options.json) {
    auto report = HitsJson(*counts, *compared);
    report["files"] = FilesJson(files);
    console.out << report.dump(2) << '\n';
  } else {
    PrintFiles(console.out, files, "read");
    PrintHits(console.out, *counts, *compared);
  }
  const bool strays = std::ranges::any_of(
      *compared, [](const HitsOfFamily& it) { return !it.matched.strays.empty(); });
  return HasFindings(*counts) || strays ? kFinding : kGood;
}

}  // namespace tunehub::agent
