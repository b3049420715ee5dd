// A reader's file, and its tree, as bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "server/snapshots/kept.h"
#include "server/tables/file_query.h"
#include "server/tables/file_rows.h"
#include "server/tables/table_bytes.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// One file. Errors: bad_validators.
core::Result<std::string> FileBytes(const FileForm& form, const core::Family& family,
                                    const std::vector<FileRow>& rows);

// A tar.gz with the same bytes for the same files: NAME/... with the reader's files as its variable
// wants them, env.sh, SHA256SUMS and tree.json (agent/hub/tree.h). Errors: those of FileBytes,
// bad_parameter where one name would stand for several files. An error of one file names it.
core::Result<std::string> TreeBytes(const FileForm& form, const core::Family& family,
                                    const FileSet& set);

// Requests for files and trees, parsed once: a name goes through a reader's grammar and the
// devices' names, which takes longer than sending the file.

std::size_t SizeOf(const FileQuery& query);

class FileQueries {
 public:
  using Parsed = core::Result<std::shared_ptr<const FileQuery>>;

  // `definitions` outlives it, and does not change.
  explicit FileQueries(const Definitions& definitions);

  // As ParseFileQuery and ParseTreeQuery. From any thread.
  Parsed File(std::string_view reader, std::string_view path, const Parameters& parameters);
  Parsed Tree(std::string_view reader, const Parameters& parameters);

 private:
  const Definitions& definitions_;
  Kept<FileQuery> queries_;
};

// Rows as a reader's file or tree, in the place of a table.

// Precondition: query.form. Headers: Tunehub-Files (of a tree), Tunehub-Borrowed-Rows and
// Tunehub-Not-Borrowed-Rows, where there are such. Errors: no_rows, not_borrowed (all rows are of
// another engine that counts N in another way), other_columns (of a revision from before the family
// got its columns), and those of FileBytes and TreeBytes.
core::Result<TableBytes> MakeFiles(const RowSet& set, const TunedQuery& query);

}  // namespace tunehub::server
