// Batches that wait for the same family share a transaction, but nothing else.
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/db/together.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"
#include "tests/support/verify.h"

namespace tunehub::test {
namespace {

using IngestGroup = RegistryTest;

std::vector<server::WriteAnswer> AnswersTogether(
    Registry& registry, const std::function<server::WriteAnswer(int)>& send) {
  std::vector<server::WriteAnswer> answers(kTogether);
  SendTogether(registry, [&](int i) { answers[static_cast<std::size_t>(i)] = send(i); });
  return answers;
}

std::string Transactions(const Registry& registry) {
  return QueryText(registry.url, "SELECT count(DISTINCT xmin::text)::text FROM batch");
}

TEST_F(IngestGroup, what_waits_is_one_transaction_and_each_batch_has_its_own_revision) {
  const auto runs = RunsTogether(registry);
  const auto answers = AnswersTogether(registry, [&](int i) {
    return registry.Send(
        Csv({{.m = i + 1}, {.m = i + 1, .kernel = "b", .us = "20"}}),
        {.run = runs[static_cast<std::size_t>(i)], .idempotency_key = "k" + std::to_string(i)});
  });
  std::set<std::int64_t> revisions, batches;
  for (const auto& answer : answers) {
    const auto receipt = Receipt(answer);
    EXPECT_EQ(receipt["won"], 1) << receipt;
    EXPECT_EQ(receipt["changed"], 1) << receipt;
    EXPECT_EQ(receipt["stored"], 2) << receipt;
    revisions.insert(receipt["revision"].get<std::int64_t>());
    batches.insert(receipt["batch"].get<std::int64_t>());
  }
  EXPECT_EQ(revisions.size(), kTogether);
  EXPECT_EQ(*revisions.rbegin(), kTogether) << "without a gap";
  EXPECT_EQ(batches.size(), kTogether);
  EXPECT_EQ(Transactions(registry), "2") << "one for the first batch, one for all others";
  const auto again = registry.Send(Csv({{.m = 3}, {.m = 3, .kernel = "b", .us = "20"}}),
                                   {.run = runs[2], .idempotency_key = "k2"});
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.receipt, answers[2].receipt);
  EXPECT_EQ(WhatDoesNotHold(registry.pool), "");
}

TEST_F(IngestGroup, one_that_fails_and_one_that_repeats_fail_no_other) {
  const auto runs = RunsTogether(registry);
  Receipt(registry.Send(Csv({{.m = 5}}), {.run = runs[4]}));
  const auto answers = AnswersTogether(registry, [&](int i) {
    Post post{.run = runs[static_cast<std::size_t>(i)]};
    if (i == 2) post.by.owner = "somebody else";
    return registry.Send(Csv({{.m = i + 1}}), post);
  });
  for (int i = 0; i < kTogether; ++i) {
    const auto& answer = answers[static_cast<std::size_t>(i)];
    if (i == 2) {
      EXPECT_EQ(Refusal(answer), "not_owner");
      continue;
    }
    EXPECT_EQ(Receipt(answer)["stored"], i == 4 ? 0 : 1) << i;
    EXPECT_EQ(Receipt(answer)["unchanged"], i == 4 ? 1 : 0) << i;
  }
}

TEST_F(IngestGroup, batches_that_go_alone_wait_without_a_connection) {
  ASSERT_GT(kTogether, registry.pool.figures().size) << "more batches than connections";
  const auto answers = AnswersTogether(
      registry, [&](int i) { return registry.Send(Csv({{.m = i + 1}})); });  // each in a new run
  for (const auto& answer : answers) EXPECT_EQ(Receipt(answer)["stored"], 1);
  EXPECT_EQ(Transactions(registry), std::to_string(kTogether));
}

TEST_F(IngestGroup, contested_keys_are_chosen_for_each_batch_by_itself) {
  const auto runs = RunsTogether(registry);
  for (int i = 0; i < kTogether; ++i) Receipt(registry.Send(Csv({{.m = i + 1}})));
  const auto before = registry.Revision();
  const auto answers = AnswersTogether(registry, [&](int i) {  // every second batch is better
    return registry.Send(Csv({{.m = i + 1, .kernel = "b", .us = i % 2 == 0 ? "5" : "15"}}),
                         {.run = runs[static_cast<std::size_t>(i)]});
  });
  for (int i = 0; i < kTogether; ++i) {
    const auto receipt = Receipt(answers[static_cast<std::size_t>(i)]);
    EXPECT_EQ(receipt["won"], i % 2 == 0 ? 1 : 0) << receipt;
    EXPECT_EQ(receipt["changed"], i % 2 == 0 ? 1 : 0) << receipt;
    EXPECT_EQ(receipt.contains("revision"), i % 2 == 0) << receipt;
  }
  EXPECT_EQ(registry.Revision(), before + kTogether / 2);
  EXPECT_EQ(Transactions(registry), std::to_string(kTogether + 2));
  for (int revision = 1; revision <= registry.Revision(); ++revision)  // each read checks a digest
    registry.Table("allow_empty=1&revision=" + std::to_string(revision));
  EXPECT_EQ(WhatDoesNotHold(registry.pool), "");
}

}  // namespace
}  // namespace tunehub::test
