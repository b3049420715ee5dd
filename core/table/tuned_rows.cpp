#include "core/table/tuned_rows.h"

#include <algorithm>
#include <iterator>

#include "core/row/key.h"
#include "core/row/row_target.h"
#include "core/table/copied_times.h"
#include "core/table/reach.h"
#include "core/table/table_writer.h"

namespace tunehub::core {
namespace {

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
  for (ReachWarning& warning : CheckReach(family, targets, row.cells)) {
    table.warnings.push_back({row.source_line, std::move(warning.column), std::move(warning.code),
                              std::move(warning.detail)});
  }
}

}  // namespace

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

}  // namespace tunehub::core
