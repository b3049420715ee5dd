#include "agent/install/install_report.h"

#include <nlohmann/json.hpp>
#include <ostream>
#include <span>

#include "core/base/pin.h"

namespace tunehub::agent {
namespace {

void PrintRows(char sign, const std::vector<std::string>& rows, std::size_t count,
               std::ostream& out) {
  for (const std::string& row : rows) out << "  " << sign << ' ' << row << '\n';
  if (count > rows.size()) out << "  " << sign << " and " << count - rows.size() << " more\n";
}

}  // namespace

void PrintBuilt(std::span<const BuiltModule> modules, bool all, std::ostream& out) {
  for (const BuiltModule& module : modules) {
    if (!module.built) {
      out << module.library << ": not built: " << module.why << '\n';
      continue;
    }
    out << module.library << ": built; its lookup table: " << SummaryOf(module.lookup) << '\n';
    if (!all) continue;
    PrintRows('+', module.lookup.added, module.lookup.rows_added, out);
    PrintRows('-', module.lookup.removed, module.lookup.rows_removed, out);
    PrintRows('*', module.lookup.changed, module.lookup.rows_changed, out);
  }
}

nlohmann::ordered_json ToJson(std::span<const BuiltModule> modules) {
  auto list = nlohmann::ordered_json::array();
  for (const BuiltModule& module : modules) {
    const LookupChange& lookup = module.lookup;
    nlohmann::ordered_json entry = {{"module", module.library}, {"built", module.built}};
    if (!module.built) {
      entry["why"] = module.why;
    } else {
      entry["lookup"] = {{"rows", lookup.rows},
                         {"added", lookup.rows_added},
                         {"removed", lookup.rows_removed},
                         {"changed", lookup.rows_changed}};
    }
    list.push_back(std::move(entry));
  }
  return list;
}

void PrintLosses(const std::vector<Loss>& losses, std::size_t most, std::ostream& out) {
  for (std::size_t i = 0; i < losses.size() && i < most; ++i) {
    const Loss& loss = losses[i];
    out << "  " << loss.file;
    if (loss.line > 0) out << ':' << loss.line;
    out << ": " << loss.what << '\n';
  }
  if (losses.size() > most) {
    out << "  and " << losses.size() - most << " more (--all)\n";
  }
}

ServedState ServedStateOf(const Answer& answer) {
  const auto text = [&](const char* header) {
    const auto pin = core::ParsePin(answer.Header(header));
    return pin ? pin->Text() : "";
  };
  return {text("tunehub-revision"), text("tunehub-pin")};
}

void PrintInstallJson(const InstallPlan& plan, bool installed, const InstallFacts& facts,
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
                                         {"revision", facts.served.revision},
                                         {"pin", facts.served.pin},
                                         {"families", families},
                                         {"unlisted_tables", plan.unlisted_tables},
                                         {"losses", losses},
                                         {"malformed_rows", plan.malformed_rows},
                                         {"other_target_rows", plan.other_target_rows},
                                         {"unbuilt_rows", plan.unbuilt_rows},
                                         {"unmeasured_rows", plan.unmeasured_rows},
                                         {"left_unmeasured", facts.left_unmeasured},
                                         {"rewritten_times", facts.rewritten_times},
                                         {"build", ToJson(facts.build)},
                                         {"rebuilt", ToJson(std::span(facts.built))}};
  out << report.dump(2) << '\n';
}

void PrintInstallText(const InstallPlan& plan, const InstallFacts& facts, std::ostream& out) {
  for (const FamilyPlan& family : plan.families) {
    out << family.family->file << ": " << family.rows << " rows, " << family.moved_files
        << " model files moved aside\n";
  }
  const auto say = [&](const char* before, std::size_t count, const char* behind) {
    if (count > 0) out << before << count << behind << '\n';
  };
  say("tables that no family describes, as they are: ", plan.unlisted_tables, "");
  say("left behind: ", plan.malformed_rows, " malformed rows (`tunehub-agent check` lists them)");
  say("left behind: ", plan.other_target_rows, " rows of other targets");
  say("left behind: ", plan.unbuilt_rows, " rows whose kernel this tree lacks");
  say("left behind: ", plan.unmeasured_rows, " rows that nobody has measured");
  say("not fetched: ", facts.left_unmeasured, " rows that nobody has measured");
  say("written with the time inf: ", facts.rewritten_times,
      " rows that nobody has measured; their times were 0");
  out << "installed revision " << facts.served.revision
      << "; restart inference: AITER caches its tables\n";
}

}  // namespace tunehub::agent
