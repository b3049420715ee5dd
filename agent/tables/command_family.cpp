#include <filesystem>
#include <optional>

#include "agent/base/command.h"
#include "agent/tables/commands.h"
#include "core/base/file.h"
#include "core/table/detect.h"

namespace tunehub::agent {

int RunFamily(int argc, char** argv, Console& console) {
  std::string file, untuned;
  cli::CommandLine line("What a family file says of a table.", "tunehub-agent family");
  cli::CommandLine& draft =
      line.AddCommand("draft", "print the family file that would describe a table");
  draft.Add("FILE", file, "a tuned table").Required();
  draft.Add("--untuned", untuned,
            "its untuned table, whose columns are the shape; default: the one beside it");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  const auto table = core::FileBytes::Read(file);
  if (!table.ok()) return Fail(console, "family", table.error());
  if (untuned.empty()) {
    const std::string beside = core::UntunedName(file);
    if (!beside.empty() && std::filesystem::is_regular_file(beside)) untuned = beside;
  }
  std::optional<core::FileBytes> asked;
  if (!untuned.empty()) {
    auto read = core::FileBytes::Read(untuned);
    if (!read.ok()) return Fail(console, "family", read.error());
    asked = *std::move(read);
  }
  const auto text =
      core::DraftFamily(file, table->view(), asked ? asked->view() : std::string_view());
  if (!text.ok()) return Fail(console, "family", text.error());
  if (untuned.empty()) {
    console.err << "tunehub-agent family: " << file
                << " has no untuned table: which columns are the shape is a guess\n";
  }
  console.out << *text;
  return kGood;
}

}  // namespace tunehub::agent
