#include "agent/hub/receipt.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/base/remark.h"
#include "agent/hub/row_issues.h"

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
                               {"unfinished_count", "unfinished"},
                               {"compared_count", "compared"},
                               {"rejected_count", "rejected"},
                               {"warning_count", "warnings"},
                               {"withdrawn_count", "withdrawn"},
                               {"in_doubt_count", "in doubt"}};

struct IssueList {
  const char* member;
  const char* count_member;
  const char* word;
  bool finding;  // something is wrong with the row, not only remarkable
};

constexpr IssueList kIssueLists[] = {{"rejected", "rejected_count", "rejected", true},
                                     {"quarantined", "quarantined_count", "quarantined", true},
                                     {"withdrawn", "withdrawn_count", "withdrawn", true},
                                     {"in_doubt", "in_doubt_count", "in doubt", true},
                                     {"unmeasured", "unmeasured_count", "unmeasured", false},
                                     {"warnings", "warning_count", "warning", false}};

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
  std::string text = fmt::format("{} rows", Count(counts, "rows"));
  for (const Figure& figure : kFigures) {
    const std::size_t count = Count(counts, figure.member);
    if (count > 0) text += fmt::format(", {} {}", count, figure.word);
  }
  if (counts.contains("revision")) text += ", revision " + counts["revision"].dump();
  return text;
}

void PrintReceipt(std::ostream& out, const BatchHeader& header, const nlohmann::json& receipt,
                  const ReceiptDetail& detail) {
  out << header.file << " -> " << header.family << ": " << SummaryOf(receipt) << '\n';
  for (const IssueList& list : kIssueLists) {
    if (!list.finding && !detail.remarks) continue;
    const std::vector<Remark> rows = RemarksOf(header, receipt, list.member);
    PrintByCode(out, list.word, rows, detail.most_rows);
    const std::size_t count = Count(receipt, list.count_member);
    if (!rows.empty() && rows.size() < count) {
      out << "  (the receipt lists the first " << rows.size() << " of " << count << ' ' << list.word
          << " rows)\n";
    }
  }
}

bool HasFindings(const nlohmann::json& receipt) {
  return Count(receipt, "rejected_count") > 0 || Count(receipt, "quarantined_count") > 0;
}

}  // namespace tunehub::agent
