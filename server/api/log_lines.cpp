#include "server/api/log_lines.h"

#include <fmt/core.h>

#include <chrono>

#include "server/http/correlation.h"
#include "server/log/log.h"

namespace tunehub::api {
namespace {

void AddKey(log::LineFields& fields, std::int64_t key) {
  if (key != 0) fields.push_back({"key", key});
}

}  // namespace

void LogAccess(const http::Answered& answered) {
  const std::chrono::duration<double, std::milli> took =
      std::chrono::steady_clock::now() - answered.asked.arrived;
  log::LineFields fields = http::LogFields(answered.asked);
  fields.push_back({"status", std::int64_t{answered.status}});
  fields.push_back({"bytes", static_cast<std::int64_t>(answered.bytes)});
  fields.push_back({"ms", took.count()});
  AddKey(fields, answered.api_key);
  log::Say(spdlog::level::info, "access", "", fields);
}

bool IsAudited(const Endpoint& route) {
  return route.method != "GET" && (route.scope == "submit" || route.scope == "admin");
}

void LogAudit(const Endpoint& route, const http::Request& request, const http::Response& response) {
  const std::string action = fmt::format("{} {}", route.method, route.pattern);
  log::LineFields fields = http::LogFields(request);
  fields.push_back({"action", action});
  fields.push_back({"status", std::int64_t{response.status}});
  AddKey(fields, response.api_key);
  log::Say(spdlog::level::info, "audit", "", fields);
}

}  // namespace tunehub::api
