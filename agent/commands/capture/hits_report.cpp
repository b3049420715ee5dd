#include "agent/commands/capture/hits_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/commands/capture/capture_report.h"
#include "core/row/row_target.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

using nlohmann::ordered_json;

// Rows that were never found may be a whole table: people see the first, JSON has all.
constexpr std::size_t kMostPrinted = 20;

// A row of a table, or what a line says of one.
struct Entry {
  std::string gfx, cu_num;
  std::vector<std::pair<std::string, std::string>> shape, config;
  std::uint64_t count = 0;
  bool table_has_key = false;  // of what the table does not explain
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

}  // namespace

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
    PrintFirst(out, "never:", entries.never);
    std::vector<Entry> other, none;
    for (const Entry& entry : entries.unexplained) {
      (entry.table_has_key ? other : none).push_back(entry);
    }
    PrintFirst(out, "found with another config than the table's:", other);
    PrintFirst(out, "found, and not in the table:", none);
  }
  PrintLost(out, counts, "hits");
  out << counts.lines << " lines read, " << counts.misses << " hits\n";
}

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

}  // namespace tunehub::agent
