// Makes a tuned table of its rows, one at a time, wherever their cells come from.
#pragma once

#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/table/csv.h"
#include "core/table/row_reader.h"
#include "core/table/table_header.h"
#include "core/table/tuned_table.h"

namespace tunehub::core {

class TunedRows {
 public:
  // `family`, `targets` and `header` must outlive it. max_rows is for who reads the records.
  TunedRows(const Family& family, const Targets& targets, const TableHeader& header,
            const ReadOptions& options);

  // A row, or a rejected one. The record's text is empty where the cells stood in no line.
  void Add(const CsvRecord& record);
  TunedTable Take();

 private:
  const Family& family_;
  const Targets& targets_;
  const ReadOptions options_;
  RowReader reader_;
  TunedTable table_;
};

}  // namespace tunehub::core
