#include "server/http/outgoing.h"

#include <charconv>
#include <ctime>
#include <utility>

#include "core/base/text.h"

namespace tunehub::http {
namespace {

// Security headers of every answer, including the transport's refusals, because a browser may run
// the content that it receives.
struct SecurityHeader {
  std::string_view name, value;
};
constexpr SecurityHeader kSecurityHeaders[] = {
    // A browser must not guess that a table is a script.
    {"X-Content-Type-Options", "nosniff"},
    // URLs contain models and customers' shapes. A link must not reveal them to another host.
    {"Referrer-Policy", "no-referrer"},
    // If a browser opens an answer as a page, the page runs, loads and sends nothing, and no other
    // page can frame it. The dashboard's page replaces this policy with its own.
    {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
};

bool Has(const Fields& fields, std::string_view name) {
  return std::ranges::any_of(
      fields, [&](const auto& field) { return core::IsSameButForCase(field.first, name); });
}

// Appends the security headers that `given`, the answer's own headers, lacks. `hsts`: how long
// browsers must use only HTTPS for this host; 0 ends this rule. Absent over plain HTTP, because RFC
// 6797 forbids the header there.
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

void AppendNumber(std::string& out, std::size_t number) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

// "Sun, 06 Nov 1994 08:49:37 GMT". Each thread formats the date once a second. Formatting it for
// each answer would take as long as the rest of the head.
std::string_view HttpDate() {
  thread_local std::time_t second = -1;
  thread_local std::array<char, 32> text{};
  if (const std::time_t now = std::time(nullptr); now != second) {
    second = now;
    std::tm utc{};
    gmtime_r(&now, &utc);
    // Day and month are in English, because the process has the locale "C".
    std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
  }
  return text.data();
}

bool IsOurs(std::string_view name) {
  for (const std::string_view ours :
       {"Date", "Connection", "X-Request-Id", "Content-Length", "Transfer-Encoding"}) {
    if (core::IsSameButForCase(name, ours)) return true;
  }
  return false;
}

void AppendField(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ");
  const std::size_t start = out.size();
  out.append(value);
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(start), out.end(),
      [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  out += "\r\n";
}

bool MayHaveBody(int status) {
  return status >= 200 && status != 204 && status != 304;
}

}  // namespace

void Outgoing::Assign(Response response, const AnswerForm& form) {
  sent_ = 0;
  head_ = "HTTP/1.1 ";
  AppendNumber(head_, static_cast<std::size_t>(response.status));
  head_.append(" ").append(ReasonPhrase(response.status)).append("\r\n");
  for (const auto& [name, value] : response.headers) {
    if (!IsOurs(name)) AppendField(head_, name, value);
  }
  head_.append("Date: ").append(HttpDate()).append("\r\n");
  AppendField(head_, "X-Request-Id", form.request_id);
  if (!form.traceparent.empty()) AppendField(head_, "traceparent", form.traceparent);
  AppendSecurityHeaders(head_, response.headers, form.hsts);
  body_ = std::move(response.body);
  if (MayHaveBody(response.status)) {
    head_ += "Content-Length: ";
    AppendNumber(head_, body().size());
    head_ += "\r\n";
  } else {
    body_.reset();
  }
  if (!form.keep_alive) head_ += "Connection: close\r\n";
  if (form.keep_alive && form.http10) head_ += "Connection: keep-alive\r\n";
  head_ += "\r\n";
  if (form.head_only) body_.reset();
}

std::array<std::string_view, 2> Outgoing::Next(std::size_t limit) const {
  const std::size_t head_sent = std::min(sent_, head_.size());
  const std::string_view head = std::string_view(head_).substr(head_sent, limit);
  return {head, body().substr(sent_ - head_sent, limit - head.size())};
}

}  // namespace tunehub::http
