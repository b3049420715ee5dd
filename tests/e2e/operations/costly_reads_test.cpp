// Reads whose answers take long to compute wait for each other, but never delay other requests.
#include <future>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"
#include "tests/support/held_tables.h"
#include "tests/support/metrics.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

TEST(CostlyReads, never_delay_other_reads_and_beyond_the_queue_are_told_its_limit) {
  const std::string database = NewDatabase();
  ServerProcess server({.database = database});
  const HttpClient submitter = server.Client(server.NewKey("submit")), open = server.Client();
  const auto push = [&](const std::string& us) {
    ASSERT_EQ(submitter.Post(kResults, kHeader + Row(16, us)).status, 200);
  };
  push("20.0");
  Execute(database,
          "UPDATE family SET written = 1000000");  // raises the estimated cost of each read
  push("10.0");
  const std::string choice = "/tuned/a8w8_blockscale?libtype=ck";
  const auto costly = [&](const std::string& name) {
    return Metrics(open).Of("tunehub_pool_" + name + R"({pool="costly_reads"})");
  };
  const auto other = [&](int i) { return choice + "&prefer=rocm=7." + std::to_string(i); };
  int asked = 0;
  ASSERT_TRUE(Comes([&] {
    return open.Get(other(1000 + asked++)).status == 200 && costly("wait_seconds_count") > 0;
  }));
  EXPECT_THAT(open.Get(choice).body, HasSubstr(",10.0,"));
  HeldTables tables(database, "run");
  std::vector<std::future<RawAnswer>> held;
  const auto ask = [&](int i) {
    held.push_back(std::async(std::launch::async, [=] { return open.Get(other(i)); }));
  };
  ask(0);
  ASSERT_TRUE(Comes([&] { return costly("busy_threads") == 1; }));
  constexpr int kMore = 39;  // 32 may wait: half of the queue
  for (int i = 1; i <= kMore; ++i) ask(i);
  ASSERT_TRUE(Comes([&] { return costly("waiting_requests") == 32; }));
  EXPECT_EQ(costly("busy_threads"), 1) << "one client must not get all threads";
  EXPECT_EQ(open.Get(choice).status, 200) << "this answer comes from memory";
  EXPECT_EQ(open.Get("/coverage/models?gfx=gfx942&cu_num=80").status, 200);
  EXPECT_EQ(open.Get(kTable).status, 200);
  tables.End();
  int refused = 0;
  for (auto& one : held) {
    const RawAnswer answer = one.get();
    if (answer.status == 200) continue;
    ++refused;
    EXPECT_EQ(Verdict(answer), "503 busy");
    EXPECT_EQ(JsonOf(answer).at("limit"), "waiting_costly_reads");
    EXPECT_FALSE(answer.Header("retry-after").empty());
  }
  EXPECT_EQ(refused, kMore - 32);
}

}  // namespace
}  // namespace tunehub::test
