// How AITER reads a family's tables, written again without code of core/. It takes the union of the
// columns, fills absent cells with 0, and derives gfx from the CU count. AITER's tables contain no
// quotes.
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

  std::string At(const std::string& column) const;  // "" if there is no such column
  double Number(const std::string& column) const;   // NaN if the cell is not a number
};

// The files that AITER reads for a family, if the real tables are present: its default file, then
// the files of model_configs whose names contain the family's token, sorted by name.
std::vector<std::filesystem::path> AiterFilesOf(const core::Family& family);

// All rows of the files in order, with filled columns.
std::vector<AiterRow> AiterRows(const std::vector<std::string>& texts);

// The columns of AITER's duplicate key: the family's untuned header, cu_num, gfx and _tag.
std::vector<std::string> AiterKeyColumns(const core::Family& family);

std::string KeyOf(const AiterRow& row, const std::vector<std::string>& columns);

}  // namespace tunehub::test
