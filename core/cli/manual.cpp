#include "core/cli/manual.h"

#include <algorithm>
#include <ostream>
#include <string_view>

#include "core/cli/completion.h"
#include "core/cli/man_page.h"
#include "core/cli/nearest.h"

namespace tunehub::cli {
namespace {

constexpr std::string_view kCompletion = "completion", kMan = "man", kList = "--list";

Parsed Complete(const Description& program, std::string_view shell, std::ostream& out,
                std::ostream& err) {
  if (shell != "bash") {
    err << program.name << " completion: '" << shell << "' is not bash\n";
    return Parsed::kWrong;
  }
  out << BashCompletion(program);
  return Parsed::kAnswered;
}

std::vector<std::string> CommandsOf(const Description& command) {
  std::vector<std::string> commands;
  for (const Description& below : command.commands) commands.push_back(below.last_word());
  return commands;
}

void ListPages(const Description& command, std::ostream& out) {
  out << command.name << '\n';
  for (const Description& below : command.commands) ListPages(below, out);
}

}  // namespace

bool AsksForManual(int argc, const char* const* argv) {
  return argc > 1 && (argv[1] == kCompletion || argv[1] == kMan);
}

Parsed AnswerManual(const Description& program, int argc, const char* const* argv,
                    std::ostream& out, std::ostream& err) {
  if (argv[1] == kCompletion) return Complete(program, argc > 2 ? argv[2] : "", out, err);
  if (argc > 2 && argv[2] == kList) {
    ListPages(program, out);
    return Parsed::kAnswered;
  }
  const Description* command = &program;
  for (int i = 2; i < argc; ++i) {
    const auto below = std::ranges::find(command->commands, argv[i], &Description::last_word);
    if (below == command->commands.end()) {
      err << program.name << " man: there is no command '" << argv[i] << "'"
          << DidYouMean(argv[i], CommandsOf(*command)) << '\n';
      return Parsed::kWrong;
    }
    command = &*below;
  }
  out << ManPage(program, *command);
  return Parsed::kAnswered;
}

}  // namespace tunehub::cli
