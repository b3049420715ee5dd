// One HTTP request for handlers: decoded, of limited size, and without types of a transport
// library.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tunehub::http {

using Fields = std::vector<std::pair<std::string, std::string>>;

// The part of a request that the log needs.
struct Asked {
  std::string method;  // "GET"; HEAD stays HEAD, and the listener drops the answer's body
  std::string path;    // percent-decoded, valid UTF-8, no NUL, starts with '/'
  // X-Request-Id: the client's if well formed (<= 64 of [A-Za-z0-9._-]), else a new one.
  std::string id;
  std::string traceparent;                        // the client's if well formed (W3C), else empty
  std::string peer;                               // "127.0.0.1": the sender's address
  std::chrono::steady_clock::time_point arrived;  // when the header was complete
};

// The part of a request that is known before its body arrives.
struct RequestHead : Asked {
  Fields query;  // decoded name=value pairs in their order, repeated names kept, split on '&' only
  Fields headers;        // as sent, names lower-cased
  std::string client;    // the client that limits count: the peer, or its network
  int route = kNoRoute;  // its index in Router::routes(), for metrics

  static constexpr int kNoRoute = -1;

  // The first header with that lower-case name.
  std::optional<std::string_view> Header(std::string_view name) const;
  // The first query parameter with that name.
  std::optional<std::string_view> Query(std::string_view name) const;
};

struct Request : RequestHead {
  std::string body;  // as sent (a Content-Encoding is still on), at most Limits::body_bytes
};

// One HTTP answer. Its body is shared and immutable, so the server sends a cached table without a
// copy.
struct Response {
  int status = 200;
  // Content-Type, ETag, ... The listener adds Date, Content-Length, Connection, X-Request-Id.
  Fields headers;
  // Null: empty. If the server sends a large body again, it should be the same object, not an equal
  // one.
  std::shared_ptr<const std::string> body;
  std::int64_t api_key = 0;  // the API key of the request, if known, for the log
  int refusal = 0;           // which metric counts this refusal; 0: none
  bool may_change = false;   // admit may soon answer differently; see Callbacks::admit
};

Response TextResponse(int status, std::string_view content_type, std::string body);
Response JsonResponse(int status, std::string json);

// application/problem+json (RFC 9457): {"type","title","status","code","detail", ...}.
// `extra_members` is either empty or the inside of a JSON object to append: "\"allowed\":[\"a\"]".
Response Problem(int status, std::string_view code, std::string_view detail,
                 std::string_view extra_members = {});

// The standard reason phrase; "Unknown" for a status without one.
std::string_view ReasonPhrase(int status);

}  // namespace tunehub::http
