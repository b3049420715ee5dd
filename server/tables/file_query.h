// Parses requests for a reader's file and for its tree.
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
  TunedQuery query;  // has `form` if the request is for a file or a tree
  bool tree = false;
  // For a file: the family to try next if `family` has no row of the file; "": none.
  std::string other = {};
};

// `path` is relative to the reader's folder. A '+' may replace a blank. Parameters:
// - The options of TunedQuery that choose among rows.
// - family=, if several stores have files of this name.
// - from= and borrow=.
// - triton=: for a path without a folder, the version of the folder; with from=, the version of the
//   other engine's rows; else the version of the runs.
// Errors: unknown_reader, those of ParseFilePath and ParseTunedQuery, and unknown_parameter for
// options of other table forms.
core::Result<ParsedQuery> ParseFileQuery(const Definitions& definitions, std::string_view reader,
                                         std::string_view path, const Parameters& parameters);

// Parses a request for all files of one store. family= selects the store. The default is the store
// of the reader's environment variable. device= is one device name, or a product (which means all
// its device names). Other key columns are filters.
core::Result<ParsedQuery> ParseTreeQuery(const Definitions& definitions, std::string_view reader,
                                         const Parameters& parameters);

}  // namespace tunehub::server
