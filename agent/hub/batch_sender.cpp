#include "agent/hub/batch_sender.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/excerpt.h"
#include "core/base/read_json.h"
#include "core/system/gzip.h"

namespace tunehub::agent {
namespace {

// Below this, gzip saves less than a packet.
constexpr std::size_t kGzipFrom = 1400;
// The spool keeps so much of the answer beside a batch that was refused.
constexpr std::size_t kKeptAnswerBytes = 64 * 1024;

// Refusals that a later try of the same bytes meets again, where the hub itself says them and not a
// proxy before it. 401 and 403 are not among them: the next try may have another key.
bool IsFinalRefusal(int status) {
  constexpr int kFinal[] = {400, 404, 405, 409, 410, 411, 413, 414, 415, 422, 431};
  return std::find(std::begin(kFinal), std::end(kFinal), status) != std::end(kFinal);
}

std::string ResultsTarget(const Batch& batch, const std::string& run_id) {
  Parameters parameters;
  if (!run_id.empty()) parameters.emplace_back("run", run_id);
  if (batch.header.atomic) parameters.emplace_back("atomic", "1");
  const std::string query = QueryString(parameters);
  return fmt::format("/results/{}{}", batch.header.family, query.empty() ? "" : "?" + query);
}

Request ResultsRequest(const Batch& batch, const std::string& run_id) {
  Request request{
      "POST",
      ResultsTarget(batch, run_id),
      {{"Content-Type", batch.header.content_type}, {"Idempotency-Key", batch.header.key}},
      batch.body};
  if (batch.body.size() >= kGzipFrom) {
    request.body = core::Gzip(batch.body);
    request.headers.emplace_back("Content-Encoding", "gzip");
  }
  return request;
}

// The id of POST /runs' answer, which may be a number or a text.
std::string RunId(const Answer& answer) {
  const auto json = core::ReadJson(answer.body);
  if (!json.is_object() || !json.contains("id")) return "";
  return json["id"].is_string() ? json["id"].get<std::string>() : json["id"].dump();
}

SendOutcome Waiting(core::Error error) {
  return {SendOutcome::Kind::kWaiting, {}, {}, std::move(error)};
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

}  // namespace tunehub::agent
