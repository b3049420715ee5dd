// Jobs as JSON: what requests say of one, and what answers say.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/json_object.h"
#include "core/base/result.h"
#include "server/answers/route.h"
#include "server/queue/job_store.h"
#include "server/queue/queue.h"

namespace tunehub::server {

// With its shapes, or with their number.
nlohmann::ordered_json JobJson(const QueueServices& services, const JobRecord& job,
                               bool with_shapes = true);
http::Response JobAnswer(const QueueServices& services, const core::Result<JobRecord>& job);
// {"epoch","expires","seconds"}; null where nobody holds it. `seconds` is a lease's whole length: a
// client's clock is not compared with the server's.
nlohmann::ordered_json LeaseJson(const QueueServices& services, const JobRecord& job);

// A job of the most shapes there may be, with their longest values.
inline constexpr std::size_t kMaxJobBodyBytes = 1024 * 1024;
inline constexpr std::size_t kMaxAgentBytes = 128;
inline constexpr std::size_t kMaxCampaignBytes = 128;
inline constexpr int kMaxPriority = 1000;

std::string AgentName(core::JsonObject& body);
// "" where an agent says none: then its name stands for it.
std::string AgentInstance(core::JsonObject& body);
// Tune or measure; tune where the body says none.
std::string PurposeOf(core::JsonObject& body);
// The member "shapes", of 1 to kMaxJobShapes; null, and an error, where it is anything else.
const nlohmann::json* ShapeList(core::JsonObject& body);

}  // namespace tunehub::server
