// The rows of one chunk of a table, read and brought into key order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/row.h"
#include "core/row/standing.h"
#include "core/table/table_writer.h"

namespace tunehub::core {

// A table's header and the places between which its rows are cut.
struct CutTable {
  TableHeader header;
  std::size_t line = 0;              // of the first row
  std::vector<std::size_t> borders;  // bytes; chunk i goes from borders[i] to borders[i + 1]
};

// Cuts behind the header and then at line ends, every `chunk_bytes` or a little more. Where a quote
// stands among the rows, a line end may be part of a cell: then all rows are one chunk. Nothing:
// the table has no header that the family knows; reading it whole says why.
std::optional<CutTable> CutIntoChunks(const Family& family, std::string_view csv,
                                      std::size_t chunk_bytes);

struct SortedRun;

// What a merge needs of a row. A table has tens of thousands of them, and reading one allocates
// nothing by itself.
struct Entry {
  // The order key (core/row/row.h) as big-endian words, padded with zeros: no order key is the
  // beginning of another one, so that they compare as the bytes do.
  std::span<const std::uint64_t> order;
  std::string_view line;  // in the table's text, or in the run's storage
  double us = 0, error = 0;
  Standing standing = Standing::kMeasured;
  std::uint32_t row_line = 0;  // from the chunk's first, which is 0
  const SortedRun* run = nullptr;
};

bool Precedes(const Entry& a, const Entry& b);
bool SameKey(const Entry& a, const Entry& b);

struct SortedRun {
  std::size_t file = 0;
  bool refused = false;               // the chunk cannot be read; reading the table whole says why
  std::size_t rows = 0;               // read, rejected ones among them
  std::size_t lines = 0;              // of the chunk
  std::size_t first_line = 0;         // in the file; set by who knows the chunks before it
  std::vector<const Entry*> entries;  // in key order, equal keys in the file's order
  // Lines from the chunk's first, which is 0; `warnings` of rows that were realigned.
  std::vector<RowIssue> rejected, quarantined, warnings;
  std::pmr::monotonic_buffer_resource storage;  // of entries, order keys and rewritten lines
};

// Reads chunk `index` of a table into `run`; all must outlive it.
void ReadRun(const Family& family, const Targets& targets, std::string_view csv,
             const CutTable& table, std::size_t index, SortedRun& run);

}  // namespace tunehub::core
