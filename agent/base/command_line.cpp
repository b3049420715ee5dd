#include "agent/base/command_line.h"

#include <ostream>

namespace tunehub::agent {

std::optional<int> ParseArguments(cli::CommandLine& line, int argc, char** argv, Console& console) {
  if (console.describe != nullptr) {
    *console.describe = line.Describe();
    return kGood;
  }
  switch (line.Parse(argc, argv, console.out, console.err)) {
    case cli::Parsed::kGiven:
      return std::nullopt;
    case cli::Parsed::kAnswered:
      return kGood;
    case cli::Parsed::kWrong:
      break;
  }
  return kFailed;
}

int Fail(Console& console, std::string_view command, const core::Error& error) {
  console.err << "tunehub-agent " << command << ": " << error.detail << " (" << error.code << ")\n";
  return kFailed;
}

}  // namespace tunehub::agent
