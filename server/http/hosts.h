// The names by which clients may call the server (RFC 9110 7.4). A web page of an attacker can make
// its own name resolve to this server (DNS rebinding). The browser of the page's reader then sends
// that name as Host.
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
  // Allows the names in `list`, localhost, and the machine's own names. `list`: "hub.example, hub";
  // "*" (every name); or "". Errors: bad_hosts, with the part that is not a name.
  static core::Result<HostNames> Parse(std::string_view list);

  void Add(std::string_view name) { names_.emplace(name); }
  // Returns 400 for an `authority` that is not HOST or HOST:PORT, and 421 for a name that is not
  // allowed. Accepts any IP address, and any name on the paths of monitors. Also accepts an absent
  // authority, because HTTP/1.0 does not need one.
  std::optional<Response> Refusal(std::string_view path,
                                  std::optional<std::string_view> authority) const;

 private:
  bool all_ = true;
  std::set<std::string, std::less<>> names_;  // lower case
};

}  // namespace tunehub::http
