#include "server/http/request.h"

namespace tunehub::http {
namespace {

std::optional<std::string_view> First(const Fields& fields, std::string_view name) {
  for (const auto& [key, value] : fields) {
    if (key == name) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> RequestHead::Header(std::string_view name) const {
  return First(headers, name);
}

std::optional<std::string_view> RequestHead::Query(std::string_view name) const {
  return First(query, name);
}

}  // namespace tunehub::http
