// Writes a tuned table as AITER reads it: the family's canonical header, LF, one line a row.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/family/family.h"

namespace tunehub::core {

// The cells as one CSV line, without line feed.
std::string JoinCells(const Cells& cells);

// The fields of one line that JoinCells wrote. `line` must outlive the answer unless a field was
// quoted, whose text lives in `scratch`.
Cells SplitLine(std::string_view line, std::string& scratch);

// One of these fields alone, in less time. Precondition: there is one.
std::string_view CellOf(std::string_view line, std::size_t column, std::string& scratch);

struct WriteOptions {
  bool without_gfx = false;  // the header of AITER before v0.1.12.post2
};

// Header and lines. `lines` are Row::line, in the order they shall have. An optional column is
// written only where some line has a value in it.
std::string WriteTable(const Family& family, std::span<const std::string_view> lines,
                       const WriteOptions& options = {});

}  // namespace tunehub::core
