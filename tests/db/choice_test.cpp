// Filters that choose among candidates, which no tuned row tells.
#include <gtest/gtest.h>

#include "tests/support/registry.h"

namespace tunehub {
namespace {

using test::Csv;
using test::Registry;

TEST(Choice, libtype_takes_the_best_of_the_candidates_it_allows) {
  Registry registry;
  registry.Send(Csv({{.kernel = "fast", .us = "10", .libtype = "cktile"},
                     {.kernel = "slow", .us = "30", .libtype = "ck"},
                     {.kernel = "mid", .us = "20", .libtype = "ck"},
                     {.m = 32, .kernel = "only", .libtype = "cktile"}}));
  EXPECT_EQ(registry.Table("libtype=ck"), Csv({{.kernel = "mid", .us = "20", .libtype = "ck"}}));
  EXPECT_EQ(registry.Table("libtype=ck,cktile"), registry.Table());
  EXPECT_EQ(registry.Table("libtype=asm"), "no_rows");
}

TEST(Choice, its_answer_follows_candidates_that_make_no_revision) {
  Registry registry;
  registry.Send(Csv({{.kernel = "fast", .us = "10", .libtype = "cktile"}}));
  EXPECT_EQ(registry.Table("libtype=ck"), "no_rows");
  registry.Send(Csv({{.kernel = "slow", .us = "30", .libtype = "ck"}}));
  EXPECT_EQ(registry.Revision(), 1);
  EXPECT_EQ(registry.Table("libtype=ck"), Csv({{.kernel = "slow", .us = "30", .libtype = "ck"}}));
}

// Only batches with a revision were waited for: the writer itself got the answer of before.
TEST(Choice, a_writer_reads_what_it_wrote_without_a_revision) {
  Registry registry;
  registry.snapshots.Start();
  registry.Send(
      Csv({{.kernel = "fast", .us = "10", .libtype = "cktile"}, {.kernel = "slow", .us = "30"}}));
  const core::Family& family = *registry.definitions.families.Find("a8w8_blockscale");
  const auto query =
      service::ParseTunedQuery(family, registry.definitions.targets, {{"libtype", "ck"}});
  const auto body = [&] {
    return *(*registry.tables.Get(family, *query, service::Encoding::kIdentity)).table->body;
  };
  EXPECT_EQ(body(), Csv({{.kernel = "slow", .us = "30"}}));
  registry.Send(Csv({{.kernel = "mid", .us = "20"}}));
  EXPECT_EQ(body(), Csv({{.kernel = "mid", .us = "20"}}));
}

}  // namespace
}  // namespace tunehub
