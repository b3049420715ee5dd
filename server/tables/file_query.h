// What a request for a reader's file, or for its tree, asks for; and requests that were parsed.
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
  TunedQuery query;  // of a file or a tree with `form`
  bool tree = false;
  // Of a file: the family that may hold it where `family` has no row of it; "": none.
  std::string other = {};
};

std::size_t SizeOf(const ParsedQuery& query);

// `path` is the file's below the reader's folder; a blank in it may be a '+'. Parameters: those
// options of TunedQuery that choose among rows, family= (where the name is of several stores),
// triton= (of a path that names no folder, and of what from= takes; else of the runs), from= and
// borrow=. Errors: unknown_reader, those of ParseFilePath and ParseTunedQuery, and
// unknown_parameter for an option that makes another table.
core::Result<ParsedQuery> ParseFileQuery(const Definitions& definitions, std::string_view reader,
                                         std::string_view path, const Parameters& parameters);

// Of all files of one store: family= says which, the reader's variable otherwise. device= is a
// product, which stands for all its names, or one name; other key columns filter, too.
core::Result<ParsedQuery> ParseTreeQuery(const Definitions& definitions, std::string_view reader,
                                         const Parameters& parameters);

// Requests for tables, files and trees, parsed once: the reactor looks for the answer before a
// worker makes it, and a file's name goes through a reader's grammar and the devices' names, which
// takes longer than sending the file.
class ParsedQueries {
 public:
  using Parsed = core::Result<std::shared_ptr<const ParsedQuery>>;

  // `definitions` outlives it, and does not change.
  explicit ParsedQueries(const Definitions& definitions);

  // As ParseTunedQuery, ParseFileQuery and ParseTreeQuery. From any thread.
  Parsed Table(const core::Family& family, const Parameters& parameters);
  Parsed File(std::string_view reader, std::string_view path, const Parameters& parameters);
  Parsed Tree(std::string_view reader, const Parameters& parameters);

 private:
  const Definitions& definitions_;
  Kept<ParsedQuery> queries_;
};

}  // namespace tunehub::server
