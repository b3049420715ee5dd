// A real primary and its hot standby, before and after the standby becomes the primary.
#include "tests/support/standby.h"

#include <filesystem>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/cluster_process.h"
#include "tests/support/comes.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

class StandbyTest : public testing::Test {
 protected:
  static RawAnswer Post(const ServerProcess& server, const std::string& key, int m) {
    return server.Client(key).Post(kResults, kHeader + Row(m, "7.5"),
                                   {{"Content-Type", "text/csv"}});
  }
  // Repeats the write until the hub accepts it. Returns the last verdict.
  static std::string FirstTaken(const ServerProcess& server, const std::string& key, int m) {
    std::string verdict;
    Comes([&] {
      verdict = Verdict(Post(server, key, m));
      EXPECT_TRUE(verdict == "200" || verdict == "503 database_unavailable") << verdict;
      return verdict == "200";
    });
    return verdict;
  }

  TempDir dir_;
  ClusterProcess primary_{{.data_dir = dir_.path() / "data", .extra_settings = {{"fsync", "off"}}}};
};

// A floating address moves from the primary to the standby.
TEST_F(StandbyTest, a_write_that_a_standby_refuses_may_come_again) {
  const auto address = dir_.path() / "address";
  std::filesystem::create_directory_symlink(WordOf(primary_.connection(), "host"), address);
  ServerProcess server(
      {.database = "host=" + address.string() + " port=5432 user=tunehub dbname=tunehub"});
  const std::string key = server.NewKey("submit");
  EXPECT_EQ(Verdict(Post(server, key, 1)), "200");
  const Standby standby(primary_.connection());
  primary_.Kill();
  std::filesystem::remove(address);
  std::filesystem::create_directory_symlink(standby.socket_dir(), address);
  EXPECT_TRUE(Comes([&] {
    const auto answer = Post(server, key, 2);
    EXPECT_EQ(Verdict(answer), "503 database_unavailable") << answer.body;
    EXPECT_NE(answer.Header("retry-after"), "");
    EXPECT_EQ(Verdict(server.Client().Get(kTable)), "200") << "reads must continue";
    return server.Log().find("the database accepts no writes") != std::string::npos;
  }));
  standby.Promote();
  EXPECT_EQ(FirstTaken(server, key, 4), "200");
}

}  // namespace
}  // namespace tunehub::test
