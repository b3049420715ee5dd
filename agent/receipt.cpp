#include "agent/receipt.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/remark.h"
#include "agent/row_issues.h"

namespace tunehub::agent {
namespace {

struct Figure {
  const char* member;
  const char* word;
};

constexpr Figure kFigures[] = {{"accepted", "accepted"},
                               {"won", "won"},
                               {"kept", "kept"},
                               {"unchanged", "unchanged"},
                               {"folded", "folded"},
                               {"unmeasured_count", "unmeasured"},
                               {"quarantined_count", "quarantined"},
                               {"rejected_count", "rejected"},
                               {"warning_count", "warnings"}};

std::vector<Remark> RemarksOf(const BatchHeader& header, const nlohmann::json& receipt,
                              const char* member) {
  std::vector<Remark> remarks;
  if (!receipt.contains(member)) return remarks;
  for (core::RowIssue& issue : RowIssuesOf(receipt[member])) {
    issue.line += header.line_offset;
    remarks.push_back({header.file, std::move(issue)});
  }
  return remarks;
}

}  // namespace

std::size_t Count(const nlohmann::json& json, const char* member) {
  const auto found = json.find(member);
  return found != json.end() && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
}

std::string SummaryOf(const nlohmann::json& counts) {
  std::string text = std::to_string(Count(counts, "rows")) + " rows";
  for (const Figure& figure : kFigures) {
    const std::size_t count = Count(counts, figure.member);
    if (count > 0) text += ", " + std::to_string(count) + " " + figure.word;
  }
  if (counts.contains("revision")) text += ", revision " + counts["revision"].dump();
  return text;
}

void PrintReceipt(std::ostream& out, const BatchHeader& header, const nlohmann::json& receipt,
                  std::size_t most) {
  out << header.file << " -> " << header.family << ": " << SummaryOf(receipt) << '\n';
  PrintByCode(out, "rejected", RemarksOf(header, receipt, "rejected"), most);
  PrintByCode(out, "quarantined", RemarksOf(header, receipt, "quarantined"), most);
  PrintByCode(out, "unmeasured", RemarksOf(header, receipt, "unmeasured"), most);
  PrintByCode(out, "warning", RemarksOf(header, receipt, "warnings"), most);
}

bool HasFindings(const nlohmann::json& receipt) {
  return Count(receipt, "rejected_count") > 0 || Count(receipt, "quarantined_count") > 0;
}

}  // namespace tunehub::agent
