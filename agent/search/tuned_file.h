// The tuned table that a tuner writes (-o): rows of other shapes and targets stay as they are.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/device/measurement.h"
#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/target.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {

// One tuned row, taken apart: of the hub's table or of a file.
struct TunedRow {
  core::Target target;
  Columns shape, candidate;
  double us = 0;
  std::string line;   // every column of the family, as the table has it
  std::string order;  // of the rows of a table
};

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
