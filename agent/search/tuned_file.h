// Shapes and rows out of untuned files, tuned files and jobs, and the tuned file that a tuner
// writes.
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

// Every shape column of the family, canonical, by what `cell` gives for a column's name; a column
// without a cell takes the value that older files imply. Errors: missing_column, those of
// core::CanonicalCell.
core::Result<Columns> ShapeOf(
    const core::Family& family,
    const std::function<std::optional<std::string>(const std::string& column)>& cell);

// AITER's untuned CSV, or any table with the family's shape columns; others are passed over,
// repeats are dropped. Errors: those of core::ReadUntunedTable, with the file, and the first row
// that is none, with its line.
core::Result<std::vector<Columns>> ReadShapes(const core::Family& family, const std::string& file,
                                              std::string_view csv);

// The cells of `role` in one line of the family's table, by column; ids that a kernel's name makes
// superfluous and empty cells left out.
Columns ColumnsOf(const core::Family& family, core::Role role, std::string_view line);

// One tuned row, taken apart: of the hub's table or of a file.
struct TunedRow {
  core::Target target;
  Columns shape, candidate;
  double us = 0;
  std::string line;   // every column of the family, as the table has it
  std::string order;  // of the rows of a table
};

// All rows of a tuned table, whatever their errors. Errors: those of core::ReadTunedTable, after
// `what`.
core::Result<core::TunedTable> ReadWholeTable(const core::Family& family,
                                              const core::Targets& targets, std::string_view csv,
                                              const std::string& what);

// The rows of a tuned table that name a time that can be believed. Errors: those of
// core::ReadTunedTable.
core::Result<std::vector<TunedRow>> ReadTunedRows(const core::Family& family,
                                                  const core::Targets& targets,
                                                  std::string_view csv);

// The cells of a measurement as one row of the family's table: us, error, tflops and bandwidth by
// its median. Integer columns of the config that the candidate does not give are -1 where they are
// ids and 0 else. Precondition: timed.
std::string LineOf(const core::Family& family, const core::Target& target, const Columns& shape,
                   const Measurement& measurement);

// The same of many as the body of POST /results: every measurement with samples, status, reason,
// the times hot and cold where they were taken, and how it was timed: "wall" on a CPU, "graph" (of
// launches, between two events) on a GPU. Failed ones have the time -1, wrong ones none. `fallback`
// is marked as what runs where nobody has tuned, and all as of a search where they are of one.
std::string ResultsBody(const core::Family& family, const core::Target& target,
                        const Columns& shape, const std::vector<Measurement>& measurements,
                        const Columns& fallback, bool searched);

// The tuned table that a tuner writes (-o): rows of other shapes and targets stay as they are.
class TunedFile {
 public:
  // A file that is not there is an empty table. Errors: file_unreadable, those of
  // core::ReadTunedTable, lossy_table (it has rows that cannot be read: they would be lost).
  static core::Result<TunedFile> Open(const core::Family& family, const core::Targets& targets,
                                      const std::filesystem::path& path);

  // Replaces the row of the same key, and writes the file, sorted. Errors: file_unwritable.
  core::Status Put(const core::Target& target, const Columns& shape,
                   const Measurement& measurement);

  // The same with all rows of a table.
  core::Status PutTable(std::string_view csv);

  // Puts rows in whose key has no measured row here yet, and writes the file. Errors:
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
  std::map<std::string, std::string> lines_;  // by order key
};

}  // namespace tunehub::agent
