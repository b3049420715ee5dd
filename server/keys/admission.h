// Checks a request's API key, and turns the verdict into an answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "server/db/writer.h"
#include "server/http/message.h"
#include "server/keys/keys.h"

namespace tunehub::server {

// Refuses a request whose key lacks the scope of its route ("" needs no key). Answers from memory
// alone, before the listener reads the body. Sets may_change if the key may be new.
std::optional<http::Response> KeyRefusal(Keys& keys, const http::RequestHead& head,
                                         const std::string& scope);

// The id of the request's key, whatever its scope. Absent without a valid key.
std::optional<std::int64_t> KeyOf(const Keys& keys, const http::RequestHead& head);

// Records the use of the key and returns its holder; an anonymous holder if the route needs no key.
std::variant<Writer, http::Response> UseKey(Keys& keys, const http::Request& request,
                                            const std::string& scope);

}  // namespace tunehub::server
