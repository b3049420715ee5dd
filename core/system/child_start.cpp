#include "core/system/child_start.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace tunehub::core {
namespace {

Error Unstartable(const ChildCommand& command, int error) {
  return {"child_unstartable",
          command.arguments.front() + ": " + std::generic_category().message(error)};
}

std::vector<std::string> EnvironmentOf(const ChildCommand& command) {
  std::vector<std::string> all;
  for (std::string& entry : ChildEnvironment()) {
    if (!command.environment.contains(entry.substr(0, entry.find('=')))) {
      all.push_back(std::move(entry));
    }
  }
  for (const auto& [name, value] : command.environment) all.push_back(name + "=" + value);
  return all;
}

}  // namespace

std::vector<std::string> ChildEnvironment() {
  constexpr std::string_view kKey = "TUNEHUB_KEY=";
  std::vector<std::string> all;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with(kKey)) all.emplace_back(*entry);
  }
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::optional<int> WaitFor(pid_t pid) {
  int status = 0;
  pid_t got = 0;
  while ((got = ::waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
  }
  return got > 0 ? std::optional(status) : std::nullopt;
}

// A second pipe, closed by a successful exec, brings the reason of a failed one.
Result<StartedChild> StartChild(const ChildCommand& command) {
  std::array<int, 2> output{}, failure{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0) return Unstartable(command, errno);
  StartedChild child;
  child.output = Fd(output[0]);
  Fd output_end(output[1]);
  if (::pipe2(failure.data(), O_CLOEXEC) != 0) return Unstartable(command, errno);
  const Fd failed(failure[0]);
  Fd failure_end(failure[1]);
  std::vector<std::string> arguments = command.arguments, environment = EnvironmentOf(command);
  const std::vector<char*> argv = Pointers(arguments), envp = Pointers(environment);
  const pid_t parent = ::getpid();
  child.pid = ::fork();
  if (child.pid < 0) return Unstartable(command, errno);
  if (child.pid == 0) {
    ::setpgid(0, 0);
    // An agent that is killed takes its tuner along: two on one GPU would spoil each other's times.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(output_end.get(), STDOUT_FILENO);
    ::dup2(output_end.get(), STDERR_FILENO);
    ::signal(SIGPIPE, SIG_DFL);
    const bool here = command.folder.empty() || ::chdir(command.folder.c_str()) == 0;
    if (here && ::getppid() == parent) ::execvpe(argv[0], argv.data(), envp.data());
    const int reason = errno;
    (void)!::write(failure_end.get(), &reason, sizeof(reason));
    ::_exit(127);
  }
  ::setpgid(child.pid, child.pid);  // whichever of the two is first
  output_end = Fd();
  failure_end = Fd();
  int reason = 0;
  ssize_t got = 0;
  while ((got = ::read(failed.get(), &reason, sizeof(reason))) < 0 && errno == EINTR) {
  }
  if (got != sizeof(reason)) return child;
  WaitFor(child.pid);
  return Unstartable(command, reason);
}

}  // namespace tunehub::core
