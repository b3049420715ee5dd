// A server that cannot go on ends in order, whatever its threads hear meanwhile.
#include <atomic>
#include <thread>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

// Whoever reads what was freed does not find it as it was.
constexpr const char* kFreedIsGarbage = "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165";

// The keys were gone while the thread that follows the database still read them anew.
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
    EXPECT_EQ(ended.status, 1) << ended.err;
    EXPECT_THAT(ended.err, testing::HasSubstr("address_in_use"));
  }
  done = true;
  committer.join();
  EXPECT_EQ(Verdict(first.Client().Get("/healthz")), "200");
}

}  // namespace
}  // namespace tunehub::test
