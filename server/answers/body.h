// Reads JSON bodies of requests strictly: a member that the handler does not read is an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "core/base/read_json.h"
#include "server/answers/parameters.h"
#include "server/http/message.h"

namespace tunehub::server {

// Limit of a JSON body about agents, plans or jobs.
inline constexpr std::size_t kMaxBodyBytes = 64 * 1024;

// Decodes and parses the body, then calls `read`. Does nothing if `query` has an error. Errors:
// those of DecodedBody; bad_request_body with the JSON pointer of the wrong member.
void ReadBody(RequestQuery& query, const http::Request& request, std::size_t limit,
              const std::function<void(core::JsonObject&, core::JsonErrors&)>& read);

// Each function below reads a member that several kinds of body contain. It adds its errors to the
// object's errors.

// Reads a text of at most `limit` bytes without control characters.
std::string PlainText(core::JsonObject& body, const std::string& member, std::size_t limit,
                      bool required);
std::int64_t BoundedInteger(core::JsonObject& body, const std::string& member,
                            std::int64_t fallback, std::int64_t min, std::int64_t max);

}  // namespace tunehub::server
