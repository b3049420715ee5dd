// The tuned tables as they are served, in each of their forms.
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

// GET /tuned/{family}, /files and /tree without a thread change: what the reactor can answer from
// memory. Nothing where the request is another one, is wrong, or its answer is not in memory.
std::optional<http::Response> FastServed(const TableServices& services,
                                         const http::Request& request);

// The table, file or tree that `asked` is of; where `asked` names another family and there is no
// row, that of `other`.
using AskOther = std::function<ParsedQueries::Parsed(const ParsedQuery&)>;
http::Response ServeTable(const TableServices& services, const http::Request& request,
                          const ParsedQueries::Parsed& asked, const AskOther& other = {});

}  // namespace tunehub::server
