#include "agent/base/command_line.h"

#include <CLI/CLI.hpp>
#include <ostream>

namespace tunehub::agent {

std::optional<int> ParseArguments(CLI::App& app, int argc, char** argv, Console& console) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return app.exit(error, console.out, console.err) == 0 ? kGood : kFailed;
  }
}

int Fail(Console& console, std::string_view command, const core::Error& error) {
  console.err << "tunehub-agent " << command << ": " << error.detail << " (" << error.code << ")\n";
  return kFailed;
}

}  // namespace tunehub::agent
