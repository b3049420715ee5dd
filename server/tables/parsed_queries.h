// Caches parsed requests for tables, files and trees.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "core/base/result.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/kept.h"
#include "server/tables/file_query.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

std::size_t SizeOf(const ParsedQuery& query);

// The reactor and a worker thread both need the parsed query. Parsing a file's name takes longer
// than sending the file.
class ParsedQueries {
 public:
  using Parsed = core::Result<std::shared_ptr<const ParsedQuery>>;

  // `definitions` must outlive this object and stay unchanged.
  explicit ParsedQueries(const Definitions& definitions);

  // These functions do the same as ParseTunedQuery, ParseFileQuery and ParseTreeQuery. They are
  // thread-safe. `unlisted`: the name of a table that no family describes; "": the family's own
  // table.
  Parsed Table(const core::Family& family, Parameters parameters, std::string_view unlisted = {});
  Parsed File(std::string_view reader, std::string_view path, const Parameters& parameters);
  Parsed Tree(std::string_view reader, const Parameters& parameters);

 private:
  const Definitions& definitions_;
  Kept<ParsedQuery> queries_;
};

}  // namespace tunehub::server
