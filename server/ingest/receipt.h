// What a batch answers: counts, and every remark with its row and column.
#pragma once

#include <string>
#include <vector>

#include "core/table/tuned_table.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/batch_rules.h"

namespace tunehub::server {

// What was read from one file or body.
struct FileReport {
  std::string file;                  // "" for a body that has no name
  std::string family;                // "": unknown
  std::string status;                // "imported", "refused" or "skipped"; "" for a body
  std::string code, detail;          // why it was refused or skipped
  std::size_t rows = 0;              // data rows read, rejected ones among them
  std::size_t folded = 0;            // rows of a candidate that stands in the batch already
  std::size_t folded_competing = 0;  // those of them that are not quarantined
  std::size_t measured = 0, declared = 0, unmeasured = 0;
  std::size_t unfinished = 0;    // evidence of searches, which never competes
  std::size_t compared = 0;      // for speed-ups alone
  std::size_t inferred_gfx = 0;  // rows whose gfx follows from their CU count alone
  std::vector<core::RowIssue> rejected, quarantined, unmeasured_rows, warnings;
  // Of the quarantined rows, and those with a time of inf, what they say against earlier ones.
  std::vector<core::RowIssue> withdrawn, in_doubt;
};

// The receipt as JSON. Lines of RowIssue are given as "row".
std::string RenderReceipt(const std::string& family, const FileReport& report,
                          const BatchOutcome& outcome, bool dry_run);
std::string RenderImportReceipt(const std::string& source, const std::vector<FileReport>& files,
                                const BatchOutcome& outcome, bool dry_run);

// What differs in the receipt of an import that repeats the one before it, as a JSON merge patch.
std::string RenderRepeat(const BatchOutcome& outcome);

// Remarks of one line stay in their order.
void SortByLine(std::vector<core::RowIssue>& issues);

// Counts the standings of `table` into the report and takes its remarks.
void Describe(core::TunedTable& table, FileReport& report);
// Rows that may win, by this file: what was read less what was folded.
std::size_t Accepted(const FileReport& report);
// Takes a row that the database refused out of the counts and remarks again.
void Uncount(const core::Row& row, FileReport& report);

}  // namespace tunehub::server
