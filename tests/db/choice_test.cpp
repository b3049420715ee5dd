// Filters that choose among candidates, not only among tuned rows.
#include "tests/support/registry.h"

namespace tunehub::test {
namespace {

using Choice = RegistryTest;

TEST_F(Choice, libtype_takes_the_best_of_the_candidates_it_allows) {
  registry.Send(Csv({{.kernel = "fast", .us = "10", .libtype = "cktile"},
                     {.kernel = "slow", .us = "30", .libtype = "ck"},
                     {.kernel = "mid", .us = "20", .libtype = "ck"},
                     {.m = 32, .kernel = "only", .libtype = "cktile"}}));
  EXPECT_EQ(registry.Table("libtype=ck"), Csv({{.kernel = "mid", .us = "20", .libtype = "ck"}}));
  EXPECT_EQ(registry.Table("libtype=ck,cktile"), registry.Table());
  EXPECT_EQ(registry.Table("libtype=asm"), "no_rows");
}

// A server's read waits for the server's own batch, even if the batch made no revision.
TEST_F(Choice, a_writer_reads_what_it_wrote_without_a_revision) {
  registry.snapshots.Start();
  registry.Send(
      Csv({{.kernel = "fast", .us = "10", .libtype = "cktile"}, {.kernel = "slow", .us = "30"}}));
  const auto body = [&] { return *registry.Get({{"libtype", "ck"}})->table->body; };
  EXPECT_EQ(body(), Csv({{.kernel = "slow", .us = "30"}}));
  registry.Send(Csv({{.kernel = "mid", .us = "20"}}));
  EXPECT_EQ(registry.Revision(), 1);
  EXPECT_EQ(body(), Csv({{.kernel = "mid", .us = "20"}}));
}

TEST_F(Choice, source_serves_the_rows_of_its_import_in_force_alone) {
  registry.Send(Csv({{.kernel = "fast", .us = "1"}, {.m = 64, .kernel = "alone"}}));
  registry.Import("tree", {{kTreeFile, Csv({{.us = "10"}, {.us = "20", .libtype = "cktile"}})}});
  registry.Import("tree", {{kTreeFile, Csv({{.us = "11"}, {.m = 32, .kernel = "b", .us = "0"}})}});
  registry.Import("other", {{kTreeFile, Csv({{.us = "2"}})}});
  const std::string whole = Csv({{.us = "11"}, {.m = 32, .kernel = "b", .us = "0"}});
  EXPECT_EQ(registry.Table("source=tree"), whole);
  EXPECT_EQ(registry.Table("source=tree&M=32&M=64"), Csv({{.m = 32, .kernel = "b", .us = "0"}}));
  EXPECT_EQ(registry.Table("source=tree&measured=only"), Csv({{.us = "11"}}));
  EXPECT_EQ(registry.Table("source=tree&libtype=cktile"), "no_rows");
  EXPECT_EQ(registry.Table("source=tree&since=2100-01-01"), "no_rows");
  EXPECT_EQ(registry.Table("source=other"), Csv({{.us = "2"}}));
  EXPECT_EQ(registry.Table("source=tre"), "unknown_source");
  EXPECT_EQ(registry.Table("source="), "bad_parameter");
  EXPECT_EQ(registry.Table("source=tree&revision=1"), "bad_parameter");
}

TEST_F(Choice, source_follows_reverts) {
  const auto run = [&](const std::string& us) {
    return RunOf(registry.Import("tree", {{kTreeFile, Csv({{.us = us}})}}));
  };
  const auto first = run("10"), second = run("11");
  EXPECT_EQ(registry.Table("source=tree"), Csv({{.us = "11"}}));
  ASSERT_TRUE(server::RevertRun(registry.pool, second, {}).ok());
  EXPECT_EQ(registry.Table("source=tree"), Csv({{.us = "10"}}));
  ASSERT_TRUE(server::RevertRun(registry.pool, first, {}).ok());
  EXPECT_EQ(registry.Table("source=tree"), "no_rows");
}

}  // namespace
}  // namespace tunehub::test
