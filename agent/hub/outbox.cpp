#include "agent/hub/outbox.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <tuple>

#include "core/base/archive.h"
#include "core/base/process.h"
#include "core/base/read_json.h"
#include "core/base/text.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

// So a request stays far below the hub's limits: body 64 MiB, rows 100,000.
constexpr std::size_t kMaxShapesPerPost = 10'000;
// The most waiting posts, about 200 MB. They are enough to follow a log while the hub is
// unreachable for hours. If more posts wait, the sender drops the oldest demand and reports the
// number.
constexpr std::size_t kMaxWaitingPosts = 100;
// The least size of a body to compress. For smaller bodies, gzip saves less than a packet.
constexpr std::size_t kGzipFrom = 1400;
// The part of an answer that the spool keeps beside a refused batch.
constexpr std::size_t kKeptAnswerBytes = 64 * 1024;

// Refusals that are final if they come from the hub, not from a proxy. 401 and 403 are not final,
// since the next try may have another key.
bool IsFinalRefusal(int status) {
  constexpr int kFinal[] = {400, 404, 405, 409, 410, 411, 413, 414, 415, 422, 431};
  return std::find(std::begin(kFinal), std::end(kFinal), status) != std::end(kFinal);
}

Request ResultsRequest(const Batch& batch, const std::string& run_id) {
  Parameters parameters;
  if (!run_id.empty()) parameters.emplace_back("run", run_id);
  if (batch.header.atomic) parameters.emplace_back("atomic", "1");
  Request request{
      "POST",
      WithQuery("/results/" + batch.header.family, parameters),
      {{"Content-Type", batch.header.content_type}, {"Idempotency-Key", batch.header.key}},
      batch.body};
  if (batch.body.size() >= kGzipFrom) {
    request.body = core::Gzip(batch.body);
    request.headers.emplace_back("Content-Encoding", "gzip");
  }
  return request;
}

// The id in the answer to POST /runs: a number or a text.
std::string RunId(const Answer& answer) {
  const auto json = core::ReadJson(answer.body);
  if (!json.is_object() || !json.contains("id")) return "";
  return json["id"].is_string() ? json["id"].get<std::string>() : json["id"].dump();
}

SendOutcome Waiting(core::Error error) {
  return {SendOutcome::Kind::kWaiting, {}, {}, std::move(error)};
}

// Returns a shape's own columns. (The post contains the target once.)
nlohmann::json ShapeJson(const core::MissShape& shape) {
  nlohmann::json object = {{"count", shape.count}};
  for (std::size_t i = 0; i < shape.cells.size(); ++i) {
    const std::string& name = shape.family->untuned_columns[i];
    const core::Column& column = shape.family->columns[shape.family->Find(name)];
    if (column.role == core::Role::kTarget) continue;
    // An empty device is a value. Other empty cells are left out.
    const bool says = !shape.cells[i].empty() || column.role == core::Role::kDevice;
    if (says) object[column.name] = shape.cells[i];
  }
  return object;
}

std::uint64_t Number(const nlohmann::json& answer, const char* member) {
  const auto found = answer.find(member);
  return found != answer.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

constexpr char kSpoolInUse[] = "spool_in_use";

bool IsGone(const std::filesystem::path& path) {
  std::error_code error;
  return !std::filesystem::exists(path, error);
}

void AddBounded(std::vector<std::string>& messages, const std::string& message) {
  if (messages.size() >= kMostMessages) messages.erase(messages.begin());
  messages.push_back(message);
}

}  // namespace

core::Result<Answer> BatchSender::PostRun(const NewRun& run) {
  const Request request{"POST",
                        "/runs",
                        {{"Content-Type", "application/json"}, {"Idempotency-Key", run.key}},
                        run.provenance.dump()};
  return SendWithRetries(hub_, request, policy_, pauses_);
}

core::Result<Answer> BatchSender::Post(const Batch& batch) {
  std::string run_id = batch.header.run_id;
  if (batch.header.new_run) {
    std::string& known = run_ids_[batch.header.new_run->key];
    if (known.empty()) {
      core::Result<Answer> answer = PostRun(*batch.header.new_run);
      if (!answer.ok() || (answer->status != 200 && answer->status != 201)) return answer;
      known = RunId(*answer);
      if (known.empty()) return core::Error{"bad_answer", "the hub's answer to /runs has no id"};
    }
    run_id = known;
  }
  return SendWithRetries(hub_, ResultsRequest(batch, run_id), policy_, pauses_);
}

