#include "agent/daemon/job_queue.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "agent/hub/problem.h"
#include "build_info.h"
#include "core/base/ascii.h"
#include "core/base/excerpt.h"
#include "core/base/json_integer.h"
#include "core/base/read_json.h"
#include "core/row/cell.h"

namespace tunehub::agent::daemon {
namespace {

// What the queue takes of a reason.
constexpr std::size_t kMostReasonBytes = 1000;
// Seconds, as far as a hub can be set: a shorter lease is renewed without an end.
constexpr double kShortestLease = 0.1, kLongestLease = 24 * 3600;

Request PostRequest(const std::string& path, const std::string& body) {
  return {"POST", path, {{"Content-Type", "application/json"}}, body};
}

core::Result<Job> JobOf(const std::string& body) {
  try {
    const auto json = core::SureJson(body);
    Job job;
    job.id = core::SureInteger(json.at("id"), 1);
    job.epoch = core::SureInteger(json.at("lease").at("epoch"), 1);
    const double seconds = json.at("lease").at("seconds").get<double>();
    if (!(seconds >= kShortestLease && seconds <= kLongestLease)) {
      return core::Error{"bad_answer",
                         fmt::format("the hub's job: a lease of {} s is not within {}..{}", seconds,
                                     kShortestLease, kLongestLease)};
    }
    job.lease = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    job.family = json.at("family").get<std::string>();
    job.created = json.value("created", "");
    job.measure = json.value("purpose", "tune") == "measure";
    if (json.contains("campaign") && json["campaign"].is_string()) {
      job.campaign = json["campaign"].get<std::string>();
    }
    job.shapes = json.at("shapes").get<std::vector<std::map<std::string, std::string>>>();
    return job;
  } catch (const nlohmann::json::exception& error) {
    return core::Error{"bad_answer", fmt::format("the hub's job: {}", error.what())};
  }
}

// Its member of every request about a job.
nlohmann::json Claimed(const AgentId& agent, const Job& job) {
  return {{"agent", agent.name}, {"instance", agent.instance}, {"epoch", job.epoch}};
}

std::string ReasonText(const std::string& reason) {
  std::string text(core::Excerpt(reason, kMostReasonBytes));
  for (char& c : text) c = core::IsControl(c) ? ' ' : c;
  return text;
}

std::string TextOf(const nlohmann::json& body) {
  return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string Path(const Job& job, const char* what) {
  return fmt::format("/jobs/{}/{}", job.id, what);
}

}  // namespace

bool IsLost(const core::Error& error) {
  return error.code == "lease_lost" || error.code == "unknown_job";
}

core::Status JobQueue::Post(const std::string& path, const std::string& body) {
  const auto answer = SendWithRetries(hub_, PostRequest(path, body), policy_, Pauses::Real());
  if (!answer.ok()) return answer.error();
  if (answer->status >= 200 && answer->status < 300) return core::Ok();
  return HubErrorOf(ProblemOf(*answer));
}

core::Status JobQueue::Register(const std::string& doing) {
  const nlohmann::json body = {{"agent", agent_.name},           {"gfx", agent_.target.gfx},
                               {"cu_num", agent_.target.cu_num}, {"host", agent_.host},
                               {"version", TUNEHUB_VERSION},     {"doing", doing},
                               {"instance", agent_.instance}};
  return Post("/agents", body.dump());
}

core::Result<std::optional<Job>> JobQueue::Claim(const std::vector<std::string>& families,
                                                 bool measures,
                                                 const std::vector<std::int64_t>& except) {
  nlohmann::json body = {{"agent", agent_.name},
                         {"instance", agent_.instance},
                         {"gfx", agent_.target.gfx},
                         {"cu_num", agent_.target.cu_num}};
  if (!families.empty()) body["families"] = families;
  if (measures) body["measures"] = true;
  if (!except.empty()) body["except"] = except;
  const auto answer =
      SendWithRetries(hub_, PostRequest("/jobs/claim", body.dump()), policy_, Pauses::Real());
  if (!answer.ok()) return answer.error();
  if (answer->status == 204) return std::optional<Job>();
  if (answer->status != 200) return HubErrorOf(ProblemOf(*answer));
  auto job = JobOf(answer->body);
  if (!job.ok()) return job.error();
  return std::optional<Job>(*std::move(job));
}

core::Status JobQueue::Heartbeat(const Job& job, std::size_t done, std::size_t total) {
  nlohmann::json body = Claimed(agent_, job);
  body["progress"] = {{"done", done}, {"total", total}};
  return Post(Path(job, "heartbeat"), body.dump());
}

core::Status JobQueue::Complete(const Job& job, const std::string& run) {
  nlohmann::json body = Claimed(agent_, job);
  if (const auto id = core::ParseInt64(run)) body["run"] = *id;
  return Post(Path(job, "complete"), body.dump());
}

core::Status JobQueue::Fail(const Job& job, const std::string& reason, bool park) {
  nlohmann::json body = Claimed(agent_, job);
  body["reason"] = reason.empty() ? "no reason was given" : ReasonText(reason);
  body["park"] = park;
  return Post(Path(job, "fail"), TextOf(body));
}

core::Status JobQueue::Release(const Job& job, const std::string& reason) {
  nlohmann::json body = Claimed(agent_, job);
  if (!reason.empty()) body["reason"] = ReasonText(reason);
  return Post(Path(job, "release"), TextOf(body));
}

}  // namespace tunehub::agent::daemon
