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
  std::string method;  // "GET"; "HEAD" stays "HEAD", and the listener drops the answer's body
  std::string path;    // percent-decoded, valid UTF-8, no NUL, starts with '/'
  // X-Request-Id: the client's id if it is well formed (IsRequestId), else a new id.
  std::string id;
  // the client's value if it is well formed (W3C), else empty
  std::string traceparent;
  std::string peer;                               // "127.0.0.1": the sender's address
  std::chrono::steady_clock::time_point arrived;  // when the header was complete
};

// The part of a request that is known before its body arrives.
struct RequestHead : Asked {
  Fields query;  // decoded name=value pairs in their order, repeated names kept, split on '&' only
  Fields headers;           // values as sent, names in lower case
  std::string client;       // the client for limits: the peer, or its network
  bool from_proxy = false;  // the sender of this connection is a trusted proxy
  int route = kNoRoute;     // the route's index in Router::routes(), for metrics

  static constexpr int kNoRoute = -1;

  // Returns the first header with that name in lower case.
  std::optional<std::string_view> Header(std::string_view name) const;
  // Returns the first query parameter with that name.
  std::optional<std::string_view> Query(std::string_view name) const;
};

struct Request : RequestHead {
  // the body as sent (still with its Content-Encoding), at most Limits::body_bytes
  std::string body;
};

// One HTTP answer. Its body is shared and immutable, so the server sends a cached table without a
// copy.
struct Response {
  int status = 200;
  // Content-Type, ETag, ... The listener adds Date, Content-Length, Connection, X-Request-Id.
  Fields headers;
  // Null: an empty body. To send a large body again, use the same object, not a copy.
  std::shared_ptr<const std::string> body;
  std::int64_t api_key = 0;  // the API key of the request, if known, for the log
  int refusal = 0;           // the metric that counts this refusal; 0: none
  bool may_change = false;   // true: admit may soon answer differently; see Callbacks::admit
};

Response TextResponse(int status, std::string_view content_type, std::string body);
Response JsonResponse(int status, std::string json);

// application/problem+json (RFC 9457): {"type","title","status","code","detail", ...}.
// `extra_members`: more members of the JSON object, such as "\"allowed\":[\"a\"]", or "".
Response Problem(int status, std::string_view code, std::string_view detail,
                 std::string_view extra_members = {});

// Returns the standard reason phrase, or "Unknown" for a status without one.
std::string_view ReasonPhrase(int status);

}  // namespace tunehub::http
