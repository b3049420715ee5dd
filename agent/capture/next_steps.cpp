#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "agent/base/terminal.h"
#include "agent/capture/explanation.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUntunedFolder = "untuned";

std::string Words(const std::vector<std::string>& words) {
  return core::Joined(words, ShellWord, " ");
}

std::string Absolute(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

std::string TargetOptions(const core::Target& target) {
  if (target.gfx.empty()) return "";
  std::string text = " --gfx " + ShellWord(target.gfx);
  if (target.cu_num > 0) text += fmt::format(" --cu-num {}", target.cu_num);
  return text;
}

// Returns the line that makes AITER read `path` instead of its own tables.
std::string Export(const core::Family& family, const std::string& path) {
  return fmt::format("export {}={}", family.env, path);
}

bool NeedsRebuild(const FamilyPart& part) {
  return std::ranges::any_of(part.needs, [](const ModuleNeed& need) {
    return need.state == core::RowState::kAfterRebuild ||
           need.state == core::RowState::kRaisesUntilRebuild;
  });
}

NextStep Install(const Explanation& explanation, const StepContext& context) {
  std::string line = fmt::format("tunehub-agent install {} --hub {}", ShellWord(context.aiter),
                                 ShellWord(context.hub));
  const bool rebuild = std::ranges::any_of(explanation.parts, NeedsRebuild);
  if (rebuild) line += " --rebuild";
  return {rebuild ? "Put the hub's rows into this AITER, rebuild the modules that need it, and "
                    "restart inference:"
                  : "Put the hub's rows into this AITER and restart inference:",
          {std::move(line)}};
}

// `install` puts AITER's rows into its tree.
bool Installs(const StepContext& context) {
  return context.takes_demand && !context.aiter.empty();
}

// "" if the shapes name several devices or none.
std::string OnlyDevice(const FamilyPart& part) {
  const auto& columns = part.family->untuned_columns;
  std::set<std::string> devices;
  for (const ExplainedShape& shape : part.shapes) {
    for (std::size_t i = 0; i < shape.miss.cells.size(); ++i) {
      if (part.family->Find(columns[i]) == part.family->device) {
        devices.insert(shape.miss.cells[i]);
      }
    }
  }
  return devices.size() == 1 ? *devices.begin() : "";
}

// The `pull` command for a family that no variable of AITER names (its `env` is empty): the files
// of the first reader that has the family. `pull` itself prints the `export` line.
std::string PullFiles(const Configuration& configuration, const FamilyPart& part,
                      const StepContext& context) {
  for (const core::Reader& reader : configuration.readers.all()) {
    if (reader.StoreOf(*part.family) == nullptr) continue;
    std::string line =
        fmt::format("tunehub-agent pull --hub {} --reader {}", ShellWord(context.hub), reader.name);
    const std::string device = OnlyDevice(part);
    if (!device.empty()) line += " --device " + ShellWord(device);
    return line + fmt::format(" -o {}_configs", reader.name);
  }
  return "";
}

NextStep Pull(const Configuration& configuration, const Explanation& explanation,
              const StepContext& context) {
  NextStep step{"Fetch the rows, and restart inference with them:", {}};
  std::set<std::string> fetched;
  for (const FamilyPart& part : explanation.parts) {
    if (part.tuned() == 0 || !fetched.insert(part.family->name).second) continue;
    const std::string& name = part.family->name;
    if (part.family->env.empty()) {
      std::string line = PullFiles(configuration, part, context);
      if (!line.empty() && context.takes_demand) step.lines.push_back(std::move(line));
      continue;
    }
    if (Installs(context)) continue;
    step.lines.push_back(fmt::format("tunehub-agent pull --hub {} --family {} --gfx {} -o {}.csv",
                                     ShellWord(context.hub), name, part.target.gfx, name));
    step.lines.push_back(Export(*part.family, fmt::format("\"$PWD\"/{}.csv", name)));
  }
  return step;
}

// True for folders, which AITER reads without a variable.
bool AreFolders(const std::vector<std::string>& paths) {
  std::error_code error;
  return std::ranges::all_of(
      paths, [&](const std::string& path) { return fs::is_directory(path, error); });
}

NextStep ReadTables(const Explanation& explanation, const StepContext& context) {
  NextStep step;
  std::string variables;
  for (const FamilyPart& part : explanation.parts) {
    // If `env` is empty, no variable gives AITER this family's table. An engine reads it from its
    // own files, and a hub must make those first.
    if (part.tuned() == 0 || part.family->env.empty()) continue;
    if (variables.find(part.family->env) != std::string::npos) continue;
    variables += " " + part.family->env;
    if (part.files.size() > 1) {
      step.lines.push_back(
          fmt::format("tunehub-agent merge {} -o {}.csv", Words(part.files), part.family->name));
      step.lines.push_back(Export(*part.family, fmt::format("\"$PWD\"/{}.csv", part.family->name)));
    } else {
      step.lines.push_back(Export(*part.family, ShellWord(Absolute(part.files.front()))));
    }
  }
  if (step.lines.empty()) return step;
  // also true without --tables, because then the tree itself is the source
  if (AreFolders(context.tables)) {
    step.why =
        "Restart inference. AITER reads the tables of its own folder, unless a variable names "
        "other tables:";
    step.lines = {"unset" + variables};
    return step;
  }
  step.why =
      "Restart inference with these tables. Each table replaces AITER's own table of the same "
      "family. To keep AITER's rows too, first merge both tables (tunehub-agent merge):";
  return step;
}

// `target` gives --gfx and --cu-num; if its gfx is "", the line has neither.
std::string ExplainLine(const core::Target& target, const StepContext& context) {
  std::string line = "tunehub-agent explain " + LogWords(context) + TargetOptions(target);
  if (!context.tables.empty()) line += " --tables " + Words(context.tables);
  if (!context.hub.empty()) line += " --hub " + ShellWord(context.hub);
  if (!context.aiter.empty()) line += " --aiter " + ShellWord(context.aiter);
  return line;
}

std::string ExplainAgain(const Explanation& explanation, const StepContext& context) {
  const bool given = explanation.target.from == TargetFrom::kOptions;
  return ExplainLine(given ? explanation.target.target : core::Target{}, context);
}

// Asks the user for the GPU first, since agents would tune a shape without a GPU for every target.
NextStep NameGpu(const Explanation& explanation, const StepContext& context) {
  NextStep step{"Name the log's GPU with --gfx, so that the hub's agents tune only for that GPU.",
                {}};
  std::set<std::string> lines;
  for (const FamilyPart& part : explanation.parts) {
    if (!part.LacksGpu()) continue;
    for (const TargetRows& rows : part.targets) lines.insert(ExplainLine(rows.target, context));
  }
  if (!lines.empty()) step.why += " The hub has rows of:";
  step.lines.assign(lines.begin(), lines.end());
  return step;
}

NextStep AskHub(const Explanation& explanation, const StepContext& context) {
  if (std::ranges::any_of(explanation.parts, &FamilyPart::LacksGpu)) {
    return NameGpu(explanation, context);
  }
  std::string line =
      fmt::format("tunehub-agent capture {} --hub {}", LogWords(context), ShellWord(context.hub));
  line += TargetOptions(explanation.target.target);
  const bool only_files = explanation.parts.empty();
  return {only_files ? "Tell the hub which files are missing (TUNEHUB_KEY: a key of scope submit):"
                     : "Tell the hub which shapes are missing. Its agents then tune these shapes "
                       "(TUNEHUB_KEY: a key of scope submit):",
          {std::move(line)}};
}

NextStep Tune(const Explanation& explanation, const StepContext& context) {
  NextStep step{"Tune the missing shapes, on a host with that GPU:", {}};
  const bool some_tuned = std::ranges::any_of(
      explanation.parts, [](const FamilyPart& part) { return part.tuned() > 0; });
  const std::string folder = context.output.empty() ? std::string(kUntunedFolder) : context.output;
  if (context.output.empty()) {
    std::string line = "tunehub-agent capture " + LogWords(context);
    // If some shapes have a row, writes only the shapes without a row.
    if (some_tuned) line = ExplainAgain(explanation, context);
    step.lines.push_back(line + " -o " + ShellWord(folder));
  }
  std::set<std::string> families;
  for (const FamilyPart& part : explanation.parts) {
    const core::Family& family = *part.family;
    const bool amd = part.target.gfx.empty() || part.target.gfx.starts_with("gfx");
    if (part.tuned() == part.shapes.size() || !families.insert(family.name).second) continue;
    if (amd && family.tune_script.empty()) continue;  // AITER has no tuner for this family
    std::string by;
    if (amd) by = " --tuner aiter";
    if (amd && !context.aiter.empty()) by += " --aiter " + ShellWord(context.aiter);
    by += " -i " + ShellWord(folder + "/" + family.untuned_file);
    // AITER's tuners do not time the untuned kernel; tunehub's tuner does.
    if (amd) step.lines.push_back("tunehub-agent bench --before" + by);
    step.lines.push_back(fmt::format("tunehub-agent tune{} -o {}.csv", by, family.name));
  }
  return step;
}

}  // namespace

