#include "server/http/security_headers.h"

#include <algorithm>
#include <string_view>

#include "core/base/ascii.h"

namespace tunehub::http {
namespace {

struct SecurityHeader {
  std::string_view name, value;
};
constexpr SecurityHeader kSecurityHeaders[] = {
    // No guess makes a script of a table.
    {"X-Content-Type-Options", "nosniff"},
    // Addresses name models and customers' shapes; nobody else's host learns them by a link.
    {"Referrer-Policy", "no-referrer"},
    // An answer that is opened as a page runs, loads and sends nothing, and is in nobody's frame.
    // The dashboard's page says what it needs in place of this.
    {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
};

bool Has(const Fields& fields, std::string_view name) {
  return std::ranges::any_of(
      fields, [&](const auto& field) { return core::IsSameButForCase(field.first, name); });
}

}  // namespace

void AppendSecurityHeaders(std::string& head, const Fields& given,
                           std::optional<std::chrono::seconds> hsts) {
  for (const SecurityHeader& header : kSecurityHeaders) {
    if (Has(given, header.name)) continue;
    head.append(header.name).append(": ").append(header.value).append("\r\n");
  }
  if (!hsts) return;
  head.append("Strict-Transport-Security: max-age=").append(std::to_string(hsts->count()));
  head += "\r\n";
}

}  // namespace tunehub::http
