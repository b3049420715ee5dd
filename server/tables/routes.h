// The tuned tables as they are served, in each of their forms.
#pragma once

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

// GET /tuned/{family} without a thread change: what the reactor can answer from memory. Nothing
// where the request is another one, is wrong, or its answer is not in memory.
std::optional<http::Response> FastTuned(const TableServices& services,
                                        const http::Request& request);
// The same of GET /files and GET /tree.
std::optional<http::Response> FastFile(const TableServices& services, const http::Request& request);

// What was made for a query: its bytes, or that they have not changed.
http::Response AnswerServed(const http::RequestHead& head, const Served& served, Encoding encoding);

}  // namespace tunehub::server
