#include "server/exports/reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/percent.h"
#include "core/base/read_json.h"

namespace tunehub::exports {

core::Result<http::Response> HubReader::Get(const std::string& path,
                                            const http::Fields& query) const {
  http::Request request;
  request.method = "GET";
  request.path = path;
  request.query = query;
  http::Response response = app_.Handle(request);
  if (response.body == nullptr) response.body = std::make_shared<const std::string>();
  if (response.status == 200) return response;
  const auto problem = core::ReadJson(*response.body);
  const auto text = [&](const char* name) {
    return problem.is_object() && problem.contains(name) ? problem[name].get<std::string>() : "";
  };
  return core::Error{text("code"), fmt::format("{}: {}", AddressOf(path, query), text("detail"))};
}

core::Result<nlohmann::ordered_json> HubReader::GetJson(const std::string& path,
                                                        const http::Fields& query) const {
  const auto response = Get(path, query);
  if (!response.ok()) return response.error();
  return core::SureJsonAs<nlohmann::ordered_json>(*response->body);
}

std::string AddressOf(const std::string& path, http::Fields query) {
  std::ranges::sort(query);
  std::string address = path;
  for (const auto& [name, value] : query) {
    address += fmt::format("{}{}={}", address.size() == path.size() ? "?" : "&",
                           core::PercentEncoded(name), core::PercentEncoded(value));
  }
  return address;
}

}  // namespace tunehub::exports
