// Missed shapes as AITER's untuned tables.
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

// One per family, by name. Unless `raw`, shapes are mapped to what a lookup can use
// (core/shapes/shape.h), and those that become one are one row. An untuned table says
// nothing of the target, so the shapes of several targets share it. With a `grid`, "pow2" or "gl0"
// of core::GridOf, each (N, K) has every M of it; an engine's files have a ladder of their own.
std::vector<UntunedTable> UntunedTables(std::span<const core::MissShape> shapes, bool raw,
                                        std::string_view grid = {});

// The cells of a shape in the order of the family's untuned columns; "" where `columns` lacks one.
std::vector<std::string> UntunedCells(const core::Family& family,
                                      const std::map<std::string, std::string>& columns);

// Whether each cell is empty or one that its column may have: AITER's scripts evaluate some of
// them. Errors: those of core::CanonicalCell, with the column.
core::Status CheckUntuned(const core::Family& family,
                          std::span<const std::vector<std::string>> rows);

// The header of the family's untuned table, and rows in the order given.
std::string UntunedCsv(const core::Family& family, std::span<const std::vector<std::string>> rows);

// Each table under its family's untuned_file in `folder`, which is made. Errors: file_unwritable.
core::Status WriteUntunedTables(const std::filesystem::path& folder,
                                std::span<const UntunedTable> tables);

}  // namespace tunehub::agent
