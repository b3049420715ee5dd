// Daily quotas of an API key. All servers of a database share the counts. A write beyond a quota
// stores nothing.
#include "server/db/quota.h"

#include <gmock/gmock.h>

#include "tests/db/together.h"
#include "tests/support/queue.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"
#include "tests/support/verify.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;
using QuotaTest = RegistryTest;

server::Writer With(const server::Usage& quotas, std::int64_t key = 7) {
  return {.api_key = key, .quotas = std::make_shared<const server::Usage>(quotas)};
}

std::string Stored(Registry& registry) {
  std::string stored;
  for (const char* table : {"measurement", "batch", "run", "audit", "revision", "tuned"})
    stored += std::to_string(registry.Count(table)) + " ";
  return stored + QueryText(registry.url, "SELECT coalesce(sum(rows), 0)::text FROM usage");
}

TEST_F(QuotaTest, a_write_over_it_stores_nothing_on_any_server_until_the_day_ends) {
  const Post post{.by = With({.rows = 3})};
  Receipt(registry.Send(Csv({{}, {.m = 32}}), post));
  const std::string before = Stored(registry);
  Registry other(registry.url);
  for (Registry* server : {&registry, &other}) {
    const auto answer = server->Send(Csv({{.m = 48}, {.m = 64}}), post);
    EXPECT_EQ(Refusal(answer), "over_quota");
    EXPECT_THAT(answer.refusal->error.detail,
                testing::MatchesRegex(
                    "nothing was stored, because of quota_rows: a key may write 3 rows a day, .* "
                    "key 7 would have written 4. .* ends at ....-..-..T00:00:00Z"));
  }
  EXPECT_EQ(Stored(registry), before);
  EXPECT_EQ(Refusal(registry.Send(Csv({{.m = 48}, {.m = 64}}), {.by = With({.rows = 3}, 8)})), "");
  Receipt(other.Send(Csv({{.m = 48}}), post));  // the third row
  EXPECT_EQ(Refusal(registry.Send(Csv({{.m = 80}}), post)), "over_quota");
  Execute(registry.url, "UPDATE usage SET day = day - 1");
  Receipt(registry.Send(Csv({{.m = 80}}), post));
}

TEST_F(QuotaTest, each_has_its_count_and_a_trial_and_a_repeat_count_for_none) {
  const auto send = [&](const server::Usage& quotas, Post post) {
    post.by = With(quotas);
    post.bytes = 100;
    return Refusal(registry.Send(Csv({{.us = "9"}}), post));
  };
  EXPECT_EQ(send({.bytes = 100}, {.dry_run = true}), "");
  EXPECT_EQ(send({.bytes = 100}, {.idempotency_key = "k"}), "");
  EXPECT_EQ(send({.bytes = 100}, {.idempotency_key = "k"}), "");
  EXPECT_EQ(send({.bytes = 100}, {}), "over_quota");
  EXPECT_EQ(send({}, {}), "") << "0 is no limit";
  EXPECT_EQ(Refusal(registry.Send(Csv({{.us = "8"}}), {.by = With({.keys = 1})})), "over_quota");
  EXPECT_EQ(
      Refusal(registry.Send(Csv({{.kernel = "slow", .us = "99"}}), {.by = With({.keys = 1})})), "")
      << "the write changes no shape key";
  const auto day = server::ReadDayOfKey(registry.pool, 7);
  EXPECT_EQ(day.used.rows, 3);
  EXPECT_EQ(day.used.bytes, 200);
  EXPECT_EQ(day.used.keys, 1);
  EXPECT_EQ(server::ReadDayOfKey(registry.pool, 8).used.rows, 0);
}

TEST(QuotaQueueTest, demand_counts_by_shapes) {
  QueueFixture hub;
  server::WriteRequest write;
  static_cast<server::Writer&>(write) = With({.demand = 2});
  write.digest = "d";
  const auto post = [&](const std::string& rows) {
    return hub.demand.Post(hub.registry.family(), "M,N,K\n" + rows, server::BodyFormat::kCsv,
                           {"gfx942", 304}, write);
  };
  EXPECT_EQ(Refusal(post("16,1280,5120\n16,1280,5120\n32,1280,5120\n")), "");
  const auto over = post("48,1280,5120\n");
  EXPECT_EQ(Refusal(over), "over_quota");
  EXPECT_EQ(hub.registry.Count("demand"), 2);
}

TEST_F(QuotaTest, one_of_a_group_is_refused_and_the_others_are_still_one_transaction) {
  const auto runs = RunsTogether(registry);
  const server::Usage small[] = {{.rows = 1}, {.bytes = 9}, {.keys = 1}};
  SendTogether(registry, [&](int i) {
    const bool over = i >= 2 && i < 5;
    Post post{
        .run = runs[static_cast<std::size_t>(i)],
        .by = With(over ? small[i - 2] : server::Usage{.rows = 14, .bytes = 500}, over ? i : 9),
        .bytes = 10};
    post.by.admin = true;  // so that the hub does not judge kernel names
    EXPECT_EQ(Refusal(registry.Send(Csv({{.m = 1 + i}, {.m = 101 + i}}), post)),
              over ? "over_quota" : "");
  });
  EXPECT_EQ(
      QueryText(registry.url, "SELECT count(*) || ' ' || count(DISTINCT xmin::text) FROM batch"),
      std::to_string(kTogether - 3) + " 2");
  EXPECT_EQ(WhatDoesNotHold(registry.pool), "");
}

}  // namespace
}  // namespace tunehub::test
