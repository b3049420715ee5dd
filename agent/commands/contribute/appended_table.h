// Rows put behind those of a table that is there, in its own columns: none of its bytes change.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/table/csv.h"
#include "core/table/table_header.h"

namespace tunehub::agent {

class AppendedTable {
 public:
  // `csv` must outlive it; "" begins a table with the family's header. Errors: those of MapHeader.
  static core::Result<AppendedTable> Begin(const core::Family& family, std::string_view csv);

  // "": the line can stand in the table. Else the column that the table lacks and the row needs:
  // AITER fills a column that is absent with 0, and gfx from the CU count.
  std::string Lacks(const core::Targets& targets, std::string_view line) const;
  void Append(std::string_view line);

  const std::string& bytes() const { return bytes_; }

 private:
  explicit AppendedTable(const core::Family& family) : family_(family) {}

  const core::Family& family_;
  core::TableHeader header_;
  std::string bytes_;
  std::string line_end_ = "\n";
};

}  // namespace tunehub::agent
