// Reads jobs from JSON requests, and writes them as JSON answers.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/read_json.h"
#include "core/base/result.h"
#include "server/answers/route.h"
#include "server/queue/job_store.h"
#include "server/queue/queue.h"

namespace tunehub::server {

// Returns the job with its shapes, or only with their number.
nlohmann::ordered_json JobJson(const QueueServices& services, const JobRecord& job,
                               bool with_shapes = true);
http::Response JobAnswer(const QueueServices& services, const core::Result<JobRecord>& job);
// {"epoch","expires","seconds"}; null without a holder. `seconds` is the length of the whole lease,
// not the rest of it, because the clocks of client and server may differ.
nlohmann::ordered_json LeaseJson(const QueueServices& services, const JobRecord& job);

// Enough for a job with kMaxJobShapes shapes and their longest values.
inline constexpr std::size_t kMaxJobBodyBytes = 1024 * 1024;
inline constexpr std::size_t kMaxAgentBytes = 128;
inline constexpr std::size_t kMaxCampaignBytes = 128;
inline constexpr int kMaxPriority = 1000;

std::string AgentName(core::JsonObject& body);
// Returns the agent's instance; "": the agent's name identifies the agent.
std::string AgentInstance(core::JsonObject& body);
// Returns kTune (the default) or kVerify.
std::string PurposeOf(core::JsonObject& body);
// Returns the member "shapes" if it has 1 to kMaxJobShapes shapes. Otherwise returns null and adds
// an error.
const nlohmann::json* ShapeList(core::JsonObject& body);

}  // namespace tunehub::server
