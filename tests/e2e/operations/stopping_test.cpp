// A server that cannot continue stops cleanly, even if its threads are busy.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

// Makes glibc overwrite freed memory.
constexpr const char* kFreedIsGarbage = "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165";

// One thread follows the database and updates the keys. It must end before the keys are destroyed.
TEST(StoppingTest, a_server_whose_port_is_taken_ends_with_1_while_others_commit) {
  const std::string database = NewDatabase();
  ServerProcess first({.database = database});
  for (int i = 0; i < 3; ++i) first.NewKey("read");
  std::atomic<bool> done = false;
  std::thread committer([&] {
    while (!done) Execute(database, "NOTIFY tunehub");
  });
  for (int i = 0; i < 5; ++i) {
    const Finished ended = RunToEnd(
        {ServerBinary(),
         {"serve", "--database", database, "--listen", "127.0.0.1:" + std::to_string(first.port())},
         {{"GLIBC_TUNABLES", kFreedIsGarbage}}});
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_THAT(ended.err, testing::HasSubstr("address_in_use"));
  }
  done = true;
  committer.join();
  EXPECT_EQ(Verdict(first.Client().Get("/healthz")), "200");
}

// A full pipe must not block a thread that logs.
TEST(StoppingTest, a_server_whose_log_nobody_reads_goes_on_and_ends_when_it_is_told) {
  const std::string database = NewDatabase();
  ASSERT_EQ(RunToEnd({ServerBinary(), {"migrate", "--database", database}}).status, 0);
  const TempDir dir;
  const auto log = dir.path() / "log";
  ASSERT_EQ(::mkfifo(log.c_str(), 0600), 0);
  const int fifo = ::open(log.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  Program server(
      {ServerBinary(),
       {"serve", "--database", database, "--listen", "127.0.0.1:0", "--log-format", "json"}},
      dir.path() / "out", log);
  std::string begin, piece(4096, '\0');
  std::size_t port = std::string::npos;
  ASSERT_TRUE(Comes([&] {
    const ssize_t size = ::read(fifo, piece.data(), piece.size());
    if (size > 0) begin += piece.substr(0, static_cast<std::size_t>(size));
    port = begin.find("127.0.0.1:", begin.find("listens on http"));
    return port != std::string::npos && begin.find('\n', port) != std::string::npos;
  })) << begin;
  HttpClient client(static_cast<unsigned short>(std::stoi(begin.substr(port + 10, 5))), "");
  for (int i = 0; i < 1'000; ++i) ASSERT_EQ(Verdict(client.Get("/healthz")), "200");
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(std::chrono::seconds(60)), 0);
  ::close(fifo);
}

// A restart begins while the old server, a lame duck, still has the data folder.
TEST(StoppingTest, the_next_server_waits_for_one_that_was_told_to_stop) {
  const TempDir dir;
  const std::filesystem::path data = dir.path() / "data";
  auto before = std::make_unique<ServerProcess>(
      ServerOptions{.data = data, .environment = {{"TUNEHUB_LAME_DUCK_MS", "7000"}}});
  before->Signal(SIGTERM);
  const TempDir logs;
  const Program next({ServerBinary(), {"serve", "--listen", "127.0.0.1:0", "--data", data}},
                     logs.path() / "log", logs.path() / "log");
  const auto says = [&](const std::string& text) {
    return Comes([&] { return ReadText(logs.path() / "log").find(text) != std::string::npos; });
  };
  EXPECT_TRUE(says("waiting for the server with pid " + std::to_string(before->pid()) + " to end"));
  EXPECT_TRUE(before->Lives()) << "it must be a lame duck";
  before->Signal(SIGTERM);  // ends the lame duck's time early
  EXPECT_TRUE(says("listens on"));
  EXPECT_FALSE(before->Lives());
}

}  // namespace
}  // namespace tunehub::test
