#include "server/ops/postgres_tools.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <deque>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace tunehub::server {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPostgresRoot = "/usr/lib/postgresql";  // ROOT/<major>/bin, as in Debian
constexpr std::size_t kLastLines = 6;                         // an error quotes these last lines
constexpr std::size_t kToolPiece = 4'096;

using LastLines = std::deque<std::string>;  // the output of several programs

void AddLine(LastLines& lines, std::string_view line) {
  if (line.empty()) return;
  lines.emplace_back(line);
  if (lines.size() > kLastLines) lines.pop_front();
}

std::string NameOf(const std::vector<std::string>& arguments) {
  return fs::path(arguments.front()).filename().string();
}

core::Error Failed(const std::string& code, const std::string& who, const std::string& how,
                   const LastLines& said) {
  return {code, fmt::format("{} failed ({}): {}", who, how, fmt::join(said, "\n"))};
}

core::Error NoPipe(const std::string& code) {
  return {code, "cannot create a pipe: " + std::generic_category().message(errno)};
}

// Reads until every program has closed its end of the pipe.
void ReadLines(const core::Fd& from, LastLines& lines) {
  std::array<char, kToolPiece> piece{};
  std::string line;
  while (true) {
    const ssize_t got = ::read(from.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (const char c : std::string_view(piece.data(), static_cast<std::size_t>(got))) {
      if (c != '\n') {
        line.push_back(c);
        continue;
      }
      AddLine(lines, line);
      line.clear();
    }
  }
  AddLine(lines, line);
}

// Ignores a failed write, because the reading program has then ended, and its own error contains
// the reason.
void WriteText(const core::Fd& to, std::string_view text) {
  [[maybe_unused]] const core::Status written = core::WriteAll(to.get(), text, {});
}

std::string EndText(const std::optional<int>& status) {
  if (!status) return "its exit status is unknown";
  if (WIFSIGNALED(*status)) return fmt::format("signal {}", WTERMSIG(*status));
  return fmt::format("exit code {}", WEXITSTATUS(*status));
}

struct Pipe {
  core::Fd out, in;  // the end to read from, the end to write to

  static std::optional<Pipe> Open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{core::Fd(ends[0]), core::Fd(ends[1])};
  }
};

}  // namespace

core::Result<PostgresTools> FindTools(int major) {
  std::map<int, PostgresTools> found;
  std::error_code ignored;  // no such folder: PostgreSQL is not installed
  for (const auto& entry : fs::directory_iterator(kPostgresRoot, ignored)) {
    const auto version = core::NumberFrom<int>(entry.path().filename().string());
    if (!version) continue;
    const fs::path bin = entry.path() / "bin";
    PostgresTools tools{bin / "pg_dump", bin / "pg_restore", bin / "psql"};
    const bool all = ::access(tools.dump.c_str(), X_OK) == 0 &&
                     ::access(tools.restore.c_str(), X_OK) == 0 &&
                     ::access(tools.psql.c_str(), X_OK) == 0;
    if (all) found.emplace(*version, std::move(tools));
  }
  const auto fits = found.lower_bound(major);
  if (fits != found.end()) return fits->second;
  return core::Error{"postgres_missing",
                     fmt::format("the database runs PostgreSQL {0}, but {1} has no pg_dump of that "
                                 "version or newer; install postgresql-client-{0}",
                                 major, kPostgresRoot)};
}

core::Status RunTool(const std::vector<std::string>& arguments, const Environment& environment,
                     const std::string& code) {
  LastLines said;
  const auto end = core::RunChild(
      {arguments, environment, {}, {}}, {}, [&](std::string_view line) { AddLine(said, line); },
      [] { return false; });
  if (!end.ok()) return end.error();
  if (!end->succeeded()) return Failed(code, NameOf(arguments), end->Text(), said);
  return core::Ok();
}

core::Status RunFed(const std::vector<std::string>& into, const Feed& feed,
                    const Environment& environment, const std::string& code) {
  auto input = Pipe::Open();
  auto told = Pipe::Open();
  const core::Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!input || !told || !nothing.ok()) return NoPipe(code);
  ::signal(SIGPIPE, SIG_IGN);  // a write to an ended program then fails
  LastLines said;
  const auto reader = core::StartChild({into, environment, {}, {}},
                                       {input->out.get(), nothing.get(), told->in.get()});
  if (!reader.ok()) return reader.error();
  input->out = core::Fd();
  WriteText(input->in, feed.before);
  const auto writer = core::StartChild({feed.from, environment, {}, {}},
                                       {nothing.get(), input->in.get(), told->in.get()});
  told->in = core::Fd();
  std::optional<int> written;
  {
    const std::jthread lines([&] { ReadLines(told->out, said); });
    if (writer.ok()) written = core::WaitFor(*writer);
    if (written == 0) WriteText(input->in, feed.after);
    input->in = core::Fd();
  }
  const auto read = core::WaitFor(*reader);
  if (!writer.ok()) return writer.error();
  // Reports the reader's failure first, because the end of the reader also ends the writer.
  if (read != 0) return Failed(code, NameOf(into), EndText(read), said);
  if (written != 0) return Failed(code, NameOf(feed.from), EndText(written), said);
  return core::Ok();
}

}  // namespace tunehub::server
