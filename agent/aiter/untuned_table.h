// Writes missed shapes as AITER's untuned tables.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/misses/miss_log.h"

namespace tunehub::agent {

struct UntunedTable {
  const core::Family* family = nullptr;
  std::size_t shapes = 0;
  std::uint64_t count = 0;  // lines of the log
  std::string csv;          // AITER's header; the most missed shape first
};

// Returns one table per family, sorted by name. Unless `raw` is true, replaces each shape by the
// shape for a tuned table (core::LookupShape). Merges equal shapes, even of different targets,
// since an untuned table names no target. If `grid` is "pow2" or "gl0", each (N, K) gets every M of
// core::GridOf. Shapes of a family with an engine column (tunableop, triton_*) keep their M.
std::vector<UntunedTable> UntunedTables(std::span<const core::MissShape> shapes, bool raw,
                                        std::string_view grid = {});

// A shape's cells in the order of the family's untuned columns; "" for a column that `columns`
// lacks.
std::vector<std::string> UntunedCells(const core::Family& family,
                                      const std::map<std::string, std::string>& columns);

// Checks that each cell is empty or valid for its column, since AITER's scripts evaluate some
// cells. Errors: those of core::CanonicalCell, with the column.
core::Status CheckUntuned(const core::Family& family,
                          std::span<const std::vector<std::string>> rows);

// The header of the family's untuned table, and rows in the order given.
std::string UntunedCsv(const core::Family& family, std::span<const std::vector<std::string>> rows);

// Makes `folder`, and writes each table there as its family's untuned_file. Errors:
// file_unwritable.
core::Status WriteUntunedTables(const std::filesystem::path& folder,
                                std::span<const UntunedTable> tables);

}  // namespace tunehub::agent
