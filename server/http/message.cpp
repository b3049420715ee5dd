#include "server/http/message.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace tunehub::http {

namespace {

std::optional<std::string_view> First(const Fields& fields, std::string_view name) {
  for (const auto& [key, value] : fields) {
    if (key == name) return value;
  }
  return std::nullopt;
}

struct Phrase {
  int status;
  std::string_view text;
};

constexpr std::array kPhrases = std::to_array<Phrase>({
    {200, "OK"},
    {201, "Created"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
});
static_assert(std::ranges::is_sorted(kPhrases, {}, &Phrase::status));

// A problem document must be valid JSON, even if a client sent invalid text.
std::string JsonString(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::optional<std::string_view> RequestHead::Header(std::string_view name) const {
  return First(headers, name);
}

std::optional<std::string_view> RequestHead::Query(std::string_view name) const {
  return First(query, name);
}

std::string_view ReasonPhrase(int status) {
  const auto found = std::ranges::lower_bound(kPhrases, status, {}, &Phrase::status);
  return found != kPhrases.end() && found->status == status ? found->text : "Unknown";
}

Response TextResponse(int status, std::string_view content_type, std::string body) {
  return Response{.status = status,
                  .headers = {{"Content-Type", std::string(content_type)}},
                  .body = std::make_shared<const std::string>(std::move(body))};
}

Response JsonResponse(int status, std::string json) {
  return TextResponse(status, "application/json", std::move(json));
}

Response Problem(int status, std::string_view code, std::string_view detail,
                 std::string_view extra_members) {
  std::string json =
      fmt::format(R"({{"type":"about:blank","title":{},"status":{},"code":{},"detail":{})",
                  JsonString(ReasonPhrase(status)), status, JsonString(code), JsonString(detail));
  if (!extra_members.empty()) json.append(",").append(extra_members);
  json += '}';
  return TextResponse(status, "application/problem+json", std::move(json));
}

}  // namespace tunehub::http
