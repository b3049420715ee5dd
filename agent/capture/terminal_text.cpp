#include <fmt/core.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "agent/capture/explanation.h"

namespace tunehub::agent {
namespace {

constexpr std::size_t kTextColumns = 98;  // for a terminal

// Splits at blanks; with `quotes`, not inside single quotes.
std::vector<std::string> WordsOf(std::string_view text, bool quotes) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char c : text) {
    if (quotes && c == '\'') quoted = !quoted;
    if (c == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

// Prints which other GPUs have rows if this GPU has none.
void PrintOtherTargets(std::ostream& out, const core::Targets& targets, const FamilyPart& part) {
  const bool own = std::ranges::any_of(part.targets, [&](const TargetRows& rows) {
    return part.names_device() || rows.target == part.target;
  });
  if (own || part.LacksGpu()) return;
  if (part.targets.empty()) {
    out << "  there are no rows of this family"
        << (part.all_targets ? " at all\n" : " for this GPU\n");
    return;
  }
  std::string text = fmt::format("the log's GPU is {}, but all rows of {} are for",
                                 Describe(targets, part.target), part.family->name);
  for (const TargetRows& rows : part.targets) {
    text +=
        fmt::format(" {}: {};", Describe(targets, rows.target), Counted(rows.rows, "row", "rows"));
  }
  text.pop_back();  // the last separator
  PrintWrapped(out, "  ", text);
}

void PrintByTarget(std::ostream& out, const core::Targets& targets, const FamilyPart& part) {
  for (std::size_t i = 0; i < part.tuned_on.size(); ++i) {
    out << fmt::format("  on {}: {} of {} shapes have a tuned row\n",
                       Describe(targets, part.targets[i].target), part.tuned_on[i],
                       part.shapes.size());
  }
}

// Texts that say when a row of a module works. Without a build, core::Dispatch selects the text,
// else the row's state.
constexpr std::string_view kDispatchSays[] = {
    "The row works after a restart if this AITER has the row's kernel.",
    "The row takes effect when the module is built again, because the module contains the table.",
    "The row works after a restart if AITER was built with the row's kernel; otherwise AITER "
    "raises an error."};
constexpr std::string_view kStateSays[core::kRowStates] = {
    "The row works after a restart.", "The row takes effect when the module is built again.",
    "AITER raises an error for the row until the module is built again.",
    "This build cannot run the row."};

void PrintNeeds(std::ostream& out, const FamilyPart& part) {
  bool depends = false;
  for (const ModuleNeed& need : part.needs) {
    const std::string name = need.module == nullptr ? "unknown" : need.module->name;
    std::string_view says = "The row's requirements are unknown.";
    if (need.state) says = kStateSays[static_cast<std::size_t>(*need.state)];
    if (!need.state && need.module != nullptr) {
      says = kDispatchSays[static_cast<std::size_t>(need.module->dispatch)];
      depends = depends || need.module->dispatch != core::Dispatch::kDirect;
    }
    PrintWrapped(out, "  ",
                 fmt::format("{} a tuned row (module: {}). {}",
                             Counted(need.rows, "shape has", "shapes have"), name, says));
  }
  if (depends) out << "  (--aiter DIR checks which of the rows work in a build)\n";
}

}  // namespace

void PrintWrapped(std::ostream& out, std::string_view indent, std::string_view text) {
  std::string line;
  for (const std::string& word : WordsOf(text, false)) {
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > kTextColumns) {
      out << indent << line << '\n';
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  out << indent << line << '\n';
}

void PrintCommand(std::ostream& out, std::string_view line) {
  const std::vector<std::string> words = WordsOf(line, true);
  std::string text = "  " + words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string part = words[i];
    const bool option = part.starts_with('-') && i + 1 < words.size();
    if (option && !words[i + 1].starts_with('-')) part += " " + words[++i];
    if (i > 1 && text.size() + part.size() + 3 > kTextColumns) {
      out << text << " \\\n";
      text = "      " + part;
    } else {
      text += " " + part;
    }
  }
  out << text << '\n';
}

std::string Counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void PrintRows(std::ostream& out, const core::Targets& targets, const FamilyPart& part) {
  if (part.LacksGpu()) return PrintByTarget(out, targets, part);
  PrintOtherTargets(out, targets, part);
  PrintNeeds(out, part);
  if (part.Of(analysis::State::kBaseline) > 0) {
    out << fmt::format("  {} only the row of the default kernel (baseline)\n",
                       Counted(part.Of(analysis::State::kBaseline), "shape has", "shapes have"));
  }
  if (part.Of(analysis::State::kUnmeasured) > 0) {
    out << fmt::format("  {} a row that nobody has measured\n",
                       Counted(part.Of(analysis::State::kUnmeasured), "shape has", "shapes have"));
  }
  const std::size_t untuned = part.shapes.size() - part.tuned();
  if (untuned > 0 && part.to_tune > 0) {
    out << fmt::format("  missing: {} no tuned row", Counted(untuned, "shape has", "shapes have"));
    if (part.to_tune < untuned) {
      out << fmt::format("; {} enough for all", Counted(part.to_tune, "row is", "rows are"));
    }
    out << '\n';
  }
}

}  // namespace tunehub::agent