core::Result<SendOutcome> BatchSender::Settle(const HeldBatch& held, const Answer& answer) {
  SendOutcome outcome;
  if (answer.status == 200) {
    outcome.receipt = core::ReadJson(answer.body);
    if (!outcome.receipt.is_object() || !outcome.receipt.contains("accepted")) {
      return Waiting({"bad_answer", "the hub answered 200 without a receipt"});
    }
    outcome.kind = SendOutcome::Kind::kAccepted;
    if (core::Status status = spool_.Done(held); !status.ok()) return status.error();
    return outcome;
  }
  outcome.problem = ProblemOf(answer);
  outcome.error = ToError(outcome.problem);
  if (IsFinalRefusal(answer.status) && outcome.problem.of_hub) {
    outcome.kind = SendOutcome::Kind::kRefused;
    const auto kept = core::Excerpt(answer.body, kKeptAnswerBytes);
    if (core::Status status = spool_.Refuse(held, kept); !status.ok()) return status.error();
  }
  return outcome;
}

core::Result<SendOutcome> BatchSender::Send(const HeldBatch& held) {
  core::Result<Answer> answer = Post(held.batch);
  if (!answer.ok()) return Waiting(answer.error());
  return Settle(held, *answer);
}

void DemandSender::Add(std::span<const core::MissShape> shapes) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const core::MissShape*>>
      groups;
  for (const core::MissShape& shape : shapes) {
    groups[{shape.family->name, shape.gfx, shape.cu_num}].push_back(&shape);
  }
  for (const auto& [group, members] : groups) {
    for (std::size_t at = 0; at < members.size(); at += kMaxShapesPerPost) {
      const std::size_t size = std::min(kMaxShapesPerPost, members.size() - at);
      AddPost(std::span(members).subspan(at, size));
    }
  }
  while (posts_.size() > kMaxWaitingPosts) {
    posts_.pop_front();
    ++sent_.dropped_posts;
  }
}

void DemandSender::AddPost(std::span<const core::MissShape* const> shapes) {
  const core::MissShape& first = *shapes.front();
  nlohmann::json body = nlohmann::json::object();
  if (!first.gfx.empty()) {
    body["gfx"] = first.gfx;
    if (const auto cu_num = core::ParseInt(first.cu_num)) body["cu_num"] = *cu_num;
  }
  body["shapes"] = nlohmann::json::array();
  for (const core::MissShape* shape : shapes) body["shapes"].push_back(ShapeJson(*shape));
  posts_.push_back({core::RandomUuid(), first.family->name, body.dump(), shapes.size()});
}

core::Status DemandSender::Send() {
  while (!posts_.empty()) {
    const Post& post = posts_.front();
    const Request request{"POST",
                          "/untuned/" + post.family,
                          {{"Content-Type", "application/json"}, {"Idempotency-Key", post.key}},
                          post.body};
    auto answer = SendWithRetries(hub_, request, policy_, pauses_);
    if (!answer.ok()) return answer.error();
    if (IsTransient(answer->status)) return ToError(ProblemOf(*answer));
    const core::Status counted = Count(post, *answer);
    posts_.pop_front();
    if (!counted.ok()) return counted;
  }
  return core::Ok();
}

core::Status DemandSender::Count(const Post& post, const Answer& answer) {
  if (answer.status != 200) return ToError(ProblemOf(answer));
  const nlohmann::json receipt = core::ReadJson(answer.body);
  if (!receipt.is_object()) {
    return core::Error{"bad_answer", "the hub answered 200 without a receipt"};
  }
  ++sent_.posts;
  sent_.shapes += post.shapes;
  sent_.count += Number(receipt, "count");
  sent_.new_shapes += Number(receipt, "new");
  const auto rejected = receipt.find("rejected");
  if (rejected == receipt.end() || !rejected->is_array() || rejected->empty()) return core::Ok();
  sent_.rejected += rejected->size();
  if (sent_.first_rejected.empty())
    sent_.first_rejected = post.family + ": " + rejected->front().dump();
  return core::Ok();
}

core::Status Outbox::Add(const BatchHeader& header, std::string_view body) {
  const auto held = spool_.Add(header, body);
  if (!held.ok()) return held.error();
  own_[header.key] = held->path;
  ++unsent_;
  return core::Ok();
}

void Outbox::Push() {
  const auto now = std::chrono::steady_clock::now();
  if (hub_ == nullptr || unsent_ < options_.batches_per_push || now < not_before_) return;
  if (!Send({.tries = 1})) not_before_ = now + options_.pause_after_failure;
}

