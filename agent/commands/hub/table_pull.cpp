#include "agent/commands/hub/table_pull.h"

#include <fmt/core.h>

#include <charconv>
#include <ostream>

#include "agent/commands/builds/build_report.h"
#include "agent/hub/etag_file.h"
#include "agent/hub/problem.h"
#include "core/base/sha256.h"
#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent {
namespace {

std::optional<std::uint64_t> RevisionOf(const Answer& answer) {
  const std::string text = answer.Header("tunehub-revision");
  std::uint64_t revision = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (error != std::errc() || text.empty() || end != text.data() + text.size()) return std::nullopt;
  return revision;
}

}  // namespace

core::Result<Table> TablePull::Get(const std::string& target) {
  Request request{"GET", target, {{"Accept", "text/csv"}}, ""};
  const std::string known = KnownEtag(options_.output, target);
  if (!known.empty()) request.headers.emplace_back("If-None-Match", known);
  auto answer = SendWithRetries(hub_, request, options_.retry, pauses_);
  if (!answer.ok()) return answer.error();
  Warn(*answer);
  const bool unchanged = !known.empty() && answer->status == 304;
  if (!unchanged && answer->status != 200) return ToError(ProblemOf(*answer));
  Table table{std::move(answer->body), "", answer->Header("etag"), RevisionOf(*answer), unchanged};
  if (unchanged) {
    auto bytes = core::FileBytes::Read(options_.output);
    if (!bytes.ok()) return bytes.error();
    table.bytes = bytes->view();
  } else if (!answer->Header("content-type").starts_with("text/csv")) {
    return core::Error{"bad_answer", fmt::format("the hub answered 200 with '{}', not text/csv",
                                                 answer->Header("content-type"))};
  }
  table.sha256 = core::Sha256Hex(table.bytes);
  return table;
}

core::Status TablePull::Write(const std::string& target, const Table& table) {
  if (table.unchanged) return core::Ok();
  if (core::Status status = core::WriteAtomically(options_.output, table.bytes); !status.ok()) {
    return status;
  }
  return table.etag.empty() ? core::Ok()
                            : RememberEtag(options_.output, target, table.etag, table.sha256);
}

void TablePull::Warn(const Answer& answer) {
  const std::string missing = answer.Header("tunehub-missing-targets");
  if (!missing.empty()) console_.err << "tunehub-agent pull: no rows for " << missing << '\n';
  const std::string warning = answer.Header("warning");
  PrintBuildReport(ReadBuildReport(answer), absent_, "tunehub-agent pull", console_);
  if (!warning.empty()) console_.err << "tunehub-agent pull: the hub warns: " << warning << '\n';
}

}  // namespace tunehub::agent
