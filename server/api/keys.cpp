// What the key of a request is: for who has one, and wants to know it before using it.
#include <nlohmann/json.hpp>

#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"

namespace tunehub::api {
namespace {

http::Response GetOwnKey(const http::Request& request, const Caller& caller) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  const nlohmann::ordered_json json = {
      {"key", caller.api_key}, {"owner", caller.owner}, {"admin", caller.admin}};
  return http::JsonResponse(200, json.dump());
}

}  // namespace

std::vector<Endpoint> KeyRoutes(Services& /*services*/) {
  return {{"GET", "/keys/self",
           [](const auto& request, const auto&, const auto& caller) {
             return GetOwnKey(request, caller);
           },
           std::string(service::kAnyScope)}};
}

}  // namespace tunehub::api
