#include "core/table/tuned_table.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>

#include "core/row/target.h"
#include "core/shapes/shape.h"

namespace tunehub::core {
namespace {

constexpr std::string_view kTokenTiers = "token_tiers";
// A launch does the same work for any number of tokens up to this one. In AITER's own tables, 1 to
// 16 tokens correctly share one time.
constexpr std::int64_t kOneLaunch = 16;
// Two neighbouring tiers may tie by chance in four decimals; three tiers do not.
constexpr std::size_t kFewestTiers = 3;
// Measured times differ if the largest tier has this many times the work of the smallest.
constexpr std::int64_t kLeastSpan = 4;

using Tiers = std::map<std::int64_t, std::vector<const Row*>>;

// Groups rows of equal time by their shape key without the tier. Ignores the kernel, because
// different kernels tie no more often.
std::map<std::string, Tiers> ByKey(const Family& family, std::span<const Row* const> rows) {
  std::map<std::string, Tiers> by_key;
  std::string scratch;
  for (const Row* const row : rows) {
    const Cells cells = SplitLine(row->line, scratch);
    if (cells.size() != family.columns.size()) continue;  // a garbled row stores its own text
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
      if (row->standing != Standing::kMeasured) continue;  // its time already does not count
      issues.push_back(
          {row->source_line, family.columns[family.objective].name, "copied_time",
           fmt::format("the time {} occurs for {} values of {} from {} to {}, so at most one of "
                       "these times was measured",
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

constexpr std::string_view kTorch = "torch.";

// The input and output of every check.
struct Checked {
  const Family& family;
  const Targets& targets;
  const Cells& cells;
  std::vector<RowIssue>& warnings;

  void Warn(std::size_t column, std::string code, std::string detail) const {
    warnings.push_back({0, family.columns[column].name, std::move(code), std::move(detail)});
  }
  std::string_view gfx() const { return GfxOf(family, cells); }
};

std::optional<std::int64_t> Integer(const Checked& row, std::size_t column) {
  return column == kNoColumn ? std::nullopt : ParseInt64(row.cells[column]);
}

bool IsDtypeColumn(const Column& column) {
  return column.is_key() && std::ranges::any_of(column.values, [](const std::string& value) {
           return value.starts_with(kTorch);
         });
}

void CheckDtypes(const Checked& row) {
  const GpuArch* const arch = row.targets.Find(row.gfx());
  for (const std::size_t column : row.family.key_columns) {
    if (!IsDtypeColumn(row.family.columns[column])) continue;
    const std::string_view dtype = row.cells[column];
    if (arch == nullptr || !dtype.starts_with("torch.float8_e4m3")) continue;
    if (dtype.ends_with("fnuz") == arch->fnuz) continue;
    row.Warn(column, "fp8_of_other_arch",
             fmt::format("{} is the wrong fp8 for {}; expected {}", dtype, row.gfx(),
                         arch->fnuz ? "torch.float8_e4m3fnuz" : "torch.float8_e4m3fn"));
  }
}

void CheckTokenTier(const Checked& row) {
  if (row.family.lookup.kind != "token_tiers") return;
  const std::optional<std::int64_t> token = Integer(row, row.family.lookup.m);
  if (!token || TokenTier(*token) == *token) return;
  row.Warn(row.family.lookup.m, "token_no_tier",
           fmt::format("{} is not a tier of tokens; AITER looks up {} instead", *token,
                       TokenTier(*token)));
}

void CheckGrid(const Checked& row) {
  if (row.family.lookup.kind != "padded_m") return;
  const std::optional<std::int64_t> m = Integer(row, row.family.lookup.m);
  const std::optional<std::int64_t> n = Integer(row, row.family.metric.n);
  if (!m || !n || *m == PaddedMGl0(*m) || *m == PaddedMGl1(*m, *n)) return;
  row.Warn(row.family.lookup.m, "m_off_grid",
           fmt::format("only a lookup of exactly M={} finds the row, because this M is not on "
                       "AITER's fine or coarse grid (the next M there: {} and {})",
                       *m, PaddedMGl0(*m), PaddedMGl1(*m, *n)));
}

void CheckCuNum(const Checked& row) {
  const std::optional<std::int64_t> cu_num = Integer(row, row.family.cu_num);
  const bool any = row.family.csv_lines && cu_num == 0;  // the table has no CU count
  if (!cu_num || any || row.targets.Find(row.gfx()) == nullptr) return;
  std::string known;
  for (const Device& device : row.targets.devices().all()) {
    if (device.gfx != row.gfx() || device.cu_num == 0) continue;
    if (device.cu_num == *cu_num || std::ranges::count(device.partitions, *cu_num) > 0) return;
    known += fmt::format("{}{} {}", known.empty() ? "" : ", ",
                         device.product.empty() ? "unnamed GPU" : device.product, device.cu_num);
  }
  if (known.empty()) return;
  row.Warn(row.family.cu_num, "no_such_cu_num",
           fmt::format("no known GPU with {} has {} CUs ({})", row.gfx(), *cu_num, known));
}

// Warns about a target on which AITER has no kernel for the operation.
void CheckOnly(const Checked& row) {
  const auto& only = row.family.lookup.only_gfx;
  if (only.empty() || std::ranges::find(only, row.gfx()) != only.end()) return;
  row.Warn(
      row.family.gfx, "gfx_never_asked",
      fmt::format("AITER looks up rows of {} only on {}", row.family.name, fmt::join(only, ", ")));
}

// Names of other targets (a CPU, sm_90) have another form than those of AMD's GPUs.
void CheckGfx(const Checked& row) {
  const std::string_view gfx = row.gfx();
  const std::string why = WhyUnknownGfx(row.targets, gfx);
  if (!why.empty()) row.Warn(row.family.gfx, "unknown_gfx", why + " No lookup finds the row");
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

std::vector<RowIssue> CheckReach(const Family& family, const Targets& targets, const Cells& cells) {
  std::vector<RowIssue> warnings;
  const Checked row{family, targets, cells, warnings};
  CheckGfx(row);
  CheckOnly(row);
  CheckDtypes(row);
  CheckTokenTier(row);
  CheckGrid(row);
  CheckCuNum(row);
  return warnings;
}

}  // namespace tunehub::core
