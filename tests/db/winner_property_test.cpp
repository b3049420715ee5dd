// In any order of arrival the hub serves the rows that the pure rule of core/row/standing.h names,
// and states its reasons. The time of receipt counts only for a row that calls a candidate wrong.
#include <algorithm>
#include <random>
#include <thread>

#include "server/ingest/run_store.h"
#include "server/ingest/staged_rows.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"
#include "tests/support/verify.h"
#include "tests/support/winner_rule.h"

namespace tunehub::test {
namespace {

struct Campaign {
  std::string started;
  core::Hash128 hash;
  std::string csv;
  server::Writer by;  // the run's owner
  bool reverted = false;
};

using Random = std::mt19937;

template <typename T>
const T& Pick(Random& random, const std::vector<T>& from) {
  return from[random() % from.size()];
}

// Few shape keys, candidates and values, so that rows often meet.
std::vector<Campaign> MakeCampaigns(Random& random) {
  std::vector<Campaign> campaigns;
  for (int i = 0; i < 6; ++i) {
    std::vector<Line> lines;
    for (auto rows = 1 + random() % 8; rows > 0; --rows) {
      lines.push_back(
          {.m = Pick<int>(random, {16, 32, 64}),
           .kernel = Pick<std::string>(random, {"a", "b", "c", "d", "tk_own"}),
           .us = Pick<std::string>(random, {"10", "10", "20", "30", "0", "inf", "nan", "-1"}),
           .error = Pick<std::string>(random, {"0.0", "0.0", "0.1", "", "0.9"})});
    }
    const auto owner = Pick<std::string>(random, {"kernels", "engines", "others", "boss"});
    // Two runs share a day, so their hashes decide.
    campaigns.push_back({"2026-01-0" + std::to_string(1 + i / 2) + "T00:00:00Z",
                         core::HashOf(std::to_string(i)),
                         Csv(lines),
                         {.owner = owner, .admin = owner == "boss"},
                         random() % 5 == 0});
  }
  return campaigns;
}

// The id of each run's batch, by which batches are ordered.
std::vector<std::int64_t> Received(Registry& registry, const std::vector<std::int64_t>& runs) {
  std::vector<std::int64_t> received;
  for (const std::int64_t run : runs) {
    received.push_back(std::stoll(
        QueryText(registry.url,
                  "SELECT coalesce(min(id), 0)::text FROM batch WHERE kind = 'results' AND run = " +
                      std::to_string(run))));
  }
  return received;
}

// Applies the rule to all campaigns at once.
std::string Expected(const std::vector<Campaign>& campaigns,
                     const std::vector<std::int64_t>& received,
                     const core::Family& family = ShippedFamily("a8w8_blockscale")) {
  ByCandidate<std::vector<HeldRow>> keys;
  for (std::size_t place = 0; place < campaigns.size(); ++place) {  // in the order of their start
    const Campaign& campaign = campaigns[place];
    if (campaign.reverted) continue;
    for (const auto& kept : RowsOfBatch(family, campaign.csv, false)) {
      const core::Row& row = kept.row;
      keys[{row.order, kept.provider}][row.candidate].push_back(
          Held(row, {row.standing, row.us, row.error, row.candidate,
                     static_cast<std::int64_t>(place / 2), campaign.hash, campaign.by.owner.front(),
                     campaign.by.admin ? 0 : 1, campaign.by.admin, received[place]}));
    }
  }
  return WinnersOf(StandsBy(keys));
}

struct Arrival {
  std::size_t campaign;
  bool revert;
};

// Every batch, and every revert. A revert may come before its batch.
std::vector<Arrival> MakeOrder(const std::vector<Campaign>& campaigns, Random& random) {
  std::vector<Arrival> order;
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    order.push_back({i, false});
    if (campaigns[i].reverted) order.push_back({i, true});
  }
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

std::vector<std::int64_t> MakeRuns(Registry& registry, const std::vector<Campaign>& campaigns) {
  std::vector<std::int64_t> runs;
  for (const Campaign& campaign : campaigns) {
    server::RunContent content;
    content.started = campaign.started;
    content.hash = campaign.hash;
    bool created = false;
    runs.push_back(server::RunStore(registry.pool).Create(content, created, campaign.by)->id);
  }
  return runs;
}

void Arrive(Registry& registry, const std::vector<Campaign>& campaigns,
            const std::vector<std::int64_t>& runs, const Arrival& arrival) {
  const std::int64_t run = runs[arrival.campaign];
  const Campaign& campaign = campaigns[arrival.campaign];
  if (arrival.revert) {
    ASSERT_TRUE(server::RevertRun(registry.pool, run, campaign.by).ok());
  } else {
    ASSERT_EQ(Refusal(registry.Send(campaign.csv, {.run = run, .by = campaign.by})), "");
  }
}

std::string Describe(const std::vector<Campaign>& campaigns, const std::vector<Arrival>& order) {
  std::string text;
  for (const Arrival& arrival : order) {
    const Campaign& campaign = campaigns[arrival.campaign];
    text += (arrival.revert ? "revert " : "batch ") + campaign.started + "\n" +
            (arrival.revert ? "" : campaign.by.owner + "\n" + campaign.csv);
  }
  return text;
}

// A snapshot that followed each change must equal a snapshot that is read at once.
void ExpectSnapshotsAgree(Registry& followed) {
  Registry fresh(followed.url);
  EXPECT_EQ(followed.Table("allow_empty=1"), fresh.Table("allow_empty=1"));
  EXPECT_EQ(followed.Table("provider=tunehub&allow_empty=1&format=json"),
            fresh.Table("provider=tunehub&allow_empty=1&format=json"));
}

TEST(WinnerProperty, any_order_of_arrival_serves_what_the_pure_rule_names) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    const auto campaigns = MakeCampaigns(random);
    for (int shuffle = 0; shuffle < 3; ++shuffle) {
      Registry registry;
      const auto runs = MakeRuns(registry, campaigns);
      const auto order = MakeOrder(campaigns, random);
      for (const Arrival& arrival : order) {
        Arrive(registry, campaigns, runs, arrival);
        registry.snapshots.Refresh();
      }
      ASSERT_EQ(registry.Winners(), Expected(campaigns, Received(registry, runs)))
          << "seed " << seed << "\n"
          << Describe(campaigns, order);
      ExpectSnapshotsAgree(registry);
      EXPECT_EQ(WhatDoesNotHold(registry.pool), "") << Describe(campaigns, order);
    }
  }
}

