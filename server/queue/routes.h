// What was missed, the jobs that tune it, and the agents that do them.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/json_object.h"
#include "core/base/result.h"
#include "core/shapes/shape.h"
#include "server/answers/parameters.h"
#include "server/answers/route.h"
#include "server/http/message.h"
#include "server/queue/queue.h"

namespace tunehub::server {

struct QueueServices : Services {
  Queue& queue;
};

std::vector<Endpoint> DemandRoutes(const QueueServices& services);
std::vector<Endpoint> JobRoutes(const QueueServices& services);
std::vector<Endpoint> LeaseRoutes(const QueueServices& services);

// With its shapes, or with their number.
nlohmann::ordered_json JobJson(const QueueServices& services, const JobRecord& job,
                               bool with_shapes = true);
http::Response JobAnswer(const QueueServices& services, const core::Result<JobRecord>& job);
// {"epoch","expires","seconds"}; null where nobody holds it. `seconds` is a lease's whole length: a
// client's clock is not compared with the server's.
nlohmann::ordered_json LeaseJson(const QueueServices& services, const JobRecord& job);

// JSON bodies of the queue's requests, read strictly: every member is asked for, others are errors.

// What agents say about themselves and their work is for people: longer texts are mistakes.
inline constexpr std::size_t kMaxBodyBytes = 64 * 1024;
// A job of the most shapes there may be, with their longest values.
inline constexpr std::size_t kMaxJobBodyBytes = 1024 * 1024;
inline constexpr std::size_t kMaxAgentBytes = 128;
inline constexpr std::size_t kMaxCampaignBytes = 128;
inline constexpr int kMaxPriority = 1000;

// Decodes and parses the body and hands it to `read`, unless `query` has an error. Errors: those of
// DecodedBody, and bad_request_body with the member's JSON pointer for whatever `read` finds wrong.
void ReadBody(RequestQuery& query, const http::Request& request, std::size_t limit,
              const std::function<void(core::JsonObject&, core::JsonErrors&)>& read);

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
// Tune or measure; tune where the body says none.
std::string PurposeOf(core::JsonObject& body);
// The member "shapes", of 1 to kMaxJobShapes; null, and an error, where it is anything else.
const nlohmann::json* ShapeList(core::JsonObject& body);
std::int64_t BoundedInteger(core::JsonObject& body, const std::string& member,
                            std::int64_t fallback, std::int64_t min, std::int64_t max);

}  // namespace tunehub::server
