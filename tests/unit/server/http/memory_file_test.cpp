#include "server/http/memory_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace tunehub::http {
namespace {

std::shared_ptr<const std::string> Body(std::size_t size) {
  return std::make_shared<const std::string>(size, 'x');
}

TEST(MemoryFiles, a_large_body_becomes_a_file_when_it_is_sent_again) {
  MemoryFiles files;
  const auto body = Body(100'000);
  EXPECT_EQ(files.Find(body), nullptr);
  const auto file = files.Find(body);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->size(), 100'000U);
  EXPECT_EQ(files.Find(body), file);
}

TEST(MemoryFiles, a_small_body_and_no_body_never_do) {
  MemoryFiles files;
  const auto body = Body(1'000);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(files.Find(body), nullptr);
    EXPECT_EQ(files.Find(nullptr), nullptr);
  }
}

TEST(MemoryFiles, the_file_goes_with_its_body) {
  MemoryFiles files;
  auto body = Body(100'000);
  files.Find(body);
  const std::weak_ptr<const MemoryFile> file = files.Find(body);
  files.Sweep();
  EXPECT_FALSE(file.expired());
  body.reset();
  files.Sweep();
  EXPECT_TRUE(file.expired());
}

TEST(MemoryFiles, all_files_together_stay_within_their_limit) {
  MemoryFiles files;
  const std::array bodies = {Body(60'000'000), Body(60'000'000), Body(60'000'000)};
  std::string made;
  for (const auto& body : bodies) {
    files.Find(body);
    made += files.Find(body) ? "file " : "none ";
  }
  EXPECT_EQ(made, "file file none ");
}

TEST(MemoryFile, a_turn_sends_the_head_and_then_the_body_from_where_it_was) {
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data()), 0);
  const auto file = MemoryFile::Of("0123456789");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->Send(pair[0], "head:", 0, 4).sent, 9U);
  EXPECT_EQ(file->Send(pair[0], "", 4, 100).sent, 6U);
  std::array<char, 64> text{};
  std::string all;
  for (ssize_t got; (got = ::read(pair[1], text.data(), text.size())) > 0;) {
    all.append(text.data(), static_cast<std::size_t>(got));
  }
  EXPECT_EQ(all, "head:0123456789");
  ::close(pair[0]);
  ::close(pair[1]);
}

}  // namespace
}  // namespace tunehub::http