// In this family a row without a time counts as declared, beside rows with a time.
TEST(WinnerProperty, declared_rows_stand_between_measured_and_unmeasured_ones) {
  const auto families =
      FamiliesWith("a8w8_blockscale", [](auto& json) { json["without_time"] = "declared"; });
  const core::Family& family = *families.Find("a8w8_blockscale");
  for (unsigned seed = 201; seed <= 206; ++seed) {
    Random random(seed);
    const auto campaigns = MakeCampaigns(random);
    Registry registry(RegistryDatabase(), families);
    const auto runs = MakeRuns(registry, campaigns);
    const auto order = MakeOrder(campaigns, random);
    for (const Arrival& arrival : order) Arrive(registry, campaigns, runs, arrival);
    ASSERT_EQ(registry.Winners(), Expected(campaigns, Received(registry, runs), family))
        << "seed " << seed << "\n"
        << Describe(campaigns, order);
  }
}

TEST(WinnerPropertyRace, batches_and_reverts_at_once_serve_what_the_pure_rule_names) {
  for (unsigned seed = 101; seed <= 105; ++seed) {
    Random random(seed);
    const auto campaigns = MakeCampaigns(random);
    Registry registry;
    const auto runs = MakeRuns(registry, campaigns);
    const auto order = MakeOrder(campaigns, random);
    std::vector<std::thread> threads;
    for (const Arrival& arrival : order) {
      threads.emplace_back([&] { Arrive(registry, campaigns, runs, arrival); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(registry.Winners(), Expected(campaigns, Received(registry, runs)))
        << "seed " << seed << "\n"
        << Describe(campaigns, order);
    ExpectSnapshotsAgree(registry);
    EXPECT_EQ(WhatDoesNotHold(registry.pool), "") << Describe(campaigns, order);
  }
}

}  // namespace
}  // namespace tunehub::test
