// The names by which clients may call the server (RFC 9110 7.4). An attacker's page can make its
// own name resolve to this server (DNS rebinding). Its reader's browser then sends that name as
// Host.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "server/http/message.h"

namespace tunehub::http {

class HostNames {
 public:
  HostNames() = default;  // every name
  // The names in `list`, localhost, and the machine's own. `list`: "hub.example, hub"; "*": every
  // name; or "". Error bad_hosts names the part that is no name.
  static core::Result<HostNames> Parse(std::string_view list);

  void Add(std::string_view name) { names_.emplace(name); }
  // 400 for an `authority` that is not HOST or HOST:PORT, 421 for a name that is not the server's.
  // Any IP address passes. On the paths of monitors, every name passes. Absent: HTTP/1.0 needs
  // none.
  std::optional<Response> Refusal(std::string_view path,
                                  std::optional<std::string_view> authority) const;

 private:
  bool all_ = true;
  std::set<std::string, std::less<>> names_;  // lower case
};

}  // namespace tunehub::http