std::string LogWords(const StepContext& context) {
  std::string words;
  // A pipe cannot be read again, so the user must fill in the file.
  for (const std::string& log : context.logs) {
    words += (words.empty() ? "" : " ") + (log == "-" ? "LOG" : ShellWord(log));
  }
  if (!context.family.empty()) words += " --family " + ShellWord(context.family);
  if (!context.device.empty()) words += " --device " + ShellWord(context.device);
  return words;
}

std::vector<NextStep> NextSteps(const Configuration& configuration, const Explanation& explanation,
                                const StepContext& context) {
  if (explanation.error) {
    return {{"After the fix, run again:", {ExplainAgain(explanation, context)}}};
  }
  std::size_t tuned = 0;
  for (const FamilyPart& part : explanation.parts) tuned += part.tuned();
  std::vector<NextStep> steps;
  const auto add = [&](NextStep step) {
    if (!step.lines.empty()) steps.push_back(std::move(step));
  };
  if (tuned > 0 && context.hub.empty()) add(ReadTables(explanation, context));
  if (tuned > 0 && !context.hub.empty()) {
    const bool aiters = std::ranges::any_of(explanation.parts, [](const FamilyPart& part) {
      return part.tuned() > 0 && !part.family->env.empty();
    });
    if (aiters && Installs(context)) add(Install(explanation, context));
    add(Pull(configuration, explanation, context));
  }
  const bool shapes_missing = tuned < explanation.shapes();
  const bool files_missing = std::ranges::any_of(explanation.files, &ExplainedFile::lacks_rows);
  if (context.takes_demand && (shapes_missing || files_missing)) {
    steps.push_back(AskHub(explanation, context));
  } else if (shapes_missing) {
    steps.push_back(Tune(explanation, context));
  }
  return steps;
}

}  // namespace tunehub::agent
