// Whom a request comes from, and what it may: the keys' verdicts as answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "server/db/writer.h"
#include "server/http/message.h"
#include "server/keys/keys.h"

namespace tunehub::server {

// Why the request's key does not open a route of that scope, "" being open to all. From memory
// alone, before the body is read. One with may_change is of a key that may be new.
std::optional<http::Response> KeyRefusal(Keys& keys, const http::RequestHead& head,
                                         const std::string& scope);

// The id of the request's key, whatever it opens; nothing where none in force comes with it.
std::optional<std::int64_t> KeyOf(const Keys& keys, const http::RequestHead& head);

// The key's holder; its use is noted. Nobody in particular where no key is needed.
std::variant<Writer, http::Response> UseKey(Keys& keys, const http::Request& request,
                                            const std::string& scope);

}  // namespace tunehub::server
