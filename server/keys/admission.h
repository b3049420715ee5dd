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

// Refuses a request whose key does not include the scope of its route ("" is open to all). Answers
// from memory alone, before the body is read. Sets may_change if the key may be a new one.
std::optional<http::Response> KeyRefusal(Keys& keys, const http::RequestHead& head,
                                         const std::string& scope);

// The id of the request's key, whatever the key's scope; absent without a valid key.
std::optional<std::int64_t> KeyOf(const Keys& keys, const http::RequestHead& head);

// Records the use of the key and returns the key's holder; an anonymous one if no key is needed.
std::variant<Writer, http::Response> UseKey(Keys& keys, const http::Request& request,
                                            const std::string& scope);

}  // namespace tunehub::server
