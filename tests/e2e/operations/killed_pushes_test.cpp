// kill -9 of a server while many agents push, so that batches share transactions. Agents repeat
// each batch without a receipt, with its idempotency key. In the end the hub must have every batch
// once, as its receipt said.
#include <atomic>
#include <iostream>
#include <optional>
#include <set>
#include <thread>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

constexpr int kPushers = 16, kBatchesOfEach = 3, kRowsOfBatch = 20, kKills = 2;
constexpr int kAllBatches = kPushers * kBatchesOfEach;

class KilledPushesTest : public testing::Test {
 protected:
  KilledPushesTest()
      : database_(NewDatabase()),
        server_(ServerOptions{.database = database_}),
        key_(server_.NewKey("submit")),
        port_(server_.port()) {
    for (int i = 0; i < kPushers; ++i) {
      const auto made = HttpClient(port_, key_).Post("/runs", R"({"note":"a pusher"})");
      runs_.push_back(std::to_string(JsonOf(made).at("id").get<int>()));
    }
  }

  // Rows whose shape keys are in no other batch.
  static std::string Rows(int batch) {
    std::string text = kHeader;
    for (int m = 1; m <= kRowsOfBatch; ++m) {
      std::string row = Row(m, "900.0");
      row.replace(row.find(",2048,"), 6, "," + std::to_string(1000 + batch) + ",");
      text += row;
    }
    return text;
  }

  // Repeats the batch until the hub answers. Returns the receipt, or "" if there is none.
  std::string Push(int batch) {
    const std::string& run = runs_[static_cast<std::size_t>(batch / kBatchesOfEach)];
    std::optional<RawAnswer> answer;
    Comes([&] {
      answer = HttpClient(port_, key_)
                   .Try("POST", kResults + "?run=" + run, Rows(batch),
                        {{"Content-Type", "text/csv"},
                         {"Idempotency-Key", "batch-" + std::to_string(batch)}});
      return answer && answer->status < 500;
    });
    EXPECT_TRUE(answer && answer->status == 200) << (answer ? answer->body : "no answer");
    return answer && answer->status == 200 ? answer->body : "";
  }

  void PushAll(int pusher) {
    for (int i = 0; i < kBatchesOfEach; ++i) {
      const int batch = pusher * kBatchesOfEach + i;
      if (HasFailure()) return;
      receipts_[static_cast<std::size_t>(batch)] = Push(batch);
      ++acknowledged_;
    }
  }

  // Kills the server kKills times while batches are in flight.
  void KillAndStart() {
    for (int kill = 1; kill <= kKills; ++kill) {
      ASSERT_TRUE(Comes([&] { return acknowledged_ >= kAllBatches * kill / (kKills + 1); }));
      server_.Kill();
      server_.Start();
      port_ = server_.port();
    }
  }

  std::string Ask(const std::string& sql) const { return QueryText(database_, "SELECT " + sql); }

  std::string database_;
  ServerProcess server_;
  std::string key_;
  std::atomic<unsigned short> port_;
  std::vector<std::string> runs_;
  std::vector<std::string> receipts_ = std::vector<std::string>(kAllBatches);
  std::atomic<int> acknowledged_ = 0;
};

TEST_F(KilledPushesTest, lose_and_double_nothing_that_was_acknowledged) {
  std::vector<std::thread> pushers;
  for (int i = 0; i < kPushers; ++i) pushers.emplace_back([this, i] { PushAll(i); });
  KillAndStart();
  for (std::thread& pusher : pushers) pusher.join();
  ASSERT_FALSE(HasFailure());

  std::set<std::int64_t> batches, revisions;
  for (int i = 0; i < kAllBatches; ++i) {
    const std::string& receipt = receipts_[static_cast<std::size_t>(i)];
    EXPECT_EQ(Push(i), receipt) << "the same key must get the same answer";
    const auto json = nlohmann::json::parse(receipt);
    EXPECT_EQ(json.at("stored"), kRowsOfBatch) << receipt;
    batches.insert(json.at("batch").get<std::int64_t>());
    revisions.insert(json.at("revision").get<std::int64_t>());
  }
  const std::string all = std::to_string(kAllBatches);
  EXPECT_EQ(batches.size(), kAllBatches);
  EXPECT_EQ(revisions.size(), kAllBatches);
  EXPECT_EQ(*revisions.rbegin(), kAllBatches) << "there must be no gap";
  EXPECT_EQ(Ask("count(*) FROM measurement"), std::to_string(kAllBatches * kRowsOfBatch));
  EXPECT_EQ(Ask("count(*) FROM tuned"), std::to_string(kAllBatches * kRowsOfBatch));
  EXPECT_EQ(Ask("count(*) FROM batch WHERE kind = 'results'"), all);
  EXPECT_EQ(Ask("count(*) FROM audit WHERE action = 'results'"), all);
  EXPECT_EQ(Ask("max(number) FROM revision"), all);
  const int transactions =
      std::stoi(Ask("count(DISTINCT xmin::text) FROM batch WHERE kind = 'results'"));
  EXPECT_LT(transactions, kAllBatches)
      << "no two batches shared a transaction, so this tested nothing";
  const Finished verified = server_.Tool({"verify"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  std::cout << kAllBatches << " batches in " << transactions << " transactions, " << kKills
            << " kills\n";
}

}  // namespace
}  // namespace tunehub::test
