// Cuts a table into parts that the hub takes in one request each.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tunehub::agent {

// The hub's limits, with room for the header line that each part repeats.
inline constexpr std::size_t kMaxBatchRows = 100'000;
inline constexpr std::size_t kMaxBatchBytes = std::size_t{60} << 20;

struct TablePart {
  std::string csv;              // header and rows
  std::size_t line_offset = 0;  // a row's line in the table, less its line in the part
};

// One part where the table is no readable CSV: the hub says better what is wrong with it.
std::vector<TablePart> SplitTable(std::string_view csv, std::size_t max_rows = kMaxBatchRows,
                                  std::size_t max_bytes = kMaxBatchBytes);

}  // namespace tunehub::agent
