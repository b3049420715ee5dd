#include "agent/commands/hub/dry_run.h"

#include <algorithm>
#include <ostream>

#include "agent/base/remark.h"
#include "agent/commands/tables/check_report.h"

namespace tunehub::agent {

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

}  // namespace tunehub::agent
