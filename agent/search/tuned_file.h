// Reads shapes and rows from untuned files, tuned files and jobs; writes a tuner's tuned file.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/device/device.h"
#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/target.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {

// Returns every shape column of the family, canonical, from the cells that `cell` returns. A
// missing cell gets the default for files without the column. Errors: missing_column, those of
// core::CanonicalCell.
core::Result<Columns> ShapeOf(
    const core::Family& family,
    const std::function<std::optional<std::string>(const std::string& column)>& cell);

// Reads AITER's untuned CSV or any table with the family's shape columns. Ignores other columns and
// repeated shapes. Errors: those of core::ReadUntunedTable, with the file; the error of the first
// bad row, with the line.
core::Result<std::vector<Columns>> ReadShapes(const core::Family& family, const std::string& file,
                                              std::string_view csv);

// Returns the cells of `role` in a line of the family's table, by column. Leaves out empty cells,
// and a kernel's id if the line contains the kernel's name.
Columns ColumnsOf(const core::Family& family, core::Role role, std::string_view line);

// One tuned row of the hub's table or of a file, parsed.
struct TunedRow {
  core::Target target;
  Columns shape, candidate;
  double us = 0;
  std::string line;   // every column of the family, as in the table
  std::string order;  // the sort key (core/row/row.h)
};

// All rows of a tuned table, including rows with errors. Errors: those of core::ReadTunedTable,
// with `what` before the message.
core::Result<core::TunedTable> ReadWholeTable(const core::Family& family,
                                              const core::Targets& targets, std::string_view csv,
                                              const std::string& what);

// The rows of a tuned table with a plausible time. Errors: those of core::ReadTunedTable.
core::Result<std::vector<TunedRow>> ReadTunedRows(const core::Family& family,
                                                  const core::Targets& targets,
                                                  std::string_view csv);

// Returns a measurement as a row of the family's table. us, tflops and bandwidth come from its
// median. An integer config column that the candidate lacks gets -1 if it is an id, else 0.
// Precondition: the measurement has a time.
std::string LineOf(const core::Family& family, const core::Target& target, const Columns& shape,
                   const Measurement& measurement);

// The tuned table that a tuner writes (-o). Rows of other shapes and targets stay unchanged.
class TunedFile {
 public:
  // A missing file is an empty table. Errors: file_unreadable, those of core::ReadTunedTable,
  // lossy_table (a row cannot be read and would be lost).
  static core::Result<TunedFile> Open(const core::Family& family, const core::Targets& targets,
                                      const std::filesystem::path& path);

  // Replaces the row of the same shape key, and writes the file, sorted. Errors: file_unwritable.
  core::Status Put(const core::Target& target, const Columns& shape,
                   const Measurement& measurement);

  // Puts every row of a table like Put.
  core::Status PutTable(std::string_view csv);

  // Adds the rows whose shape key has no measured row in this file, and writes the file. Errors:
  // file_unwritable.
  core::Status Fill(const std::vector<TunedRow>& rows);

  // The measured rows of `target`.
  std::vector<TunedRow> RowsOf(const core::Target& target) const;

 private:
  TunedFile(const core::Family& family, const core::Targets& targets, std::filesystem::path path)
      : family_(&family), targets_(&targets), path_(std::move(path)) {}
  core::Status Save() const;
  core::Status Read(std::string_view csv, const std::string& what);
  std::vector<TunedRow> Measured() const;

  const core::Family* family_;
  const core::Targets* targets_;
  std::filesystem::path path_;
  std::map<std::string, std::string> lines_;  // by TunedRow::order
};

}  // namespace tunehub::agent
