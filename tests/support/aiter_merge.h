// Restates, without code of core/, how AITER reads a family's tables: the union of the columns,
// absent cells filled with 0, gfx backfilled from the CU count. AITER's tables have no quotes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/family/family.h"

namespace tunehub::test {

struct AiterRow {
  std::map<std::string, std::string> cells;  // by column
  bool ragged = false;                       // fewer fields than its header

  std::string At(const std::string& column) const;  // "": no such column
  double Number(const std::string& column) const;   // NaN if the cell is no number
};

// The files that AITER reads for a family, if the real tables are present: its default file, then
// those of model_configs whose names hold the family's token, in the order of their names.
std::vector<std::filesystem::path> AiterFilesOf(const core::Family& family);

// All rows of the files, columns filled, in order.
std::vector<AiterRow> AiterRows(const std::vector<std::string>& texts);

// The columns of AITER's duplicate key: the family's untuned header, cu_num, gfx and _tag.
std::vector<std::string> AiterKeyColumns(const core::Family& family);

std::string KeyOf(const AiterRow& row, const std::vector<std::string>& columns);

}  // namespace tunehub::test
