// Routes of tuned tables in all their forms.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "server/answers/route.h"
#include "server/snapshots/changes.h"
#include "server/snapshots/dispatch_tables.h"
#include "server/tables/heuristics.h"
#include "server/tables/tuned_tables.h"

namespace tunehub::server {

struct TableServices : Services {
  TunedTables& tables;
  DispatchTables& dispatch_tables;
  Changes& changes;
  Heuristics& heuristics;
};

std::vector<Endpoint> BuildRoutes(const TableServices& services);
std::vector<Endpoint> FileRoutes(const TableServices& services);
std::vector<Endpoint> RowRoutes(const TableServices& services);
std::vector<Endpoint> TunedRoutes(const TableServices& services);

// Answers GET /tuned/{family}, /files and /tree on the reactor, from memory. Returns nothing for
// another request, for an invalid request, or if the answer is not in memory.
std::optional<http::Response> FastServed(const TableServices& services,
                                         const http::Request& request);

// Estimates how many rows an answer to these requests reads.
http::Cost TableCost(const TableServices& services);

// Serves the table, file or tree of `asked`. If it finds no row and the query names another family
// (ParsedQuery::other), serves the query that `other` returns.
using AskOther = std::function<ParsedQueries::Parsed(const ParsedQuery&)>;
http::Response ServeTable(const TableServices& services, const http::Request& request,
                          const ParsedQueries::Parsed& asked, const AskOther& other = {});

}  // namespace tunehub::server
