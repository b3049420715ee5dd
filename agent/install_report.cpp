#include "agent/install_report.h"

#include <nlohmann/json.hpp>
#include <ostream>

namespace tunehub::agent {

void PrintLosses(const InstallPlan& plan, std::size_t most, std::ostream& out) {
  for (std::size_t i = 0; i < plan.losses.size() && i < most; ++i) {
    const Loss& loss = plan.losses[i];
    out << "  " << loss.file;
    if (loss.line > 0) out << ':' << loss.line;
    out << ": " << loss.what << '\n';
  }
  if (plan.losses.size() > most) {
    out << "  and " << plan.losses.size() - most << " more (--all)\n";
  }
}

void PrintInstallJson(const InstallPlan& plan, bool installed, const std::string& revision,
                      std::ostream& out) {
  nlohmann::ordered_json families = nlohmann::ordered_json::array(),
                         losses = nlohmann::ordered_json::array();
  for (const FamilyPlan& family : plan.families) {
    families.push_back({{"family", family.family->name},
                        {"file", family.family->file},
                        {"rows", family.rows},
                        {"moved_files", family.moved_files}});
  }
  for (const Loss& loss : plan.losses) {
    losses.push_back(
        {{"family", loss.family}, {"file", loss.file}, {"line", loss.line}, {"what", loss.what}});
  }
  const nlohmann::ordered_json report = {{"installed", installed},
                                         {"revision", revision},
                                         {"families", families},
                                         {"losses", losses},
                                         {"malformed_rows", plan.malformed_rows},
                                         {"other_target_rows", plan.other_target_rows},
                                         {"unbuilt_rows", plan.unbuilt_rows}};
  out << report.dump(2) << '\n';
}

void PrintInstallText(const InstallPlan& plan, const std::string& revision, std::ostream& out) {
  for (const FamilyPlan& family : plan.families) {
    out << family.family->file << ": " << family.rows << " rows, " << family.moved_files
        << " model files moved aside\n";
  }
  if (plan.malformed_rows > 0) {
    out << "left behind: " << plan.malformed_rows << " malformed rows (`tunehub-agent check` lists"
        << " them)\n";
  }
  if (plan.other_target_rows > 0) {
    out << "left behind: " << plan.other_target_rows << " rows of other targets\n";
  }
  if (plan.unbuilt_rows > 0) {
    out << "left behind: " << plan.unbuilt_rows << " rows whose kernel this tree lacks\n";
  }
  out << "installed revision " << revision << "; restart inference: AITER caches its tables\n";
}

}  // namespace tunehub::agent
