#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/daemon/job_tuner.h"
#include "agent/hub/hub_client.h"
#include "build_info.h"
#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

// The hub's limit for a reason.
constexpr std::size_t kMostReasonBytes = 1000;
// The range of the hub's setting, in seconds. The agent would renew a shorter lease without a
// pause.
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
      return core::Error{
          "bad_answer",
          fmt::format("the hub's answer for this job has a lease of {} s; expected {} to {} s",
                      seconds, kShortestLease, kLongestLease)};
    }
    job.lease = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
    job.family = json.at("family").get<std::string>();
    job.created = json.value("created", "");
    job.verify = json.value("purpose", "tune") == "verify";
    if (json.contains("campaign") && json["campaign"].is_string()) {
      job.campaign = json["campaign"].get<std::string>();
    }
    for (const auto& shape : json.at("shapes")) {
      auto& texts = job.shapes.emplace_back();
      for (const auto& [column, value] : shape.get_ref<const nlohmann::json::object_t&>())
        texts[column] = value.is_number() ? value.dump() : value.get<std::string>();
    }
    return job;
  } catch (const nlohmann::json::exception& error) {
    return core::Error{"bad_answer",
                       fmt::format("the hub's answer for this job: {}", error.what())};
  }
}

// Members of every request about a job.
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

// The least pause, so that a lease of length 0 does not cause a loop without a pause.
constexpr std::chrono::milliseconds kLeastPause{50};
// The time within which an administrator can replace a key.
constexpr std::chrono::seconds kKeyPatience{60};
// The time after which a message repeats while its problem lasts. It is long, so that the log stays
// small.
constexpr std::chrono::hours kTroubleEvery{1};

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
                                                 bool verifies,
                                                 const std::vector<std::int64_t>& except) {
  nlohmann::json body = {{"agent", agent_.name},
                         {"instance", agent_.instance},
                         {"gfx", agent_.target.gfx},
                         {"cu_num", agent_.target.cu_num}};
  if (!families.empty()) body["families"] = families;
  if (verifies) body["verifies"] = true;
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

Lease::Lease(JobQueue& queue, const Job& job) : queue_(queue), job_(job) {
  thread_.Start([this] { Renew(); });
}

void Lease::SetProgress(std::size_t done, std::size_t total) {
  done_ = done;
  total_ = total;
}

std::optional<core::Status> Lease::TakeNews() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, std::nullopt);
}

void Lease::Renew() {
  const auto pause = std::max(job_.lease / 3, kLeastPause);
  while (thread_.Pause(pause)) {
    const auto status = queue_.Heartbeat(job_, done_, total_);
    {
      const std::lock_guard lock(mutex_);
      news_ = status;
    }
    if (!status.ok() && IsLost(status.error())) {
      lost_ = true;
      return;
    }
  }
}

void HubWatch::Say(const std::string& trouble, Clock::time_point now) {
  if (wrong_.empty() || now - said_ >= kTroubleEvery) {
    say_(trouble);
    said_ = now;
  }
  wrong_ = trouble;
}

core::Status HubWatch::Note(const core::Status& status) {
  if (status.ok() || IsLost(status.error())) {  // the hub's own answer
    if (!wrong_.empty()) say_("the hub answers again");
    wrong_.clear();
    refused_ = false;
    return core::Ok();
  }
  const auto now = now_();
  const core::Error& error = status.error();
  if (error.code == kTooLargeBetween) return core::Ok();  // smaller requests reach the hub
  if (error.code != kKeyRefused) {
    Say(error.detail, now);
    return core::Ok();
  }
  const std::string patience = fmt::format("{} s", kKeyPatience.count());
  if (!refused_) {
    refused_ = true;
    refused_since_ = now;
    wrong_.clear();  // so that the problem is logged at once, since it may end the daemon
  }
  if (now - refused_since_ < kKeyPatience) {
    Say(fmt::format("the hub refuses the API key: {}; if that lasts, the agent ends after {}",
                    error.detail, patience),
        now);
    return core::Ok();
  }
  wrong_ = fmt::format("the agent ends, because the hub refused its API key for {}: {}", patience,
                       error.detail);
  return core::Error{kKeyRefused, wrong_};
}

}  // namespace tunehub::agent
