// A request target, "/tuned/x?gfx=gfx942&gfx=gfx950", taken apart and decoded.
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
  // "hub:8080" of the absolute form; it counts in place of Host (RFC 9112 3.2.2).
  std::optional<std::string_view> authority = std::nullopt;

  bool operator==(const RequestTarget&) const = default;
};

// Accepts origin-form and absolute-form. Splits the query on '&' only (';' belongs to values).
// There '+' is a space, as browsers write it; in the path it is itself. Errors, with the position
// in `raw`, of which the authority is a part: bad_target for a malformed escape, a control
// character in the path, bytes that are no UTF-8, a fragment; bad_parameter, with its name, for a
// control character in a parameter.
core::Result<RequestTarget> ParseTarget(std::string_view raw);

}  // namespace tunehub::http
