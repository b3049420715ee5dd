// If one batch makes a shared transaction fail, the hub still commits the group's other batches.
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/db/together.h"
#include "tests/support/batch.h"
#include "tests/support/registry.h"
#include "tests/support/verify.h"

namespace tunehub::test {
namespace {

// A way for a batch to make its group's transaction fail.
struct Guilt {
  std::string name;
  std::function<void(Batch&)> incur;
};

class GuiltyBatch : public testing::TestWithParam<Guilt> {};

TEST_P(GuiltyBatch, fails_alone) {
  Registry registry;
  const auto runs = RunsTogether(registry);
  constexpr int kGuilty = 3;
  std::deque<Batch> batches;
  for (int i = 0; i < kTogether; ++i) {
    auto& batch =
        batches.emplace_back(registry, Csv({{.m = i + 1}}), runs[static_cast<std::size_t>(i)]);
    batch.request.write.idempotency_key = "k" + std::to_string(i);
  }
  GetParam().incur(batches[kGuilty]);
  std::vector<std::string> ends(kTogether);
  SendTogether(registry, [&](int i) {
    const auto index = static_cast<std::size_t>(i);
    try {
      const auto outcome = registry.ingest.groups.Commit(batches[index].request);
      ends[index] = outcome.ok() ? outcome->receipt : outcome.error().code;
    } catch (const std::exception&) {
      ends[index] = "thrown";
    }
  });
  for (int i = 0; i < kTogether; ++i)
    EXPECT_EQ(ends[static_cast<std::size_t>(i)], i == kGuilty ? "thrown" : "{}") << i;
  EXPECT_EQ(registry.Count("measurement"), kTogether - 1);
  EXPECT_EQ(registry.Count("batch WHERE receipt = '{}'"), kTogether - 1);
  EXPECT_EQ(registry.Count("batch"), kTogether - 1) << "its idempotency key is not used up";
  EXPECT_EQ(registry.Revision(), kTogether - 1);
  EXPECT_EQ(WhatDoesNotHold(registry.pool), "");
}

const Guilt kGuilts[] = {
    {"by_a_cell_that_the_database_refuses",
     [](Batch& batch) { batch.rows[0].evidence = "{no JSON"; }},
    {"by_a_version_that_nobody_knows", [](Batch& batch) { batch.rows[0].family = 999; }},
    {"by_its_receipt", [](Batch& batch) {
       batch.request.render = [](const auto&, const auto&) -> std::string {
         throw std::runtime_error("no receipt");
       };
     }}};

INSTANTIATE_TEST_SUITE_P(IngestGroup, GuiltyBatch, testing::ValuesIn(kGuilts),
                         [](const auto& guilt) { return guilt.param.name; });

}  // namespace
}  // namespace tunehub::test
