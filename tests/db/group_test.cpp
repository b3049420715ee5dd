// Batches that wait for one family: they share a transaction, and nothing else. Counted, not timed.
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <pqxx/pqxx>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/batch.h"
#include "tests/support/comes.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"
#include "tests/support/verify.h"

namespace tunehub {
namespace {

using test::Csv;
using test::Receipt;
using test::Refusal;
using test::Registry;

constexpr int kBatches = 8;
constexpr std::chrono::seconds kSoon(15);  // before the database gives up to wait for a lock

// Holds every family's lock, as an import of another server would.
class Held {
 public:
  explicit Held(const std::string& url) : connection_(url), work_(connection_) {
    work_.exec("SELECT pg_advisory_xact_lock(7411, id) FROM family");
  }
  // Whether somebody waits for one.
  bool IsWanted() {
    return !work_
                .exec(
                    "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                    " AND database = (SELECT oid FROM pg_database"
                    " WHERE datname = current_database())")
                .empty();
  }
  void Release() { work_.commit(); }

 private:
  pqxx::connection connection_;
  pqxx::work work_;
};

// Does send(i) from a thread of its own each: the first waits for the family in the database, the
// others behind it in the line.
void SendTogether(Registry& registry, int batches, const std::function<void(int)>& send) {
  Held held(registry.url);
  std::vector<std::thread> threads;
  threads.emplace_back(send, 0);
  EXPECT_TRUE(test::Comes([&] { return held.IsWanted(); }, kSoon)) << "nobody leads";
  for (int i = 1; i < batches; ++i) threads.emplace_back(send, i);
  const auto behind = static_cast<std::size_t>(batches - 1);
  EXPECT_TRUE(test::Comes([&] { return registry.store.batches().waiting() == behind; }, kSoon));
  held.Release();
  for (std::thread& thread : threads) thread.join();
}

std::vector<service::WriteAnswer> AnswersTogether(
    Registry& registry, const std::function<service::WriteAnswer(int)>& send) {
  std::vector<service::WriteAnswer> answers(kBatches);
  SendTogether(registry, kBatches, [&](int i) { answers[static_cast<std::size_t>(i)] = send(i); });
  return answers;
}

std::string Transactions(const Registry& registry) {
  return test::QueryText(registry.url, "SELECT count(DISTINCT xmin::text)::text FROM batch");
}

std::vector<std::int64_t> Runs(Registry& registry) {
  std::vector<std::int64_t> runs;
  for (int i = 0; i < kBatches; ++i)
    runs.push_back(registry.NewRun("2026-01-01T00:00:00Z", {}, 0.1 + 0.01 * i));
  return runs;
}

TEST(IngestGroup, what_waits_is_one_transaction_and_each_batch_has_its_own_revision) {
  Registry registry;
  const auto runs = Runs(registry);
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
  EXPECT_EQ(revisions.size(), kBatches);
  EXPECT_EQ(*revisions.rbegin(), kBatches) << "without a gap";
  EXPECT_EQ(batches.size(), kBatches);
  EXPECT_EQ(Transactions(registry), "2") << "the first one's, and that of all the others";
  const auto again = registry.Send(Csv({{.m = 3}, {.m = 3, .kernel = "b", .us = "20"}}),
                                   {.run = runs[2], .idempotency_key = "k2"});
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.receipt, answers[2].receipt);
  EXPECT_EQ(test::WhatDoesNotHold(registry.store), "");
}

TEST(IngestGroup, one_that_fails_and_one_that_repeats_fail_no_other) {
  Registry registry;
  const auto runs = Runs(registry);
  Receipt(registry.Send(Csv({{.m = 5}}), {.run = runs[4]}));
  const auto answers = AnswersTogether(registry, [&](int i) {
    test::Post post{.run = runs[static_cast<std::size_t>(i)]};
    if (i == 2) post.by.owner = "somebody else";
    return registry.Send(Csv({{.m = i + 1}}), post);
  });
  for (int i = 0; i < kBatches; ++i) {
    const auto& answer = answers[static_cast<std::size_t>(i)];
    if (i == 2) {
      EXPECT_EQ(Refusal(answer), "not_owner");
      continue;
    }
    EXPECT_EQ(Receipt(answer)["stored"], i == 4 ? 0 : 1) << i;
    EXPECT_EQ(Receipt(answer)["unchanged"], i == 4 ? 1 : 0) << i;
  }
}

TEST(IngestGroup, contested_keys_are_chosen_for_each_batch_by_itself) {
  Registry registry;
  const auto runs = Runs(registry);
  for (int i = 0; i < kBatches; ++i) Receipt(registry.Send(Csv({{.m = i + 1}})));
  const auto before = registry.Revision();
  const auto answers = AnswersTogether(registry, [&](int i) {  // every other one is better
    return registry.Send(Csv({{.m = i + 1, .kernel = "b", .us = i % 2 == 0 ? "5" : "15"}}),
                         {.run = runs[static_cast<std::size_t>(i)]});
  });
  for (int i = 0; i < kBatches; ++i) {
    const auto receipt = Receipt(answers[static_cast<std::size_t>(i)]);
    EXPECT_EQ(receipt["won"], i % 2 == 0 ? 1 : 0) << receipt;
    EXPECT_EQ(receipt["changed"], i % 2 == 0 ? 1 : 0) << receipt;
    EXPECT_EQ(receipt.contains("revision"), i % 2 == 0) << receipt;
  }
  EXPECT_EQ(registry.Revision(), before + kBatches / 2);
  EXPECT_EQ(Transactions(registry), std::to_string(kBatches + 2));
  for (int revision = 1; revision <= registry.Revision(); ++revision)  // their digests are checked
    registry.Table("allow_empty=1&revision=" + std::to_string(revision));
  EXPECT_EQ(test::WhatDoesNotHold(registry.store), "");
}

// A batch that makes its group's transaction fail, in the database or here.
struct Guilt {
  std::string name;
  std::function<void(test::Batch&)> incur;
};

class GuiltyBatch : public testing::TestWithParam<Guilt> {};

TEST_P(GuiltyBatch, fails_alone) {
  Registry registry;
  const auto runs = Runs(registry);
  constexpr int kGuilty = 3;
  std::deque<test::Batch> batches;
  for (int i = 0; i < kBatches; ++i) {
    auto& batch =
        batches.emplace_back(registry, Csv({{.m = i + 1}}), runs[static_cast<std::size_t>(i)]);
    batch.request.write.idempotency_key = "k" + std::to_string(i);
  }
  GetParam().incur(batches[kGuilty]);
  std::vector<std::string> ends(kBatches);
  SendTogether(registry, kBatches, [&](int i) {
    const auto index = static_cast<std::size_t>(i);
    try {
      const auto outcome = registry.store.batches().Commit(batches[index].request);
      ends[index] = outcome.ok() ? outcome->receipt : outcome.error().code;
    } catch (const std::exception&) {
      ends[index] = "thrown";
    }
  });
  for (int i = 0; i < kBatches; ++i)
    EXPECT_EQ(ends[static_cast<std::size_t>(i)], i == kGuilty ? "thrown" : "{}") << i;
  EXPECT_EQ(registry.Count("measurement"), kBatches - 1);
  EXPECT_EQ(registry.Count("batch WHERE receipt = '{}'"), kBatches - 1);
  EXPECT_EQ(registry.Count("batch"), kBatches - 1) << "its idempotency key is not used up";
  EXPECT_EQ(registry.Revision(), kBatches - 1);
  EXPECT_EQ(test::WhatDoesNotHold(registry.store), "");
}

const Guilt kGuilts[] = {
    {"by_a_cell_that_the_database_refuses",
     [](test::Batch& batch) { batch.rows[0].evidence = "{no JSON"; }},
    {"by_a_version_that_nobody_knows", [](test::Batch& batch) { batch.rows[0].family = 999; }},
    {"by_its_receipt", [](test::Batch& batch) {
       batch.request.render = [](const auto&, const auto&) -> std::string {
         throw std::runtime_error("no receipt");
       };
     }}};

INSTANTIATE_TEST_SUITE_P(IngestGroup, GuiltyBatch, testing::ValuesIn(kGuilts),
                         [](const auto& guilt) { return guilt.param.name; });

}  // namespace
}  // namespace tunehub
