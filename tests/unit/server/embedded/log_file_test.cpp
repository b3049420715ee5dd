// The server limits the size of DIR/pg.log and quotes the file's end in errors.
#include "server/embedded/log_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/temp_dir.h"

namespace tunehub::embedded {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void Say(const LogFile& log, const std::string& text) {
  ASSERT_EQ(::write(log.fd(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

TEST(EmbeddedLogFile, past_the_limit_moves_aside_and_the_writer_goes_on_at_the_start) {
  const test::TempDir dir;
  const fs::path path = dir.path() / "pg.log";
  const auto log = LogFile::Open(path);
  ASSERT_TRUE(log);
  Say(**log, "0123456789\n");
  (*log)->BoundNow(100);
  EXPECT_EQ(ReadFile(path), "0123456789\n");
  (*log)->BoundNow(10);
  Say(**log, "next\n");
  EXPECT_EQ(ReadFile(path), "next\n");
  EXPECT_EQ(ReadFile(dir.path() / "pg.log.1"), "0123456789\n");
}

TEST(EmbeddedLogFile, tail_is_whole_lines) {
  const test::TempDir dir;
  const auto log = LogFile::Open(dir.path() / "pg.log");
  ASSERT_TRUE(log);
  EXPECT_EQ((*log)->Tail(), "");
  Say(**log, "short\n");
  EXPECT_EQ((*log)->Tail(), "short");
  Say(**log, std::string(2000, 'x') + "\nlast but one\nlast\n");
  EXPECT_EQ((*log)->Tail(), "last but one\nlast");
}

TEST(EmbeddedLogFile, is_kept_over_a_restart) {
  const test::TempDir dir;
  Say(**LogFile::Open(dir.path() / "pg.log"), "before\n");
  const auto log = LogFile::Open(dir.path() / "pg.log");
  EXPECT_EQ((*log)->Tail(), "before");
}

}  // namespace
}  // namespace tunehub::embedded
