// Routes of missed shapes, of the jobs that tune them, and of agents.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/read_json.h"
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

// With the shapes, or with their number.
nlohmann::ordered_json JobJson(const QueueServices& services, const JobRecord& job,
                               bool with_shapes = true);
http::Response JobAnswer(const QueueServices& services, const core::Result<JobRecord>& job);
// {"epoch","expires","seconds"}; null without a holder. `seconds` is the lease's whole length,
// because client and server clocks may differ.
nlohmann::ordered_json LeaseJson(const QueueServices& services, const JobRecord& job);

// Bodies of the queue's requests are JSON, read strictly: unknown members are errors.

// Limit of agents' texts about themselves and their work.
inline constexpr std::size_t kMaxBodyBytes = 64 * 1024;
// Room for a job of the most shapes with their longest values.
inline constexpr std::size_t kMaxJobBodyBytes = 1024 * 1024;
inline constexpr std::size_t kMaxAgentBytes = 128;
inline constexpr std::size_t kMaxCampaignBytes = 128;
inline constexpr int kMaxPriority = 1000;

// Decodes and parses the body for `read`, unless `query` has an error. Errors: those of
// DecodedBody; bad_request_body with the JSON pointer of the wrong member.
void ReadBody(RequestQuery& query, const http::Request& request, std::size_t limit,
              const std::function<void(core::JsonObject&, core::JsonErrors&)>& read);

// Members of several bodies; errors go to the object's errors.
// A text of at most `limit` bytes without control characters.
std::string PlainText(core::JsonObject& body, const std::string& member, std::size_t limit,
                      bool required);
std::string AgentName(core::JsonObject& body);
// The instance; "": none, then the agent's name identifies it.
std::string AgentInstance(core::JsonObject& body);
// gfx or a product, and cu_num. cu_num may be absent (0) if `any_cu_num`, or if the product
// determines it.
core::Target TargetOf(const Services& services, core::JsonObject& body, bool any_cu_num);
// Tune or measure; tune is the default.
std::string PurposeOf(core::JsonObject& body);
// The member "shapes" with 1 to kMaxJobShapes shapes; else null and an error.
const nlohmann::json* ShapeList(core::JsonObject& body);
std::int64_t BoundedInteger(core::JsonObject& body, const std::string& member,
                            std::int64_t fallback, std::int64_t min, std::int64_t max);

}  // namespace tunehub::server
