#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>

#include "agent/base/command.h"
#include "agent/capture/capture.h"
#include "agent/capture/commands.h"
#include "agent/hub/http_client.h"
#include "agent/tables/input_family.h"
#include "core/analysis/hits.h"
#include "core/family/family_misses.h"
#include "core/misses/miss_log.h"
#include "core/row/target.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

using nlohmann::ordered_json;

// One family in the report of `capture --hits`.
struct HitsOfFamily {
  const core::Family* family = nullptr;
  std::vector<core::MissShape> hits;
  std::unique_ptr<lookup::LoadedTable> table;  // null: nothing to compare with
  analysis::TableHits matched;                 // rows of `table`
};

// A log may find no row of a whole table. So the text shows only the first rows. JSON contains all
// rows.
constexpr std::size_t kMostPrinted = 20;

// A row of a table, or a row that a log line describes.
struct Entry {
  std::string gfx, cu_num;
  std::vector<std::pair<std::string, std::string>> shape, config;
  std::uint64_t count = 0;
  bool table_has_key = false;  // for a hit that the table does not explain
};

Entry EntryOf(const core::MissShape& hit) {
  Entry entry{hit.gfx, hit.cu_num, {}, hit.config, hit.count};
  for (std::size_t i = 0; i < hit.cells.size(); ++i) {
    const std::string& name = hit.family->untuned_columns[i];
    if (!hit.family->columns[hit.family->Find(name)].is_shape()) continue;
    entry.shape.emplace_back(name, hit.cells[i]);
  }
  return entry;
}

Entry EntryOf(const core::Family& family, std::string_view line, std::uint64_t count) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(line, scratch);
  Entry entry;
  entry.gfx = core::GfxOf(family, cells);
  if (family.cu_num != core::kNoColumn) entry.cu_num = cells[family.cu_num];
  for (const std::size_t i : family.key_columns) {
    if (!family.columns[i].is_shape()) continue;
    entry.shape.emplace_back(family.columns[i].name, cells[i]);
  }
  for (const std::size_t i : family.kernel_columns) {
    entry.config.emplace_back(family.columns[i].name, cells[i]);
  }
  entry.count = count;
  return entry;
}

struct Entries {
  std::vector<Entry> found, never, unexplained;
};

Entries EntriesOf(const HitsOfFamily& family) {
  Entries entries;
  if (family.table == nullptr) {
    for (const core::MissShape& hit : family.hits) entries.found.push_back(EntryOf(hit));
    return entries;
  }
  const auto& rows = family.table->table.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t count = family.matched.found[i];
    if (count == 0 && !family.matched.asked[i]) continue;
    (count > 0 ? entries.found : entries.never)
        .push_back(EntryOf(*family.family, rows[i].line, count));
  }
  std::ranges::stable_sort(entries.found,
                           [](const Entry& a, const Entry& b) { return a.count > b.count; });
  for (const analysis::StrayHit& stray : family.matched.strays) {
    entries.unexplained.push_back(EntryOf(*stray.hit));
    entries.unexplained.back().table_has_key = stray.other_kernel;
  }
  return entries;
}

void Print(std::ostream& out, const Entry& entry) {
  if (!entry.gfx.empty() || !entry.cu_num.empty()) out << ' ' << entry.gfx;
  if (!entry.cu_num.empty()) out << ':' << entry.cu_num;
  for (const auto& [name, value] : entry.shape) out << ' ' << name << '=' << value;
  for (const auto& [name, value] : entry.config) {
    if (!value.empty()) out << ' ' << name << '=' << value;
  }
  out << '\n';
}

void PrintFirst(std::ostream& out, const char* what, const std::vector<Entry>& entries) {
  for (std::size_t i = 0; i < std::min(entries.size(), kMostPrinted); ++i) {
    out << "  " << what;
    Print(out, entries[i]);
  }
  if (entries.size() <= kMostPrinted) return;
  out << "  and " << entries.size() - kMostPrinted << " more; --json has all\n";
}

ordered_json EntryJson(const Entry& entry) {
  ordered_json json = {{"gfx", entry.gfx}, {"cu_num", entry.cu_num}};
  json["shape"] = ordered_json::object();
  for (const auto& [name, value] : entry.shape) json["shape"][name] = value;
  json["config"] = ordered_json::object();
  for (const auto& [name, value] : entry.config) json["config"][name] = value;
  json["count"] = entry.count;
  return json;
}

ordered_json EntryJson(const std::vector<Entry>& entries) {
  ordered_json list = ordered_json::array();
  for (const Entry& entry : entries) list.push_back(EntryJson(entry));
  return list;
}

// Prints for each family the found rows, most frequent first, and the first rows of other kinds.
void PrintHits(std::ostream& out, const core::MissCounts& counts,
               std::span<const HitsOfFamily> families) {
  for (const HitsOfFamily& family : families) {
    const Entries entries = EntriesOf(family);
    std::uint64_t times = 0;
    for (const Entry& entry : entries.found) times += entry.count;
    out << family.family->name << ": " << entries.found.size();
    if (family.table != nullptr) out << " of " << entries.found.size() + entries.never.size();
    out << " rows found, " << times << " times\n";
    for (const Entry& entry : entries.found) {
      out << "  " << entry.count << " x";
      Print(out, entry);
    }
    PrintFirst(out, "never found:", entries.never);
    std::vector<Entry> other, none;
    for (const Entry& entry : entries.unexplained) {
      (entry.table_has_key ? other : none).push_back(entry);
    }
    PrintFirst(out, "AITER found the shape, but with another config than this table has:", other);
    PrintFirst(out, "AITER found a row that this table does not have:", none);
  }
  PrintLost(out, counts, "hits");
  out << counts.lines << " lines read, " << counts.misses << " hits\n";
}

// All rows:
// {"lines": 9, "hits": 7, ..., "families": [{"family": "a8w8", "rows": 3, "found": [{"gfx":
//  "gfx942", "cu_num": "304", "shape": {"M": "16", ...}, "config": {"kernelName": "k"}, "count":
//  7}], "never": [...], "unexplained": [{..., "table_has_key": true}]}]}. "rows" only with a table.
ordered_json HitsJson(const core::MissCounts& counts, std::span<const HitsOfFamily> families) {
  ordered_json json = CountsJson(counts, "hits");
  json["families"] = ordered_json::array();
  for (const HitsOfFamily& family : families) {
    const Entries entries = EntriesOf(family);
    ordered_json entry = {{"family", family.family->name}};
    if (family.table != nullptr) entry["rows"] = entries.found.size() + entries.never.size();
    entry["found"] = EntryJson(entries.found);
    if (family.table != nullptr) {
      entry["never"] = EntryJson(entries.never);
      entry["unexplained"] = ordered_json::array();
      for (const Entry& it : entries.unexplained) {
        entry["unexplained"].push_back(EntryJson(it));
        entry["unexplained"].back()["table_has_key"] = it.table_has_key;
      }
    }
    json["families"].push_back(std::move(entry));
  }
  return json;
}

core::Status CheckSaysHits(const core::Family& family) {
  if (!family.hits.empty()) return core::Ok();
  return core::Error{
      "no_hit_lines",
      fmt::format(
          "--hits does not support {}: AITER does not log which rows of this family it finds",
          family.name)};
}

// Drops rows of other targets than the options' target, so that these rows do not count as never
// found.
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
    const auto family = FamilyOfPath(configuration.families, options.family, file);
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
