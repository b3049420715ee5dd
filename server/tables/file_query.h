// Parses requests for a reader's file or tree, and caches parsed requests.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/kept.h"
#include "server/tables/file_rows.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

struct ParsedQuery {
  const core::Family* family = nullptr;
  TunedQuery query;  // with `form` if it asks for a file or a tree
  bool tree = false;
  // For a file: the family to try if `family` has no row of the file; "": none.
  std::string other = {};
};

std::size_t SizeOf(const ParsedQuery& query);

// `path` is relative to the reader's folder; a blank may be a '+'. Parameters: options of
// TunedQuery that choose among rows, family= (if several stores have the name), from=, borrow=, and
// triton=: the folder of a bare path, or the version of from='s rows, else of the runs. Errors:
// unknown_reader, those of ParseFilePath and ParseTunedQuery, and unknown_parameter for options of
// other table forms.
core::Result<ParsedQuery> ParseFileQuery(const Definitions& definitions, std::string_view reader,
                                         std::string_view path, const Parameters& parameters);

// All files of one store: family= names it, the default is the variable's. device= is a product
// with all its names, or one name. Other key columns are filters.
core::Result<ParsedQuery> ParseTreeQuery(const Definitions& definitions, std::string_view reader,
                                         const Parameters& parameters);

// Parsed requests for tables, files and trees. The reactor needs the parsed query before a worker
// does, and parsing a file's name takes longer than sending the file.
class ParsedQueries {
 public:
  using Parsed = core::Result<std::shared_ptr<const ParsedQuery>>;

  // `definitions` must outlive this and stay unchanged.
  explicit ParsedQueries(const Definitions& definitions);

  // As ParseTunedQuery, ParseFileQuery and ParseTreeQuery. Safe from any thread.
  Parsed Table(const core::Family& family, const Parameters& parameters);
  Parsed File(std::string_view reader, std::string_view path, const Parameters& parameters);
  Parsed Tree(std::string_view reader, const Parameters& parameters);

 private:
  const Definitions& definitions_;
  Kept<ParsedQuery> queries_;
};

}  // namespace tunehub::server
