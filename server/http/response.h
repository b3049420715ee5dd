// One HTTP answer. Its body is shared and immutable, so that a cached table is sent without a copy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "server/http/request.h"

namespace tunehub::http {

struct Response {
  int status = 200;
  // Content-Type, ETag, ... The listener adds Date, Content-Length, Connection, X-Request-Id.
  Fields headers;
  // Null: empty. A large body that is answered again is best the same object, not an equal one.
  std::shared_ptr<const std::string> body;
  std::int64_t api_key = 0;  // of whom it is for, where that is known: for the log
  int refusal = 0;           // what the program counts it as, where it refuses; 0: as nothing
  bool may_change = false;   // admit's refusal, which may soon be otherwise: Callbacks::admit
};

Response TextResponse(int status, std::string_view content_type, std::string body);
Response JsonResponse(int status, std::string json);

// application/problem+json (RFC 9457): {"type","title","status","code","detail", ...}.
// `extra_members` is either empty or the inside of a JSON object to append: "\"allowed\":[\"a\"]".
Response Problem(int status, std::string_view code, std::string_view detail,
                 std::string_view extra_members = {});

// The standard reason phrase; "Unknown" for a status that has none.
std::string_view ReasonPhrase(int status);

}  // namespace tunehub::http
