// JSON bodies of the queue's requests, read strictly: every member is asked for, others are errors.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/json_object.h"
#include "core/base/result.h"
#include "core/shapes/shape.h"
#include "server/api/route.h"
#include "server/http/request.h"
#include "server/service/queue/records.h"

namespace tunehub::api {

// What agents say about themselves and their work is for people: longer texts are mistakes.
inline constexpr std::size_t kMaxBodyBytes = 64 * 1024;
// A job of the most shapes there may be, with their longest values.
inline constexpr std::size_t kMaxJobBodyBytes = 1024 * 1024;
inline constexpr std::size_t kMaxAgentBytes = 128;
inline constexpr std::size_t kMaxCampaignBytes = 128;
inline constexpr int kMaxPriority = 1000;

// Decodes and parses the body and hands it to `read`. Errors: those of DecodedBody, and
// bad_request_body with the member's JSON pointer for whatever `read` finds wrong.
core::Status ReadBody(const http::Request& request, std::size_t limit,
                      const std::function<void(core::JsonObject&, core::JsonErrors&)>& read);
core::Status ReadBody(const http::Request& request, std::size_t limit,
                      const std::function<void(core::JsonObject&)>& read);

// Members that several bodies have. What is wrong is added to the object's errors.
// Text of at most `limit` bytes without control characters.
std::string PlainText(core::JsonObject& body, const std::string& member, std::size_t limit,
                      bool required);
std::string AgentName(core::JsonObject& body);
// "" where an agent says none: then its name stands for it.
std::string AgentInstance(core::JsonObject& body);
// gfx, or a product in its place, and cu_num, which may be absent (0) where `any_cu_num`, and where
// the product says it.
core::Target TargetOf(const Services& services, core::JsonObject& body, bool any_cu_num);
// agent, instance and epoch.
service::Lease LeaseOf(core::JsonObject& body, std::int64_t job, const Caller& caller);
// The member "shapes", of 1 to kMaxJobShapes; null, and an error, where it is anything else.
const nlohmann::json* ShapesOf(core::JsonObject& body);
std::int64_t BoundedInteger(core::JsonObject& body, const std::string& member,
                            std::int64_t fallback, std::int64_t min, std::int64_t max);

}  // namespace tunehub::api
