#include "tests/e2e/hub_fixture.h"

namespace tunehub::test {
namespace {

RawAnswer SendRows(ServerProcess& server, const std::string& rows) {
  return SendTree(server.Client(server.NewKey("submit")), "source=tree",
                  {{"a8w8_blockscale_tuned_gemm.csv", kHeader + rows}});
}

TEST(ImportAgainTest, runs_say_what_they_stored_and_whose_rows_they_repeat) {
  ServerProcess server({.database = NewDatabase()});
  const std::string tree = Row(16, "7.5") + Row(32, "8.5");
  ASSERT_EQ(Verdict(SendRows(server, tree)), "200");
  const auto again = JsonOf(SendRows(server, tree));
  EXPECT_EQ(again.at("stored"), 0);
  EXPECT_EQ(again.at("unchanged"), 2);
  const auto more = JsonOf(SendRows(server, tree + Row(64, "9.5")));
  EXPECT_EQ(more.at("stored"), 1);
  EXPECT_EQ(Verdict(server.Client().Get(kTable + "&source=wood")), "404 unknown_source");
  const auto runs = JsonOf(server.Client().Get("/runs")).at("runs");
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].at("rows"), 3);
  EXPECT_EQ(runs[0].at("stored"), 1);
  EXPECT_EQ(runs[0].at("repeats"), runs[1].at("id"));
  EXPECT_EQ(runs[1].at("stored"), 0);
  EXPECT_TRUE(runs[2].at("repeats").is_null());
  const auto run = JsonOf(server.Client().Get("/runs/" + runs[0].at("id").dump()));
  EXPECT_EQ(run.at("repeated").dump(), "[{\"rows\":2,\"run\":" + runs[2].at("id").dump() + "}]");
}

}  // namespace
}  // namespace tunehub::test
