#include "examples/dispatch_gemms/table_source.h"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/excerpt.h"

namespace tunehub::example {
namespace {

using core::Error;

constexpr std::size_t kMostQuoted = 400;  // of what a hub says

core::Result<TableFile> TemporaryFile() {
  std::string path = "/tmp/tuned_XXXXXX";
  const int file = ::mkstemp(path.data());
  if (file < 0) return Error{"not_fetched", path + ": " + std::generic_category().message(errno)};
  ::close(file);
  return TableFile(path, true);
}

// The exit status. Errors: not_fetched (there is no such program).
core::Result<int> RunCurl(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& it : command) arguments.push_back(it.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, arguments.front(), nullptr, nullptr, arguments.data(), environ);
  if (failed != 0) {
    return Error{"not_fetched", fmt::format("{} cannot be run: {}", command.front(),
                                            std::generic_category().message(failed))};
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string Quoted(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return std::string(core::Excerpt(text, kMostQuoted));
}

}  // namespace

TableFile::~TableFile() {
  if (owned_) ::unlink(path_.c_str());
}

core::Result<TableFile> Fetch(const std::string& source, const std::string& family,
                              const std::string& gfx) {
  if (!source.starts_with("http://") && !source.starts_with("https://")) {
    return TableFile(source, false);
  }
  auto file = TemporaryFile();
  if (!file.ok()) return file;
  const std::string hub = source.substr(0, source.find_last_not_of('/') + 1);
  const std::string url = fmt::format("{}/tuned/{}?gfx={}", hub, family, gfx);
  const auto status = RunCurl({"curl", "--silent", "--show-error", "--fail-with-body",
                               "--compressed", "--output", file->path(), url});
  if (!status.ok()) return status.error();
  if (*status == 0) return file;
  const std::string said = Quoted(file->path());
  return Error{"not_fetched", fmt::format("curl {} ended with {}{}", url, *status,
                                          said.empty() ? "" : ": " + said)};
}

}  // namespace tunehub::example
