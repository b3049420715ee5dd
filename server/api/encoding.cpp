#include "server/api/encoding.h"

#include <algorithm>

#include "core/system/gzip.h"
#include "server/service/tables/table_bytes.h"

namespace tunehub::api {
namespace {

constexpr std::size_t kSmallest = 1400;  // one segment: packed it is not sooner there

std::string_view HeaderOf(const http::Response& response, std::string_view name) {
  const auto found = std::find_if(response.headers.begin(), response.headers.end(),
                                  [&](const auto& field) { return field.first == name; });
  return found == response.headers.end() ? std::string_view() : found->second;
}

}  // namespace

bool AcceptsGzip(const http::RequestHead& head) {
  return service::Accepts(head.Header("accept-encoding").value_or(""), service::Encoding::kGzip);
}

void Pack(const http::RequestHead& head, http::Response& response) {
  if (response.status != 200 || !response.body || response.body->size() < kSmallest ||
      !HeaderOf(response, "Content-Type").starts_with("application/json") ||
      !HeaderOf(response, "Vary").empty()) {
    return;
  }
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (!AcceptsGzip(head)) return;
  response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = std::make_shared<const std::string>(core::Gzip(*response.body));
}

}  // namespace tunehub::api
