#include "agent/hub/wait_notice.h"

#include <gmock/gmock.h>
#include <pty.h>
#include <unistd.h>

#include "core/base/file.h"
#include "tests/support/comes.h"
#include "tests/support/shipped.h"
#include "tests/support/temp_dir.h"

namespace tunehub::agent::test {
namespace {

using std::chrono::milliseconds;
using tunehub::test::Comes;
using tunehub::test::ReadText;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

TEST(AgentWaiting, a_line_comes_after_the_silence_and_the_next_one_far_later) {
  const tunehub::test::TempDir dir;
  const std::string path = dir / "err";
  const File err(std::fopen(path.c_str(), "w"));
  {
    WaitNotice waiting(err.get(), milliseconds(20));
    waiting.For("waiting for http://hub (GET /runs, try 1 of 6)");
    ASSERT_TRUE(Comes([&] { return !ReadText(path).empty(); }));
    waiting.For("waiting for http://hub (GET /runs, try 2 of 6: refused\x1b[2J)");
    ASSERT_TRUE(Comes([&] { return ReadText(path).find("try 2") != std::string::npos; }));
  }
  EXPECT_THAT(ReadText(path),
              testing::StartsWith("waiting for http://hub (GET /runs, try 1 of 6)\n"));
  EXPECT_THAT(ReadText(path), testing::Not(testing::HasSubstr("\x1b")));
}

TEST(AgentWaiting, a_terminal_keeps_no_line) {
  int terminal = -1, other = -1;
  ASSERT_EQ(::openpty(&terminal, &other, nullptr, nullptr, nullptr), 0);
  const core::Fd reader(terminal);
  std::string said(4096, '\0');
  {
    const File err(::fdopen(other, "w"));
    WaitNotice waiting(err.get(), milliseconds(1));
    waiting.For("waiting");
    const ssize_t bytes = ::read(reader.get(), said.data(), said.size());
    ASSERT_GT(bytes, 0);
    EXPECT_EQ(said.substr(0, 11), "\r\x1b[Kwaiting");
  }
  const ssize_t rest = ::read(reader.get(), said.data(), said.size());
  ASSERT_GT(rest, 0);
  said.resize(static_cast<std::size_t>(rest));
  EXPECT_THAT(said, testing::EndsWith("\r\x1b[K"));
}

TEST(AgentWaiting, whoever_is_quiet_gets_no_line) {
  WaitNotice waiting(nullptr, milliseconds(0));
  waiting.For("waiting");
}

}  // namespace
}  // namespace tunehub::agent::test
