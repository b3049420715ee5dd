#include "agent/http/url.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/base/ascii.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

constexpr std::string_view kPlain = "http://", kTls = "https://";
constexpr int kMostPort = 65535;

core::Error BadUrl(std::string reason) {
  return {"bad_url", std::move(reason)};
}

// What no address holds: whatever it is meant for, it would be sent as something else.
std::optional<core::Error> Unwanted(std::string_view rest) {
  struct Mark {
    char mark;
    const char* reason;
  };
  constexpr Mark kMarks[] = {{'?', "a query in it"},
                             {'#', "a fragment in it"},
                             {'@', "a user name in it; a key goes by --key"}};
  for (const Mark& it : kMarks) {
    if (rest.find(it.mark) != std::string_view::npos) return BadUrl(it.reason);
  }
  const bool odd = std::ranges::any_of(
      rest, [](char c) { return c == ' ' || c == '\\' || c == '"' || core::IsControl(c); });
  if (odd) return BadUrl("a character in it that no address has");
  return std::nullopt;
}

// "hub", "hub:8080", "[::1]:8080" into host and port.
core::Status SplitOrigin(Url& url) {
  std::string_view rest = url.origin;
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return BadUrl("a '[' without its ']'");
    url.host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  } else {
    url.host = rest.substr(0, rest.find(':'));
    rest.remove_prefix(url.host.size());
  }
  if (url.host.empty()) return BadUrl("no host in it");
  if (rest.empty()) return core::Ok();
  const std::string port(rest.substr(1));
  const auto number = core::ParseInt(port);
  if (!rest.starts_with(':') || !number || *number < 1 || *number > kMostPort) {
    return BadUrl("'" + port + "' is no port");
  }
  url.port = port;
  return core::Ok();
}

}  // namespace

std::string Url::OfOtherScheme() const {
  return std::string(tls ? kPlain : kTls) + origin + prefix;
}

std::string Url::Normal() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return std::string(tls ? kTls : kPlain) + (is_v6 ? "[" : "") + core::Lower(host) +
         (is_v6 ? "]:" : ":") + port + prefix;
}

core::Result<Url> ParseUrl(const std::string& text) {
  const std::string scheme = core::Lower(text.substr(0, text.find("//"))) + "//";
  Url url;
  url.tls = scheme == kTls;
  if (!url.tls && scheme != kPlain) return BadUrl("neither http:// nor https://");
  const std::string_view rest = std::string_view(text).substr(scheme.size());
  if (const auto unwanted = Unwanted(rest)) return *unwanted;
  const std::size_t path = std::min(rest.find('/'), rest.size());
  url.origin = rest.substr(0, path);
  url.prefix = rest.substr(path);
  while (url.prefix.ends_with('/')) url.prefix.pop_back();
  url.port = url.tls ? "443" : "80";
  if (const auto split = SplitOrigin(url); !split.ok()) return split.error();
  return url;
}

}  // namespace tunehub::agent
