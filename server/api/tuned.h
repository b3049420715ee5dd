// GET /tuned/{family} without a thread change: what the reactor can answer from memory.
#pragma once

#include <optional>

#include "server/api/services.h"
#include "server/http/request.h"
#include "server/http/response.h"

namespace tunehub::api {

// Nothing where the request is another one, is wrong, or its answer is not in memory.
std::optional<http::Response> FastTuned(const Services& services, const http::Request& request);

// The same of GET /files and GET /tree (files.cpp).
std::optional<http::Response> FastFile(const Services& services, const http::Request& request);

// What was made for a query: its bytes, or that they have not changed.
http::Response AnswerServed(const http::RequestHead& head, const service::Served& served,
                            service::Encoding encoding);
// The one that the request would rather have.
service::Encoding EncodingFor(const http::RequestHead& head);

// Marks an answer from the snapshot while the database is gone.
void WarnIfStale(const Services& services, http::Response& response);

}  // namespace tunehub::api
