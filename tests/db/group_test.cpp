// Batches that wait for one family: they share a transaction, and nothing else. Counted, not timed.
#include <gtest/gtest.h>

#include <chrono>
#include <pqxx/pqxx>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/registry.h"
#include "tests/support/sql.h"

namespace tunehub {
namespace {

using test::Csv;
using test::Receipt;
using test::Refusal;
using test::Registry;

constexpr int kBatches = 8;

// Holds every family's lock, as an import of another server would.
class Held {
 public:
  explicit Held(const std::string& url) : connection_(url), work_(connection_) {
    work_.exec("SELECT pg_advisory_xact_lock(7411, id) FROM family");
  }
  void Release() { work_.commit(); }

 private:
  pqxx::connection connection_;
  pqxx::work work_;
};

// Sends batch i of `send` from a thread of its own: the first waits for the family in the
// database, the others behind it in the line.
template <typename Send>
std::vector<service::WriteAnswer> SendTogether(Registry& registry, int batches, const Send& send) {
  Held held(registry.url);
  std::vector<service::WriteAnswer> answers(static_cast<std::size_t>(batches));
  std::vector<std::thread> threads;
  for (int i = 0; i < batches; ++i) {
    threads.emplace_back([&, i] { answers[static_cast<std::size_t>(i)] = send(i); });
    std::this_thread::sleep_for(std::chrono::milliseconds(i == 0 ? 300 : 20));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  held.Release();
  for (std::thread& thread : threads) thread.join();
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
  const auto answers = SendTogether(registry, kBatches, [&](int i) {
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
}

TEST(IngestGroup, one_that_fails_and_one_that_repeats_fail_no_other) {
  Registry registry;
  const auto runs = Runs(registry);
  Receipt(registry.Send(Csv({{.m = 4}}), {.run = runs[4]}));
  const auto answers = SendTogether(registry, kBatches, [&](int i) {
    test::Post post{.run = runs[static_cast<std::size_t>(i)]};
    if (i == 2) post.by.owner = "somebody else";
    return registry.Send(Csv({{.m = i}}), post);
  });
  for (int i = 1; i < kBatches; ++i) {
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
  const auto answers = SendTogether(registry, kBatches, [&](int i) {  // every other one is better
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
}

}  // namespace
}  // namespace tunehub
