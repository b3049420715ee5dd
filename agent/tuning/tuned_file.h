// The tuned table that a tuner writes (-o): rows of other shapes and targets stay as they are.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "agent/tuning/tuned_row.h"

namespace tunehub::agent::tuning {

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

}  // namespace tunehub::agent::tuning
