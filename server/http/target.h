// Parses and decodes a request target, such as "/tuned/x?gfx=gfx942&gfx=gfx950".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "server/http/message.h"

namespace tunehub::http {

struct RequestTarget {
  std::string path;
  Fields query;
  // "hub:8080", from the absolute form of the target. It replaces the Host header (RFC 9112 3.2.2).
  std::optional<std::string_view> authority = std::nullopt;

  bool operator==(const RequestTarget&) const = default;
};

// Accepts origin-form and absolute-form. Splits the query only at '&'. A ';' belongs to a value. In
// the query, '+' means a space, as browsers write it. In the path it means '+'. Each error contains
// the position in `raw`, which includes the authority. Errors:
// - bad_target: a malformed escape, a control character in the path, bytes that are not UTF-8, a
//   fragment
// - bad_parameter, with the parameter's name: a control character in a parameter
core::Result<RequestTarget> ParseTarget(std::string_view raw);

}  // namespace tunehub::http
