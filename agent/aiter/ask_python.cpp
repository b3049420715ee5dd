#include "agent/aiter/ask_python.h"

#include "core/system/child_process.h"

namespace tunehub::agent {
namespace {

// A cold start that searches many packages on a network's disk.
constexpr std::chrono::seconds kLimit{60};

}  // namespace

std::string AskPython(const std::string& python, const std::string& program) {
  std::string answer;
  core::ChildCommand command;
  command.arguments = {python, "-c", program};
  core::ChildLimits limits;
  limits.whole = kLimit;
  const auto ended = core::RunChild(
      command, limits, [&](std::string_view line) { answer = line; }, [] { return false; });
  return ended.ok() && ended->succeeded() ? answer : std::string();
}

}  // namespace tunehub::agent
