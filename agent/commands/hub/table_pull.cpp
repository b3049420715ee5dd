#include "agent/commands/hub/table_pull.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/commands/builds/build_report.h"
#include "agent/hub/problem.h"
#include "core/base/read_json.h"
#include "core/base/sha256.h"
#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent {
namespace {

// FILE.etag: what the hub called the bytes of FILE, so that the next pull need not carry them.
std::filesystem::path EtagPath(const std::filesystem::path& file) {
  return file.string() + ".etag";
}

// The ETag to ask with; "" where FILE is gone, was changed, or came from another request.
std::string KnownEtag(const std::filesystem::path& file, const std::string& target) {
  auto state = core::FileBytes::Read(EtagPath(file));
  auto bytes = core::FileBytes::Read(file);
  if (!state.ok() || !bytes.ok()) return "";
  const auto json = core::ReadJson(state->view());
  if (!json.is_object()) return "";
  const bool same = json.value("target", nlohmann::json()) == target &&
                    json.value("sha256", nlohmann::json()) == core::Sha256Hex(bytes->view());
  const auto etag = json.value("etag", nlohmann::json());
  return same && etag.is_string() ? etag.get<std::string>() : "";
}

core::Status RememberEtag(const std::filesystem::path& file, const std::string& target,
                          const std::string& etag, const std::string& sha256) {
  const nlohmann::ordered_json json = {{"etag", etag}, {"target", target}, {"sha256", sha256}};
  return core::WriteAtomically(EtagPath(file), json.dump() + "\n");
}

}  // namespace

std::optional<core::Pin> RevisionOf(const Answer& answer) {
  return core::ParsePin(answer.Header("tunehub-pin"));
}

void PullOne::AddRevision(nlohmann::ordered_json& report, const core::Pin& revision) {
  report["revision"] = revision.number;
  report["pin"] = revision.Text();
}

core::Result<Answer> PullOne::Ask(const std::string& target, const std::string& etag,
                                  const std::string& content_type) {
  Request request{"GET", target, {{"Accept", content_type}}, ""};
  if (!etag.empty()) request.headers.emplace_back("If-None-Match", etag);
  auto answer = SendWithRetries(hub_, request, options_.retry, pauses_);
  if (!answer.ok()) return answer.error();
  Warn(*answer);
  if (!etag.empty() && answer->status == 304) return answer;
  if (answer->status != 200) return ToError(ProblemOf(*answer));
  if (!answer->Header("content-type").starts_with(content_type)) {
    return core::Error{"bad_answer", fmt::format("the hub answered 200 with '{}', not {}",
                                                 answer->Header("content-type"), content_type)};
  }
  return answer;
}

void PullOne::Warn(const Answer& answer) {
  const std::string warning = answer.Header("warning");
  if (!warning.empty()) console_.err << "tunehub-agent pull: the hub warns: " << warning << '\n';
}

core::Result<Pulled> TablePull::Get(const std::string& target) {
  auto answer = Ask(target, KnownEtag(options().output, target), "text/csv");
  if (!answer.ok()) return answer.error();
  Pulled table{std::move(answer->body), "", answer->Header("etag"), RevisionOf(*answer),
               answer->status == 304};
  if (table.unchanged) {
    auto bytes = core::FileBytes::Read(options().output);
    if (!bytes.ok()) return bytes.error();
    table.bytes = bytes->view();
  }
  table.sha256 = core::Sha256Hex(table.bytes);
  return table;
}

core::Status TablePull::Write(const std::string& target, const Pulled& table) {
  if (table.unchanged) return core::Ok();
  if (core::Status status = core::WriteAtomically(options().output, table.bytes); !status.ok()) {
    return status;
  }
  return table.etag.empty() ? core::Ok()
                            : RememberEtag(options().output, target, table.etag, table.sha256);
}

void TablePull::Report(const Pulled& table) const {
  const auto lines =
      static_cast<std::size_t>(std::count(table.bytes.begin(), table.bytes.end(), '\n'));
  const std::size_t rows = lines == 0 ? 0 : lines - 1;
  if (options().json) {
    nlohmann::ordered_json report = {{"family", options().family},
                                     {"file", options().output},
                                     {"rows", rows},
                                     {"sha256", table.sha256},
                                     {"unchanged", table.unchanged}};
    if (table.revision) AddRevision(report, *table.revision);
    console().out << report.dump(2) << '\n';
    return;
  }
  console().out << options().output << ": " << rows << " rows of " << options().family;
  if (table.revision) console().out << ", revision " << table.revision->number;
  console().out << (table.unchanged ? ", unchanged\n" : "\n");
}

void TablePull::Warn(const Answer& answer) {
  const std::string missing = answer.Header("tunehub-missing-targets");
  if (!missing.empty()) console().err << "tunehub-agent pull: no rows for " << missing << '\n';
  const std::string unsaid = answer.Header("tunehub-unknown-provenance");
  if (!unsaid.empty() && unsaid != "0") {
    console().err << "tunehub-agent pull: " << unsaid
                  << " candidates were left out, whose runs do not say what was asked for; --query "
                     "prefer=NAME=VALUE takes them where there are no others\n";
  }
  PrintBuildReport(ReadBuildReport(answer), absent_, "tunehub-agent pull", console());
  PullOne::Warn(answer);
}

}  // namespace tunehub::agent
