// Checks a request's API key or the user whom a proxy names, and makes the answer for a refusal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "server/db/writer.h"
#include "server/http/message.h"
#include "server/keys/keys.h"
#include "server/keys/sign_in.h"

namespace tunehub::server {

// Refuses a request whose API key lacks the scope of the route ("": needs no key). A request
// without a key may be of a user, who has the scope read. Answers from memory only, before the
// listener reads the body. Sets may_change if the API key may be new.
std::optional<http::Response> KeyRefusal(Keys& keys, const SignIn& sign_in,
                                         const http::RequestHead& head, const std::string& scope);

// Returns the id of the request's API key, whatever its scope. Absent without a valid key.
std::optional<std::int64_t> KeyOf(const Keys& keys, const http::RequestHead& head);

// Records the use of the API key and returns its holder. If the route needs no key, returns an
// anonymous holder. A user is a holder without a key.
std::variant<Writer, http::Response> UseKey(Keys& keys, const SignIn& sign_in,
                                            const http::Request& request, const std::string& scope);

}  // namespace tunehub::server
