#include <algorithm>
#include <ostream>

#include "agent/base/terminal.h"
#include "agent/hub/hub_client.h"
#include "agent/tables/contribution.h"
#include "agent/transfer/commands.h"

namespace tunehub::agent {
namespace {

struct KindName {
  const char* name;
  int code;
  const char* end;  // what happened to the batch
};

constexpr KindName kKindNames[] = {{"accepted", kGood, "was accepted"},
                                   {"refused", kFinding, "is refused"},
                                   {"waiting", kFailed, "is not sent"}};  // by SendOutcome::Kind

const KindName& NameOf(SendOutcome::Kind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

std::vector<Remark> RowErrors(const Batch& batch, const HubProblem& problem) {
  std::vector<Remark> remarks;
  for (core::RowIssue issue : problem.errors) {
    issue.line += batch.header.line_offset;
    remarks.push_back({batch.header.file, std::move(issue)});
  }
  return remarks;
}

}  // namespace

int DryRun(const Configuration& configuration, const std::vector<FamilyFiles>& files, bool all,
           bool json, Console& console) {
  std::vector<FamilyFindings> findings;
  for (const FamilyFiles& group : files) {
    findings.push_back(CheckFamily(group, configuration.targets));
  }
  if (json) {
    PrintCheckJson(console.out, findings, {});
  } else {
    PrintCheckText(console.out, findings, {}, all ? kAllRows : kFewRows);
    console.out << "nothing was sent\n";
  }
  const bool whole = std::ranges::all_of(findings, [](const FamilyFindings& it) {
    return it.refused.empty() && it.rejected.empty() && it.quarantined.empty();
  });
  return whole ? kGood : kFinding;
}

void PushReport::Add(const Batch& batch, const SendOutcome& outcome, Console& console) {
  const bool accepted = outcome.kind == SendOutcome::Kind::kAccepted;
  code_ = std::max(code_, NameOf(outcome.kind).code);
  if (accepted && HasFindings(outcome.receipt)) code_ = std::max(code_, kFinding);
  nlohmann::ordered_json entry = {{"file", batch.header.file},
                                  {"family", batch.header.family},
                                  {"key", batch.header.key},
                                  {"outcome", NameOf(outcome.kind).name}};
  if (accepted) {
    entry["receipt"] = outcome.receipt;
    if (!json_) PrintReceipt(console.out, batch.header, outcome.receipt, {most_, true});
  } else {
    const std::vector<Remark> rows = RowErrors(batch, outcome.problem);
    entry["error"] = {{"code", outcome.error.code}, {"detail", outcome.error.detail}};
    entry["errors"] = ToJson(rows);
    console.err << BeginError << "tunehub-agent push: " << batch.header.file << ' '
                << NameOf(outcome.kind).end << ": " << outcome.error.detail << '\n';
    PrintByCode(console.err, "error", rows, most_);
    console.err << EndError;
  }
  batches_.push_back(std::move(entry));
}

void PushReport::AddFailure(const core::Error& error, Console& console) {
  code_ = kFailed;
  batches_.push_back(
      {{"outcome", "unreadable"}, {"error", {{"code", error.code}, {"detail", error.detail}}}});
  Fail(console, "push", error);
}

int PushReport::Finish(const Spool& spool, Console& console) {
  const std::size_t still_waiting = spool.Waiting().size();
  const auto others = spool.WaitingForOthers();
  if (json_) {
    const nlohmann::ordered_json report = {
        {"batches", batches_}, {"waiting", still_waiting}, {"waiting_for_others", others}};
    console.out << report.dump(2) << '\n';
    return code_;
  }
  if (still_waiting > 0) {
    console.out << still_waiting << " batches wait in the spool; `tunehub-agent push` sends them\n";
  } else if (batches_.empty()) {
    console.out << "nothing waits in the spool" << (others.empty() ? "" : " for this hub") << '\n';
  }
  for (const auto& [hub, count] : others) {
    console.out << count << " batches wait for " << (hub.empty() ? "no hub" : hub)
                << "; `tunehub-agent push --from " << (hub.empty() ? kNoHub : hub)
                << "` sends them to this hub\n";
  }
  return code_;
}

}  // namespace tunehub::agent
