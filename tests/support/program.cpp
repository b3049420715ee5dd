#include "tests/support/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <thread>

#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{1200};  // an export under a sanitizer takes minutes

// All servers of this process sign with one key, because a test's database may move to another
// server. The server's user can write into this folder.
std::string SharedSigningKey() {
  static const TempDir dir;
  static const bool open = ::chmod(dir.path().c_str(), 0777) == 0;
  return open ? dir / "signing_key" : "";
}

std::vector<std::string> Environment(std::map<std::string, std::string> extra) {
  extra.insert({"TUNEHUB_SIGNING_KEY", SharedSigningKey()});
  std::vector<std::string> all;
  for (char** it = environ; *it != nullptr; ++it) {
    const std::string entry = *it;
    const bool replaced = extra.contains(entry.substr(0, entry.find('=')));
    const bool withheld = entry.starts_with("TUNEHUB_") || entry.starts_with("AITER_ROOT_DIR=");
    if (!withheld && !replaced) all.push_back(entry);
  }
  for (const auto& [name, value] : extra) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Only async-signal-safe calls are allowed between fork and exec, because other threads may hold
// locks.
[[noreturn]] void Become(char** arguments, char** environment, int out, int err) {
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(arguments[0], arguments, environment);
  ::_exit(127);
}

int OpenLog(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) throw std::runtime_error("cannot write " + path.string());
  return fd;
}

int StatusOf(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

}  // namespace

Program::Program(const Command& command, const std::filesystem::path& out,
                 const std::filesystem::path& err) {
  std::vector<std::string> arguments = {command.program};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> environment = Environment(command.environment);
  const std::vector<char*> argv = Pointers(arguments), envp = Pointers(environment);
  const int out_fd = OpenLog(out), err_fd = OpenLog(err);
  pid_ = ::fork();
  if (pid_ == 0)
    Become(const_cast<char**>(argv.data()), const_cast<char**>(envp.data()), out_fd, err_fd);
  ::close(out_fd);
  ::close(err_fd);
  if (pid_ < 0) throw std::runtime_error("fork");
}

Program::~Program() {
  if (status_) return;
  Signal(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Program::Signal(int number) {
  if (!status_) ::kill(pid_, number);
}

std::optional<int> Program::Wait(std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  while (!status_) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      status_ = StatusOf(status);
    } else if (Clock::now() >= until) {
      return std::nullopt;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  return status_;
}

Finished RunToEnd(const Command& command) {
  const TempDir dir;
  Program program(command, dir.path() / "out", dir.path() / "err");
  const auto status = program.Wait(kPatience);
  if (!status) throw std::runtime_error(command.program + " does not end");
  return {*status, ReadText(dir.path() / "out"), ReadText(dir.path() / "err")};
}

std::string ServerBinary() {
  return TUNEHUB_BIN_DIR "/tunehub-server";
}
std::string AgentBinary() {
  return TUNEHUB_BIN_DIR "/tunehub-agent";
}
std::string ExampleBinary() {
  return TUNEHUB_BIN_DIR "/dispatch-example";
}
std::string DispatchLibrary() {
  return TUNEHUB_BIN_DIR "/libtunehub_dispatch.so";
}

}  // namespace tunehub::test
