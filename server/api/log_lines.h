// Lines of the log that say who asked for what: of every answer, and of every write.
#pragma once

#include "server/api/route.h"
#include "server/http/listener.h"

namespace tunehub::api {

// Of an answer that is about to be sent.
void LogAccess(const http::Answered& answered);

// Whether a request to that route is a write that somebody may want to be told of later: what an
// agent does over and over while it works, claims and heartbeats, is none.
bool IsAudited(const Endpoint& route);
// Of a write that was carried out or refused by its handler.
void LogAudit(const Endpoint& route, const http::Request& request, const http::Response& response);

}  // namespace tunehub::api
