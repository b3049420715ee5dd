#include "agent/commands/explain/rows_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

#include "agent/commands/explain/terminal_text.h"

namespace tunehub::agent {
namespace {

// Where there are rows although none is found: another GPU's.
void PrintOtherTargets(std::ostream& out, const FamilyPart& part) {
  const bool own = std::ranges::any_of(
      part.targets, [&](const TargetRows& rows) { return rows.target == part.target; });
  if (own || part.target.gfx.empty()) return;
  if (part.targets.empty()) {
    out << "  there are no rows of this family"
        << (part.all_targets ? " at all\n" : " for this GPU\n");
    return;
  }
  std::string text = fmt::format("the log is of {}, but all rows of {} are of", Name(part.target),
                                 part.family->name);
  for (const TargetRows& rows : part.targets) {
    text += fmt::format(" {} ({})", Name(rows.target), Counted(rows.rows, "row", "rows"));
  }
  PrintWrapped(out, "  ", text);
}

void PrintByTarget(std::ostream& out, const FamilyPart& part) {
  for (std::size_t i = 0; i < part.targets.size(); ++i) {
    const TargetRows& rows = part.targets[i];
    out << fmt::format("  on {}: ", Name(rows.target));
    if (i < part.tuned_on.size()) {
      out << fmt::format("{} of {} shapes have a tuned row\n", part.tuned_on[i],
                         part.shapes.size());
    } else {
      out << fmt::format("{}\n", Counted(rows.rows, "row", "rows"));
    }
  }
}

// What rows of a module do: where no build is known, by core::Dispatch, else by their state.
constexpr std::string_view kDispatchSays[] = {
    "run after a restart if this AITER has their kernels",
    "take effect once it is built again: its table is compiled in",
    "run after a restart if it was built with their kernels, else raise"};
constexpr std::string_view kStateSays[core::kRowStates] = {
    "run after a restart", "take effect once it is built again", "raise until it is built again",
    "cannot run in this build"};

void PrintNeeds(std::ostream& out, const FamilyPart& part) {
  bool depends = false;
  for (const ModuleNeed& need : part.needs) {
    const std::string name = need.module == nullptr ? "no known module" : need.module->name;
    std::string_view says = "say nothing of how they run";
    if (need.state) says = kStateSays[static_cast<std::size_t>(*need.state)];
    if (!need.state && need.module != nullptr) {
      says = kDispatchSays[static_cast<std::size_t>(need.module->dispatch)];
      depends = depends || need.module->dispatch != core::Dispatch::kDirect;
    }
    out << fmt::format("  {} of {}: {}\n", Counted(need.rows, "row", "rows"), name, says);
  }
  if (depends) out << "    (--aiter DIR looks at a build, and says which)\n";
}

}  // namespace

void PrintRows(std::ostream& out, const FamilyPart& part) {
  if (part.target.gfx.empty()) return PrintByTarget(out, part);
  PrintOtherTargets(out, part);
  PrintNeeds(out, part);
  if (part.Of(analysis::State::kBaseline) > 0) {
    out << fmt::format("  {}: only what runs untuned was measured\n",
                       Counted(part.Of(analysis::State::kBaseline), "shape", "shapes"));
  }
  if (part.Of(analysis::State::kUnmeasured) > 0) {
    out << fmt::format("  {}: a row, which nobody has measured\n",
                       Counted(part.Of(analysis::State::kUnmeasured), "shape", "shapes"));
  }
  const std::size_t untuned = part.shapes.size() - part.tuned();
  if (untuned > 0 && part.to_tune > 0) {
    out << fmt::format("  missing: {}, which {} would serve\n", Counted(untuned, "shape", "shapes"),
                       Counted(part.to_tune, "tuned row", "tuned rows"));
  }
  if (part.worth.keys == 0) {
    out << "  worth: not known: nobody has measured what runs untuned\n";
  }
  const bool borrowed = std::ranges::any_of(
      part.groups, [](const ShapeGroup& group) { return group.worth.of_family; });
  if (borrowed) {
    out << fmt::format("  ~: the median of the family's {}, none of which is of these shapes\n",
                       Counted(part.worth.keys, "measured key", "measured keys"));
  }
}

}  // namespace tunehub::agent