bool Outbox::Drain(const RetryPolicy& policy) {
  if (hub_ == nullptr) return false;
  auto pause = policy.first_pause;
  // Waits while another process has locked a batch. That process sends the batch or leaves it.
  for (int attempt = 1; !Send(policy); ++attempt) {
    const bool again = failure_.code == kSpoolInUse && attempt < policy.tries;
    if (!again || !Rested(pause, policy, Pauses::Real())) return false;
    pause = std::min(pause * 2, policy.longest_pause);
  }
  return true;
}

void Outbox::Tell(const std::string& message) {
  AddBounded(messages_, message);
  AddBounded(news_, message);
}

// Moves a file that is not a batch to aside/, so that no later try reads it. If the outbox cannot
// read a file now, the file stays in the spool.
void Outbox::SetAside(const std::filesystem::path& path, const core::Error& why) {
  if (why.code != kBadBatch) {
    if (unreadable_.size() < kMostMessages && unreadable_.insert(path).second) Tell(why.detail);
    return;
  }
  const auto moved = spool_.SetAside(path, why.detail);
  if (moved.ok()) {
    Tell("set aside, because it is not a batch: " + why.detail);
  } else if (unreadable_.size() < kMostMessages && unreadable_.insert(path).second) {
    Tell(fmt::format("{}; this file cannot be set aside: {}", why.detail, moved.error().detail));
  }
}

void Outbox::ForgetTooLarge() {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(too_large_, [&](const auto& batch) {
    return batch.second.until <= now || IsGone(batch.first);
  });
}

// Returns an error if the outbox must stop sending. A batch that is too large for a proxy is not an
// error, since later batches may be smaller.
core::Status Outbox::PutOff(const std::filesystem::path& path, const SendOutcome& outcome) {
  const bool answered = outcome.problem.status != 0;
  core::Error why = answered ? HubErrorOf(outcome.problem) : outcome.error;
  if (why.code != kTooLargeBetween) return why;
  const auto until = std::chrono::steady_clock::now() + options_.pause_after_too_large;
  too_large_[path] = {until, std::move(why)};
  return core::Ok();
}

void Outbox::Settle(const std::string& key, const SendOutcome& outcome) {
  const bool own = own_.erase(key) > 0;
  if (outcome.kind != SendOutcome::Kind::kRefused) return;
  ++refused_;
  refused_own_ += own ? 1 : 0;
  Tell(outcome.error.detail);
}

core::Status Outbox::SendAll(BatchSender& sender) {
  ForgetTooLarge();
  for (const std::filesystem::path& path : spool_.Waiting()) {
    if (too_large_.contains(path)) continue;
    const auto held = spool_.Take(path);
    if (!held.ok()) SetAside(path, held.error());
    if (!held.ok() || !held->has_value()) continue;
    const auto outcome = sender.Send(**held);
    if (!outcome.ok()) return outcome.error();
    if (outcome->kind != SendOutcome::Kind::kWaiting) {
      Settle((*held)->batch.header.key, *outcome);
    } else if (auto off = PutOff(path, *outcome); !off.ok()) {
      return off;
    }
  }
  return WhatIsLeft();
}

// Another process of this spool may have sent batches of this outbox, or may be sending them now.
core::Status Outbox::WhatIsLeft() {
  std::erase_if(own_, [](const auto& batch) { return IsGone(batch.second); });
  for (const auto& [key, path] : own_) {
    if (const auto found = too_large_.find(path); found != too_large_.end())
      return found->second.why;
  }
  if (own_.empty()) return too_large_.empty() ? core::Ok() : too_large_.begin()->second.why;
  return core::Error{kSpoolInUse,
                     own_.begin()->second.string() + ": another process is sending it"};
}

bool Outbox::Send(const RetryPolicy& policy) {
  const Pauses pauses = Pauses::Real();
  BatchSender sender(*hub_, spool_, policy, pauses);
  const core::Status sent = SendAll(sender);
  run_ids_.insert(sender.run_ids().begin(), sender.run_ids().end());
  failure_ = sent.ok() ? core::Error() : sent.error();
  if (!sent.ok()) return false;
  unsent_ = 0;
  return true;
}

std::string Outbox::RunId(const std::string& key) const {
  const auto found = run_ids_.find(key);
  return found == run_ids_.end() ? "" : found->second;
}

}  // namespace tunehub::agent
