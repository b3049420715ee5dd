// Several servers on one database. They may start together on an empty database. No server's answer
// is older than another server's earlier answer, and all servers stay ready during an upgrade.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <future>
#include <iostream>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"

namespace tunehub::test {
namespace {

using Clock = std::chrono::steady_clock;

const std::string kA8w8 =
    "gfx,cu_num,M,N,K,q_dtype_w,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
    "gfx942,304,16,1536,7168,torch.int8,1,0,10.0,a8w8_rowwise_a,9,9,0.0\n";

TEST(ManyServersTest, that_start_at_once_on_an_empty_database_all_serve_what_one_commits) {
  const std::string database = NewDatabase();
  std::vector<std::future<std::unique_ptr<ServerProcess>>> starting;
  for (int i = 0; i < 3; ++i) {
    starting.push_back(std::async(std::launch::async, [&] {
      return std::make_unique<ServerProcess>(
          ServerOptions{.database = database, .serve_migrates = true});
    }));
  }
  std::vector<std::unique_ptr<ServerProcess>> servers;
  for (auto& it : starting) servers.push_back(it.get());
  const std::string key = servers[0]->NewKey("submit");
  std::vector<double> took;
  for (int i = 0; i < 60; ++i) {
    const auto writer = static_cast<std::size_t>(i) % servers.size();
    const std::string row = Row(1 + i, "7.5");
    const RawAnswer taken = Good(servers[writer]->Client(key).Post(kResults, kHeader + row));
    const std::string pin = JsonOf(taken).at("pin").get<std::string>();
    const auto begin = Clock::now();
    for (const auto& reader : servers) {
      const auto read = reader->Client().Get(kTable + "&min_revision=" + pin);
      EXPECT_THAT(read.body, testing::HasSubstr(row)) << i;
      EXPECT_EQ(read.Header("warning"), "");
    }
    took.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  std::sort(took.begin(), took.end());
  std::cout << "commit to fresh bytes on all of three servers, ms: median " << took[took.size() / 2]
            << ", most " << took.back() << '\n';
}

// Expects the answers of a server whose family file is older than the database's. `before` is its
// table at revision 1.
void ExpectToStayBehind(const ServerProcess& old, const std::string& before,
                        const std::string& key) {
  for (const char* what : {"/readyz", "/readyz?for=read", "/readyz?for=write"})
    EXPECT_EQ(Verdict(old.Client().Get(what)), "200") << what;
  const auto table = old.Client().Get(kTable);
  EXPECT_EQ(table.body, before);
  EXPECT_EQ(table.Header("tunehub-revision"), "1");
  EXPECT_NE(table.Header("warning"), "") << "the table is not current";
  const auto refused = old.Client(key).Post(kResults, kHeader + Row(4, "7.5"));
  EXPECT_EQ(Verdict(refused), "503 definitions_changed")
      << "the agent must retry, at another server";
  EXPECT_NE(refused.Header("retry-after"), "");
  EXPECT_EQ(Verdict(old.Client(key).Post("/results/a8w8", kA8w8)), "200");
}

TEST(ManyServersTest, an_older_server_stays_ready_while_a_family_file_changes) {
  const TempDir dir;
  const auto configs = dir.path() / "configs";
  std::filesystem::copy(ShippedFamilyFolder().parent_path(), configs,
                        std::filesystem::copy_options::recursive);
  const std::string database = NewDatabase();
  ServerProcess old({.database = database});
  const std::string key = old.NewKey("submit");
  ASSERT_EQ(Verdict(old.Client(key).Post(kResults, kHeader + Row(1, "7.5"))), "200");
  const std::string before = old.Client().Get(kTable).body;
  const auto file = configs / "families/a8w8_blockscale.json";
  std::string text = ReadText(file);
  text.replace(text.find("\"error_limit\": 0.2"), 18, "\"error_limit\": 0.1");
  std::ofstream(file) << text;
  ServerProcess newer({.database = database, .configs = configs});  // migrates the database
  ASSERT_EQ(Verdict(newer.Client(key).Post(kResults, kHeader + Row(2, "7.5"))), "200");
  ASSERT_EQ(Verdict(newer.Client(key).Post("/results/a8w8", kA8w8)), "200");
  // This answer shows that the server has read the last commit, and so also the changed family.
  EXPECT_TRUE(Comes([&] { return old.Client().Get("/tuned/a8w8").body == kA8w8; }));
  ExpectToStayBehind(old, before, key);
  EXPECT_EQ(newer.Client().Get(kTable).body, before + Row(2, "7.5"));

  // The host reboots during the upgrade.
  EXPECT_EQ(old.Stop(), 0);
  old.Start();
  ExpectToStayBehind(old, before, key);
  EXPECT_THAT(old.Log(), testing::HasSubstr("keeps serving revision 1"));
  EXPECT_EQ(old.Client().Get("/tuned/a8w8").body, kA8w8);
  ASSERT_EQ(Verdict(newer.Client(key).Post(kResults, kHeader + Row(8, "7.5"))), "200");
  ExpectToStayBehind(old, before, key);
  // A second migration undoes the upgrade, and the old server has all rows of the family.
  ASSERT_EQ(old.Tool({"migrate"}).status, 0);
  const std::string whole = before + Row(2, "7.5") + Row(8, "7.5");
  EXPECT_TRUE(Comes([&] { return old.Client().Get(kTable).body == whole; }));
  EXPECT_EQ(Verdict(old.Client(key).Post(kResults, kHeader + Row(16, "7.5"))), "200");
  EXPECT_EQ(old.Client().Get(kTable + "&revision=1").body, before);
}

}  // namespace
}  // namespace tunehub::test
