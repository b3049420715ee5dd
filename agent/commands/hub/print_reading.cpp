#include "agent/commands/hub/print_reading.h"

#include <fmt/core.h>

#include <map>
#include <ostream>

#include "agent/base/remark.h"

namespace tunehub::agent {
namespace {

using Json = nlohmann::ordered_json;

std::string Line(const core::Finding& finding) {
  const std::string member = finding.member.empty() ? "" : fmt::format(" '{}'", finding.member);
  return fmt::format("{}: {}{}: {}: {}\n", finding.aside ? "kept aside" : "noted", finding.file,
                     member, finding.code, finding.detail);
}

// The first of each code, and how many more there are.
void PrintFindings(const core::TreeReading& reading, std::size_t most, std::ostream& out) {
  std::map<std::string, std::size_t> seen;
  for (const core::Finding& finding : reading.findings) {
    if (++seen[finding.code] <= most) out << Line(finding);
  }
  for (const auto& [code, count] : seen) {
    if (count > most) out << fmt::format("... and {} more of {} (--all)\n", count - most, code);
  }
}

}  // namespace

void PrintReading(const core::Reader& reader, const core::TreeReading& reading, bool all,
                  std::ostream& out) {
  PrintFindings(reading, all ? kAllRows : kFewRows, out);
  std::size_t unread = 0;
  std::string folders;
  for (const auto& [folder, count] : reading.unread) {
    unread += count;
    folders += fmt::format("{}{} {}", folders.empty() ? "" : ", ", folder, count);
  }
  if (unread > 0) {
    out << fmt::format("{} files are none that {} looks up: {}\n", unread, reader.title, folders);
  }
  for (const core::TreeTable& table : reading.tables) {
    out << fmt::format("{}: {} rows of {} files\n", table.family->name, table.rows, table.files);
  }
  out << fmt::format("{}: {} files; {} files and {} members kept aside\n", reader.title,
                     reading.files, reading.files_aside, reading.members_aside);
}

Json ReportOf(const core::Reader& reader, const core::TreeReading& reading) {
  Json json = {{"reader", reader.name},
               {"files", reading.files},
               {"files_aside", reading.files_aside},
               {"members_aside", reading.members_aside},
               {"tables", Json::array()},
               {"unread", Json::object()},
               {"findings", Json::array()}};
  for (const core::TreeTable& table : reading.tables) {
    json["tables"].push_back(
        {{"family", table.family->name}, {"files", table.files}, {"rows", table.rows}});
  }
  for (const auto& [folder, count] : reading.unread) json["unread"][folder] = count;
  for (const core::Finding& it : reading.findings) {
    json["findings"].push_back({{"file", it.file},
                                {"member", it.member},
                                {"code", it.code},
                                {"detail", it.detail},
                                {"aside", it.aside}});
  }
  return json;
}

}  // namespace tunehub::agent
