// The hub executes a repeated request once and repeats its answer.
#include <thread>

#include "tests/support/registry.h"

namespace tunehub::test {
namespace {

using Idempotency = RegistryTest;

TEST_F(Idempotency, a_refused_request_does_not_use_its_key_up) {
  registry.Send(Csv({{.us = "fast"}}), {.idempotency_key = "k", .atomic = true});
  registry.Send(Csv({{}}), {.idempotency_key = "k", .dry_run = true});
  EXPECT_EQ(Refusal(registry.Send(Csv({{}}), {.idempotency_key = "k", .digest = "other"})), "");
}

TEST_F(Idempotency, without_a_key_the_same_body_twice_is_two_runs) {
  registry.Send(Csv({{}}));
  registry.Send(Csv({{}}));
  EXPECT_EQ(registry.Count("run"), 2);
  EXPECT_EQ(registry.Revision(), 1) << "the served line is the same";
}

TEST(IdempotencyRace, twins_at_once_are_one_batch) {
  Registry registry;
  for (int round = 0; round < 5; ++round) {
    const std::string key = "k" + std::to_string(round);
    std::vector<std::string> receipts(4);
    std::vector<std::thread> threads;
    for (std::string& receipt : receipts) {
      threads.emplace_back([&] {
        receipt = registry.Send(Csv({{.m = round + 1}}), {.idempotency_key = key}).receipt;
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& receipt : receipts) EXPECT_EQ(receipt, receipts[0]);
    EXPECT_NE(receipts[0], "");
  }
  EXPECT_EQ(registry.Count("batch"), 5);
  EXPECT_EQ(registry.Count("run"), 5);
}

// The first import skips its refused file and is in force. A new import with a refused file must
// not supersede it. A repetition of the first import must still get its receipt.
TEST_F(Idempotency, an_import_with_a_refused_file_that_is_sent_again_gets_its_receipt) {
  const std::vector<core::TarFile> files = {
      {kTreeFile, Csv({{}})}, {"a8w8_blockscale_tuned_gemm_model.csv", "what,ever\n1,2\n"}};
  const auto first = registry.Import("tree", files, {.idempotency_key = "k"});
  ASSERT_EQ(Refusal(first), "");
  const auto second = registry.Import("tree", files, {.idempotency_key = "k"});
  EXPECT_EQ(Refusal(second), "");
  EXPECT_EQ(second.receipt, first.receipt);
  EXPECT_EQ(Refusal(registry.Import("tree", files)), "refused_files");
}

}  // namespace
}  // namespace tunehub::test
