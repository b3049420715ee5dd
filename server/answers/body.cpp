#include "server/answers/body.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace tunehub::server {

void ReadBody(RequestQuery& query, const http::Request& request, std::size_t limit,
              const std::function<void(core::JsonObject&, core::JsonErrors&)>& read) {
  const std::string text = DecodedBody(query, request, limit);
  if (!query.ok()) return;
  core::JsonErrors errors("body", "bad_request_body");
  const nlohmann::json json = core::ParseJson(text, errors);
  if (errors.any()) return query.Fail(errors.first());
  core::JsonObject body(json, "", errors);
  read(body, errors);
  body.Finish();
  if (errors.any()) query.Fail(errors.first());
}

std::string PlainText(core::JsonObject& body, const std::string& member, std::size_t limit,
                      bool required) {
  std::string text = required ? body.Text(member) : body.Text(member, "");
  if (text.size() > limit || core::HoldsControl(text) || (required && text.empty())) {
    body.Fail(member, fmt::format("must be {} to {} bytes without control characters, but is '{}'",
                                  required ? 1 : 0, limit, core::Excerpt(text)));
  }
  return text;
}

std::int64_t BoundedInteger(core::JsonObject& body, const std::string& member,
                            std::int64_t fallback, std::int64_t min, std::int64_t max) {
  const std::int64_t value = body.Integer(member, fallback);
  if (value < min || value > max) {
    body.Fail(member, fmt::format("must be {1} to {2}, but is {0}", value, min, max));
  }
  return value;
}

}  // namespace tunehub::server
