#include "agent/commands/tables/check_report.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/commands/tables/duplicate_report.h"

namespace tunehub::agent {
namespace {

void PrintFamily(std::ostream& out, const FamilyFindings& findings, std::size_t most) {
  const std::size_t files = findings.files.size() + findings.refused.size();
  out << findings.family->name << ": " << files << " files, " << findings.rows << " rows\n";
  for (const RefusedFile& refused : findings.refused) {
    out << "  refused " << refused.error.code << ": " << refused.file << ": "
        << refused.error.detail << '\n';
  }
  for (const core::Duplicate& duplicate : findings.duplicates) {
    PrintDuplicate(out, *findings.family, findings.files, duplicate);
  }
  PrintByCode(out, "rejected", findings.rejected, most);
  PrintByCode(out, "quarantined", findings.quarantined, most);
  PrintByCode(out, "unmeasured", findings.unmeasured, most);
  PrintByCode(out, "warning", findings.warnings, most);
  PrintByCode(out, "unbuilt", findings.unbuilt, most);
  PrintByCode(out, "table test", findings.test_failures, most);
  if (findings.inferred_gfx > 0) {
    out << "  note: " << findings.inferred_gfx << " rows without gfx, read by their cu_num\n";
  }
}

struct Totals {
  std::size_t files = 0, rows = 0, refused = 0, duplicates = 0, rejected = 0, quarantined = 0;
  std::size_t unmeasured = 0, warnings = 0, unbuilt = 0, test_failures = 0;
};

Totals Sum(const std::vector<FamilyFindings>& all) {
  Totals totals;
  for (const FamilyFindings& findings : all) {
    totals.files += findings.files.size() + findings.refused.size();
    totals.rows += findings.rows;
    totals.refused += findings.refused.size();
    totals.duplicates += findings.duplicates.size();
    totals.rejected += findings.rejected.size();
    totals.quarantined += findings.quarantined.size();
    totals.unmeasured += findings.unmeasured.size();
    totals.warnings += findings.warnings.size();
    totals.unbuilt += findings.unbuilt.size();
    totals.test_failures += findings.test_failures.size();
  }
  return totals;
}

nlohmann::ordered_json FindingsToJson(const FamilyFindings& findings) {
  nlohmann::ordered_json refused = nlohmann::ordered_json::array();
  for (const RefusedFile& file : findings.refused) {
    refused.push_back(
        {{"file", file.file}, {"code", file.error.code}, {"detail", file.error.detail}});
  }
  nlohmann::ordered_json duplicates = nlohmann::ordered_json::array();
  for (const core::Duplicate& duplicate : findings.duplicates) {
    duplicates.push_back(ToJson(*findings.family, findings.files, duplicate));
  }
  return {{"family", findings.family->name},
          {"files", findings.files},
          {"rows", findings.rows},
          {"inferred_gfx", findings.inferred_gfx},
          {"refused", refused},
          {"duplicates", duplicates},
          {"rejected", ToJson(findings.rejected)},
          {"quarantined", ToJson(findings.quarantined)},
          {"unmeasured", ToJson(findings.unmeasured)},
          {"warnings", ToJson(findings.warnings)},
          {"unbuilt", ToJson(findings.unbuilt)},
          {"test_failures", ToJson(findings.test_failures)}};
}

}  // namespace

void PrintCheckText(std::ostream& out, const std::vector<FamilyFindings>& all,
                    const std::vector<UnreadTable>& unread, std::size_t most) {
  for (const FamilyFindings& findings : all) {
    PrintFamily(out, findings, most);
  }
  for (const UnreadTable& it : unread) out << "not read: " << it.file << ": " << it.why << '\n';
  const Totals totals = Sum(all);
  out << "total: " << totals.files << " files, " << totals.rows << " rows; " << totals.duplicates
      << " duplicate keys, " << totals.refused << " refused files, " << totals.rejected
      << " rejected and " << totals.quarantined << " quarantined rows; " << totals.unmeasured
      << " unmeasured, " << totals.warnings << " warnings";
  if (totals.unbuilt > 0) out << "; " << totals.unbuilt << " rows that the build cannot run";
  if (totals.test_failures > 0) {
    out << "; " << totals.test_failures << " rows that AITER's own table test fails on";
  }
  if (!unread.empty()) out << "; " << unread.size() << " tables not read";
  out << '\n';
}

void PrintCheckJson(std::ostream& out, const std::vector<FamilyFindings>& all,
                    const std::vector<UnreadTable>& unread) {
  nlohmann::ordered_json families = nlohmann::ordered_json::array();
  for (const FamilyFindings& findings : all) families.push_back(FindingsToJson(findings));
  nlohmann::ordered_json unread_json = nlohmann::ordered_json::array();
  for (const UnreadTable& it : unread) {
    unread_json.push_back({{"file", it.file}, {"detail", it.why}});
  }
  const Totals totals = Sum(all);
  const nlohmann::ordered_json report = {{"files", totals.files},
                                         {"rows", totals.rows},
                                         {"duplicate_count", totals.duplicates},
                                         {"refused_count", totals.refused},
                                         {"rejected_count", totals.rejected},
                                         {"quarantined_count", totals.quarantined},
                                         {"unmeasured_count", totals.unmeasured},
                                         {"warning_count", totals.warnings},
                                         {"unbuilt_count", totals.unbuilt},
                                         {"test_failure_count", totals.test_failures},
                                         {"unread", unread_json},
                                         {"families", families}};
  out << report.dump(2) << '\n';
}

}  // namespace tunehub::agent
