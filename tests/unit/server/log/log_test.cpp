// The log as a whole: who writes to stderr, and what becomes of lines that nobody reads.
#include "server/log/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tunehub::log {
namespace {

using testing::HasSubstr;

constexpr int kSilence = 500;  // ms after which nothing more comes

// stderr as a pipe, of which somebody reads only in the end.
class UnreadStderr {
 public:
  UnreadStderr() : before_(::dup(STDERR_FILENO)) {
    EXPECT_EQ(::pipe2(pipe_, O_CLOEXEC), 0);
    ::dup2(pipe_[1], STDERR_FILENO);
  }
  UnreadStderr(const UnreadStderr&) = delete;
  UnreadStderr& operator=(const UnreadStderr&) = delete;
  ~UnreadStderr() {
    ::dup2(before_, STDERR_FILENO);
    for (const int fd : {before_, pipe_[0], pipe_[1]}) ::close(fd);
  }
  std::string Read() {
    std::string text;
    char piece[65536];
    pollfd ready{pipe_[0], POLLIN, 0};
    while (::poll(&ready, 1, kSilence) > 0) {
      const ssize_t size = ::read(pipe_[0], piece, sizeof piece);
      if (size <= 0) break;
      text.append(piece, static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  int before_;
  int pipe_[2] = {};
};

// A pipe that its reader had forgotten stopped every reactor at its next line.
TEST(Log, lines_that_nobody_reads_stop_nobody_and_are_counted) {
  UnreadStderr unread;
  Use(Format::kJson);
  WaitForNoReader();
  for (int i = 0; i < 20'000; ++i) {
    Say(spdlog::level::info, "access", std::string(100, 'x'), {{"number", std::int64_t{i}}});
    if (i % 100 == 0) spdlog::warn("of the process itself, {}", i);
  }
  const std::string text = unread.Read();
  EXPECT_THAT(text, HasSubstr("\"number\":19999"));
  EXPECT_THAT(text, HasSubstr("of the process itself, 19900"));
  // All are there or counted, a gap is said once, and takes no line's place.
  std::size_t missing = 0, said = 0;
  constexpr std::string_view kMissing = " lines are missing here: nobody read stderr";
  for (std::size_t at = 0; (at = text.find(kMissing, at)) != text.npos; ++at, ++said) {
    const std::size_t begin = text.rfind('"', at) + 1;
    missing += std::stoul(text.substr(begin, at - begin));
  }
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  EXPECT_EQ(lines - said + missing, 20'200u);
  EXPECT_LE(said, 5u);
  Use(Format::kText);
}

TEST(Log, lines_that_nobody_reads_keep_no_process_from_its_end) {
  const auto end = [] {
    UnreadStderr unread;
    ::alarm(120);  // what hangs is ended
    Use(Format::kJson);
    WaitForNoReader();
    for (int i = 0; i < 5'000; ++i) spdlog::warn("{}", std::string(100, 'x'));
    std::exit(0);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tunehub::log
