// What a batch answers: counts, and every remark with its row and column.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/family/families.h"
#include "core/row/row.h"
#include "core/row/standing.h"
#include "server/db/writer.h"
#include "server/ingest/batch_records.h"

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
  std::size_t inferred_gfx = 0;      // rows whose gfx follows from their CU count alone
  std::array<std::size_t, static_cast<std::size_t>(core::Standing::kCompared) + 1> by_standing{};
  std::vector<core::RowIssue> rejected, quarantined, unmeasured_rows, warnings;
  // Of the quarantined rows, and those with a time of inf, what they say against earlier ones.
  std::vector<core::RowIssue> withdrawn, in_doubt;

  void Say(std::string now, core::Error why) {
    status = std::move(now);
    code = std::move(why.code);
    detail = std::move(why.detail);
  }
  std::size_t& of(core::Standing it) { return by_standing[static_cast<std::size_t>(it)]; }
  std::size_t of(core::Standing it) const { return by_standing[static_cast<std::size_t>(it)]; }
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

std::vector<core::RowIssue> RejectedOf(const std::vector<FileReport>& reports);

// Counts the rows that were read, beside the rejected ones, into the report, with remarks.
void Describe(const std::vector<StagedRow>& rows, FileReport& report);
// Takes a row that the database refused out of the counts and remarks again.
void Uncount(const core::Row& row, FileReport& report);

// Of an import that would withdraw much of its source: error would_shrink, with the counts and the
// first keys that would go.
WriteAnswer RefuseShrinkage(const core::Families& families, const std::string& source,
                            const Shrinkage& shrinkage);

// Adds to the reports, one per file, which rows withdraw a candidate, and which put one in doubt.
// `rows`: those of the batch.
void DescribeObjections(const BatchOutcome& outcome, const std::vector<StagedRow>& rows,
                        std::vector<FileReport>& reports);

}  // namespace tunehub::server
