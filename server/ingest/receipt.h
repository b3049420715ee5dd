// Makes the answer to a batch: counts, and remarks with row and column.
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

// The result of reading one file or body.
struct FileReport {
  std::string file;                  // "": a body without a name
  std::string family;                // "": unknown
  std::string status;                // "imported", "refused" or "skipped"; "" for a body
  std::string code, detail;          // why it was refused or skipped
  std::size_t rows = 0;              // data rows read, including rejected ones
  std::size_t folded = 0;            // rows of a candidate that is already in the batch
  std::size_t folded_competing = 0;  // folded rows that are not quarantined
  std::size_t inferred_gfx = 0;      // rows whose gfx follows from their CU count
  std::array<std::size_t, static_cast<std::size_t>(core::Standing::kCompared) + 1> by_standing{};
  std::vector<core::RowIssue> rejected, quarantined, unmeasured_rows, warnings;
  // Quarantined rows, and rows with the time inf. Their candidates compete with earlier rows.
  std::vector<core::RowIssue> withdrawn, in_doubt;
  std::vector<core::RowIssue> unconfirmed;  // rows that wait for a confirmation

  void Say(std::string now, core::Error why) {
    status = std::move(now);
    code = std::move(why.code);
    detail = std::move(why.detail);
  }
  std::size_t& of(core::Standing it) { return by_standing[static_cast<std::size_t>(it)]; }
  std::size_t of(core::Standing it) const { return by_standing[static_cast<std::size_t>(it)]; }
};

// Returns the receipt as JSON. Its member "row" is the RowIssue's line.
std::string RenderReceipt(const std::string& family, const FileReport& report,
                          const BatchOutcome& outcome, bool dry_run);
std::string RenderImportReceipt(const std::string& source, const std::vector<FileReport>& files,
                                const BatchOutcome& outcome, bool dry_run);

// Returns the receipt of a repeated import, as a JSON merge patch of the first import's receipt.
std::string RenderRepeat(const BatchOutcome& outcome);

// A stable sort: remarks of one line keep their order.
void SortByLine(std::vector<core::RowIssue>& issues);

std::vector<core::RowIssue> RejectedOf(const std::vector<FileReport>& reports);

// Adds the rows to the report's counts and remarks. `rows` contains no rejected rows.
void Describe(const std::vector<StagedRow>& rows, FileReport& report);
// Removes a row that the database rejected from the counts and remarks.
void Uncount(const core::Row& row, FileReport& report);

// Returns the error would_shrink, with counts and the first shape keys, for an import that would
// withdraw too many keys of its source.
WriteAnswer RefuseShrinkage(const core::Families& families, const std::string& source,
                            const Shrinkage& shrinkage);

// Adds the batch's rows that withdraw a candidate or raise a doubt to their files' reports.
void DescribeObjections(const BatchOutcome& outcome, const std::vector<StagedRow>& rows,
                        std::vector<FileReport>& reports);

}  // namespace tunehub::server
