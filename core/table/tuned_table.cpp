#include "core/table/tuned_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>

#include "core/row/target.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kTokenTiers = "token_tiers";
// Up to so many tokens a launch does the same work, and upstream's honest tables give 1 to 16 one
// time.
constexpr std::int64_t kOneLaunch = 16;
// Two neighbouring tiers may tie by chance in four decimals; three do not.
constexpr std::size_t kFewestTiers = 3;
// The largest tier has this many times the work of the smallest, which no measured time hides.
constexpr std::int64_t kLeastSpan = 4;

using Tiers = std::map<std::int64_t, std::vector<const Row*>>;

// Rows of one time by what they share: the key without the tier. Other kernels tie no more often.
std::map<std::string, Tiers> ByKey(const Family& family, std::span<const Row* const> rows) {
  std::map<std::string, Tiers> by_key;
  std::string scratch;
  for (const Row* const row : rows) {
    const Cells cells = SplitLine(row->line, scratch);
    if (cells.size() != family.columns.size()) continue;  // a garbled row's own text
    const auto tier = ParseInt64(cells[family.lookup.m]);
    if (!tier || *tier <= kOneLaunch) continue;
    std::string key;
    for (const std::size_t column : family.key_columns) {
      if (column != family.lookup.m) key.append(cells[column]).append(1, ',');
    }
    by_key[key][*tier].push_back(row);
  }
  return by_key;
}

void WarnOfTiers(const Family& family, const Tiers& tiers, std::vector<RowIssue>& issues) {
  const std::int64_t least = tiers.begin()->first, most = tiers.rbegin()->first;
  if (tiers.size() < kFewestTiers || most / least < kLeastSpan) return;
  for (const auto& [tier, rows] : tiers) {
    if (tier == most) return;
    for (const Row* const row : rows) {
      if (row->standing != Standing::kMeasured) continue;  // its time is not believed as it is
      issues.push_back(
          {row->source_line, family.columns[family.objective].name, "copied_time",
           fmt::format("{} stands for {} values of {} from {} to {}: it was measured "
                       "for one of them at most",
                       row->us, tiers.size(), family.columns[family.lookup.m].name, least, most)});
    }
  }
}

Row Keep(const Family& family, const Targets& targets, const ReadOptions& options,
         TypedRow& typed) {
  const Cells& cells = typed.cells;
  Row row;
  row.source_line = typed.source_line;
  Target target = TargetOf(family, targets, cells);
  row.gfx = std::move(target.gfx);
  row.cu_num = target.cu_num;
  if (family.engine != kNoColumn) row.engine = cells[family.engine];
  row.inferred_gfx = typed.inferred_gfx;
  row.own_kernel =
      std::any_of(family.kernel_columns.begin(), family.kernel_columns.end(),
                  [&](std::size_t i) { return cells[i].starts_with(kOwnKernelPrefix); });
  row.us = typed.us;
  row.error = typed.error;
  row.line = typed.line.empty() ? JoinCells(cells) : std::string(typed.line);
  row.standing = typed.judgement.standing;
  row.relative = typed.judgement.relative;
  row.reason = std::move(typed.judgement.reason);
  AppendOrderKey(row.order, family, cells, typed.integers);
  if (options.identify != nullptr) options.identify(family, cells, row);
  return row;
}

void Warn(const Family& family, const Targets& targets, const TypedRow& row, TunedTable& table) {
  if (row.put_in != kNoColumn) table.warnings.push_back(PutIn(family, row));
  for (RowIssue& warning : CheckReach(family, targets, row.cells)) {
    warning.line = row.source_line;
    table.warnings.push_back(std::move(warning));
  }
}

}  // namespace

std::vector<RowIssue> CopiedTimes(const Family& family, const std::vector<Row>& rows) {
  std::vector<RowIssue> issues;
  if (family.lookup.kind != kTokenTiers || family.objective == kNoColumn) return issues;
  std::vector<const Row*> timed;
  for (const Row& row : rows) {
    if (row.us > 0 && std::isfinite(row.us)) timed.push_back(&row);
  }
  const auto time_of = [](const Row* row) { return row->us; };
  std::ranges::stable_sort(timed, {}, time_of);
  for (auto begin = timed.begin(); begin != timed.end();) {
    const auto end = std::ranges::upper_bound(begin, timed.end(), (*begin)->us, {}, time_of);
    const std::span<const Row* const> same(begin, end);
    begin = end;
    if (same.size() < kFewestTiers) continue;
    for (const auto& [key, tiers] : ByKey(family, same)) WarnOfTiers(family, tiers, issues);
  }
  std::ranges::stable_sort(issues, {}, &RowIssue::line);
  return issues;
}

TunedRows::TunedRows(const Family& family, const Targets& targets, const TableHeader& header,
                     const ReadOptions& options)
    : family_(family),
      targets_(targets),
      options_(options),
      reader_(family, targets, header, options.error_limit, options.upstream) {
  if (options_.warnings) table_.warnings = header.unknown;
}

void TunedRows::Add(const CsvRecord& record) {
  if (!reader_.Read(record)) {
    table_.rejected.push_back(std::move(reader_.rejection()));
    return;
  }
  table_.rows.push_back(Keep(family_, targets_, options_, reader_.row()));
  if (options_.warnings) Warn(family_, targets_, reader_.row(), table_);
}

TunedTable TunedRows::Take() {
  if (options_.warnings) {
    std::ranges::move(CopiedTimes(family_, table_.rows), std::back_inserter(table_.warnings));
  }
  return std::move(table_);
}

std::size_t MaxFieldBytes(const Family& family) {
  return std::ranges::find(family.columns, Type::kDocument, &Column::type) == family.columns.end()
             ? kMaxFieldBytes
             : kMaxDocumentBytes;
}

Result<TunedTable> ReadTunedTable(const Family& family, const Targets& targets,
                                  std::string_view csv, const ReadOptions& options) {
  if (Status status = CheckTableText(csv); !status.ok()) return NameColumn(status.error(), csv);
  CsvReader reader(csv);
  reader.AllowFields(MaxFieldBytes(family));
  CsvRecord record;
  if (Status status = reader.First(record); !status.ok()) return status.error();
  const auto header = MapHeader(family, record.fields, record.line);
  if (!header.ok()) return header.error();

  TunedRows rows(family, targets, *header, options);
  for (std::size_t count = 0;; ++count) {
    const Result<bool> more = reader.Next(record);
    if (!more.ok()) return NameColumn(more.error(), csv);
    if (!*more) return rows.Take();
    if (count == options.max_rows) return TooManyRows(record.line, options.max_rows);
    rows.Add(record);
  }
}

}  // namespace tunehub::core
