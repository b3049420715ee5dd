// Content-Encoding of answers that are made anew each time. Tables have their own, ready-made.
#pragma once

#include "server/http/request.h"
#include "server/http/response.h"

namespace tunehub::api {

bool AcceptsGzip(const http::RequestHead& head);

// Packs a JSON answer that is worth it, for a client that wants it so.
void Pack(const http::RequestHead& head, http::Response& response);

}  // namespace tunehub::api
