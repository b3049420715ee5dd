#include "server/http/hosts.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

#include "core/base/text.h"
#include "server/http/address.h"
#include "server/http/refusals.h"

namespace tunehub::http {
namespace {

constexpr int kMisdirected = 421;
// Every host name may request these paths, because monitors use any name for the server. The
// answers contain only counts.
constexpr std::array<std::string_view, 3> kAnyName = {"/healthz", "/readyz", "/metrics"};
constexpr std::size_t kHostNameBytes = 256;

// Returns the name in lower case, without port and final dot. Returns nothing if the text is not
// NAME or NAME:PORT.
std::optional<std::string> NameOf(std::string_view authority) {
  const std::size_t colon = std::min(authority.find(':'), authority.size());
  std::string_view name = authority.substr(0, colon), port = authority.substr(colon);
  if (name.ends_with('.')) name.remove_suffix(1);
  const bool is_one = !name.empty() && core::HoldsOnly(name, "-._") &&
                      port.find_first_not_of("0123456789", 1) == port.npos;
  return is_one ? std::optional(core::Lower(name)) : std::nullopt;
}

// Returns the machine's name, and its other names in the same line of /etc/hosts. Does not use DNS,
// because DNS may hang.
std::vector<std::string> OwnNames() {
  std::array<char, kHostNameBytes> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  std::vector<std::string> own = {core::Lower(std::string_view(name.data()))};
  std::ifstream file("/etc/hosts");
  for (std::string line; std::getline(file, line);) {
    const std::string lower = core::Lower(std::string_view(line).substr(0, line.find('#')));
    const auto words = core::SplitAt(lower, " \t");
    if (std::ranges::find(words, own.front()) == words.end()) continue;
    own.insert(own.end(), words.begin() + 1, words.end());
  }
  return own;
}

}  // namespace

core::Result<HostNames> HostNames::Parse(std::string_view list) {
  HostNames hosts;
  hosts.all_ = false;
  hosts.names_ = {"localhost"};
  for (std::string& name : OwnNames()) hosts.names_.insert(std::move(name));
  for (const std::string_view part : core::SplitAt(list, ",")) {
    const std::string_view name = core::Trim(part);
    const auto host = NameOf(name);
    if (name == "*") {
      hosts.all_ = true;
    } else if (host && name.find(':') == name.npos) {
      hosts.names_.insert(*host);
    } else if (!core::Trim(list).empty()) {
      return core::Error{
          "bad_hosts",
          fmt::format("'{}': expected a host name without a port, such as hub.example", name)};
    }
  }
  return hosts;
}

std::optional<Response> HostNames::Refusal(std::string_view path,
                                           std::optional<std::string_view> authority) const {
  if (!authority || ParseNode(*authority)) return std::nullopt;
  const auto host = NameOf(*authority);
  if (!host) return BadRequest("bad_host", "A request's host must be HOST or HOST:PORT.");
  if (all_ || names_.contains(*host)) return std::nullopt;
  if (std::ranges::find(kAnyName, path) != kAnyName.end()) return std::nullopt;
  return Problem(
      kMisdirected, "unknown_host",
      fmt::format("'{}' is not a known name of this server. If clients use this name, start the "
                  "server with --host {}, or add the name to the setting `host`.",
                  core::Excerpt(*host), core::Excerpt(*host)));
}

}  // namespace tunehub::http
