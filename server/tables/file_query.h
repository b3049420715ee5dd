// What a request for a reader's file, or for its tree, asks for.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "server/snapshots/definitions.h"
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

}  // namespace tunehub::server
