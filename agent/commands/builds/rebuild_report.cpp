#include "agent/commands/builds/rebuild_report.h"

#include <nlohmann/json.hpp>
#include <ostream>

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
    out << module.library << ": built; its lookup table: " << Summary(module.lookup) << '\n';
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

}  // namespace tunehub::agent
