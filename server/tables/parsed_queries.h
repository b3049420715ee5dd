// Queries of requests for tables, files and trees, parsed once.
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

// A cache of parsed requests for tables, files and trees: the reactor and a worker both need the
// query, and parsing a file's name takes longer than sending the file.
class ParsedQueries {
 public:
  using Parsed = core::Result<std::shared_ptr<const ParsedQuery>>;

  // `definitions` must outlive this and stay unchanged.
  explicit ParsedQueries(const Definitions& definitions);

  // As ParseTunedQuery, ParseFileQuery and ParseTreeQuery. Safe from any thread.
  // `unlisted`: the table of that name, which no family describes.
  Parsed Table(const core::Family& family, Parameters parameters, std::string_view unlisted = {});
  Parsed File(std::string_view reader, std::string_view path, const Parameters& parameters);
  Parsed Tree(std::string_view reader, const Parameters& parameters);

 private:
  const Definitions& definitions_;
  Kept<ParsedQuery> queries_;
};

}  // namespace tunehub::server
