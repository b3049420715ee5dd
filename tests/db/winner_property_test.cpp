// In any order of arrival, the hub serves the rows and reasons of the pure rule in
// core/row/winner.h. The time of receipt counts only for a row that calls a candidate wrong.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "core/base/text.h"
#include "server/ingest/run_store.h"
#include "server/ingest/staged_rows.h"
#include "server/tables/measurement_store.h"
#include "tests/support/registry.h"
#include "tests/support/seeds.h"
#include "tests/support/sql.h"
#include "tests/support/verify.h"
#include "tests/support/winner_rule.h"

namespace tunehub::test {
namespace {

struct Campaign {
  std::string started;
  core::Hash128 hash;
  std::string csv;    // or JSON
  server::Writer by;  // the run's owner
  bool reverted = false;
};

using Random = std::mt19937;

template <typename T>
const T& Pick(Random& random, const std::vector<T>& from) {
  return from[random() % from.size()];
}

// Makes rows that often tie. Most have samples, some have too few samples or other clocks.
std::string SampledRows(Random& random, bool some_wrong = true) {
  nlohmann::json rows = nlohmann::json::array();
  for (auto count = 1 + random() % 8; count > 0; --count) {
    const double us =
        Pick<double>(random, {10, 10.05, 10.12, 10.12, 10.2, 10.3, 10.45, 10.9, 11.2, 12});
    rows.push_back({{"gfx", "gfx942"},
                    {"cu_num", 304},
                    {"M", Pick<int>(random, {16, 32, 64})},
                    {"N", 1536},
                    {"K", 7168},
                    {"libtype", "ck"},
                    {"kernelId", 1},
                    {"splitK", 0},
                    {"us", us},
                    {"kernelName", Pick<std::string>(random, {"a", "b", "c", "d", "tk_own"})},
                    {"errRatio", Pick<double>(random, {0, 0, 0.01, some_wrong ? 0.9 : 0})}});
    if (random() % 5 == 0) continue;
    const double width = Pick<double>(random, {0, 0.02, 0.2});
    rows.back()["samples"] = std::vector<double>(Pick<std::size_t>(random, {3, 8, 8}), us);
    rows.back()["samples"][0] = us * (1 - width);
    rows.back()["samples"][1] = us * (1 + width);
    if (random() % 2 == 0) rows.back()["us_high"] = us * (1 + width);
    rows.back()["clock"] = Pick<std::string>(random, {"steady", "steady", "steady", "capped"});
  }
  return nlohmann::json{{"rows", rows}}.dump();
}

// Few shape keys, candidates and values, so that rows often meet.
std::vector<Campaign> MakeCampaigns(Random& random, bool sampled = false) {
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
                         sampled && random() % 5 > 0 ? SampledRows(random) : Csv(lines),
                         {.owner = owner, .admin = owner == "boss"},
                         random() % 5 == 0});
  }
  return campaigns;
}

// Each run's batch id, which orders the batches.
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

// Applies the rule to all campaigns at once. `left_out` may not win. A shape key keeps its winner
// if that is another candidate.
std::string Expected(const std::vector<Campaign>& campaigns,
                     const std::vector<std::int64_t>& received,
                     const core::Family& family = ShippedFamily("a8w8_blockscale"),
                     const std::optional<core::Hash128>& left_out = {}) {
  ByCandidate<std::vector<HeldRow>> keys;
  for (std::size_t place = 0; place < campaigns.size(); ++place) {  // in the order of their start
    const Campaign& campaign = campaigns[place];
    if (campaign.reverted) continue;
    for (const auto& kept : RowsOfBatch(family, campaign.csv, false)) {
      const core::Row& row = kept.row;
      keys[{row.order, kept.provider}][row.candidate].push_back(
          Held(row, {row.standing, row.us, row.error, row.candidate,
                     static_cast<std::int64_t>(place / 2), campaign.hash, campaign.by.owner.front(),
                     campaign.by.admin ? 0 : 1, campaign.by.admin, received[place], row.bounds}));
    }
  }
  auto stands = StandsBy(keys);
  if (left_out) {
    for (auto& [key, candidates] : stands) {
      std::vector<core::Contender> rivals;
      for (const auto& [candidate, it] : candidates) {
        if (core::Competes(it.contender.standing)) rivals.push_back(it.contender);
      }
      if (!rivals.empty() && rivals[core::WinnerOf(rivals).place].candidate == *left_out)
        candidates.erase(*left_out);
    }
  }
  return WinnersOf(stands);
}

struct Arrival {
  std::size_t campaign;
  bool revert;
};

// Returns all batches and reverts at random places. A revert may come before its batch.
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
    const Post post{.run = run, .by = campaign.by};
    ASSERT_EQ(Refusal(campaign.csv.starts_with('{') ? registry.SendJson(campaign.csv, post)
                                                    : registry.Send(campaign.csv, post)),
              "");
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

// A snapshot that followed each change must equal the snapshot of a new server.
void ExpectSnapshotsAgree(Registry& followed) {
  Registry fresh(followed.url);
  EXPECT_EQ(followed.Table("allow_empty=1"), fresh.Table("allow_empty=1"));
  EXPECT_EQ(followed.Table("provider=tunehub&allow_empty=1&format=json"),
            fresh.Table("provider=tunehub&allow_empty=1&format=json"));
}

TEST(WinnerProperty, any_order_of_arrival_serves_what_the_pure_rule_names) {
  for (unsigned seed = 1; seed <= Seeds(4); ++seed) {
    Random random(seed);
    const auto campaigns = MakeCampaigns(random);
    for (int shuffle = 0; shuffle < 2; ++shuffle) {
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

TEST(WinnerProperty, samples_decide_in_any_order_of_arrival) {
  for (unsigned seed = 301; seed <= 312; ++seed) {
    Random random(seed);
    const auto campaigns = MakeCampaigns(random, true);
    for (int shuffle = 0; shuffle < 2; ++shuffle) {
      Registry registry;
      const auto runs = MakeRuns(registry, campaigns);
      const auto order = MakeOrder(campaigns, random);
      for (const Arrival& arrival : order) Arrive(registry, campaigns, runs, arrival);
      ASSERT_EQ(registry.Winners(), Expected(campaigns, Received(registry, runs)))
          << "seed " << seed << "\n"
          << Describe(campaigns, order);
      EXPECT_EQ(WhatDoesNotHold(registry.pool), "") << Describe(campaigns, order);
    }
  }
}

// Each winner as "16 a 10", sorted.
std::multiset<std::string> Texts(const std::string& winners) {
  std::multiset<std::string> texts;
  for (const std::string_view line : core::SplitAfter(winners, "\n")) {
    if (!line.empty()) texts.emplace(line.substr(0, line.rfind(' ')));
  }
  return texts;
}

std::multiset<std::string> Texts(const std::vector<server::BestRecord>& rows) {
  std::multiset<std::string> texts;
  for (const auto& it : rows) {
    core::Row row;
    row.line = it.line.value_or(",,,,,,,,,");
    texts.insert((it.provider == server::Provider::kTunehub ? "tunehub " : "") +
                 Held(row, {}).text);
  }
  return texts;
}

// GET /tuned chooses in two ways: among runs and among candidates.
TEST(WinnerProperty, reads_that_choose_follow_the_pure_rule) {
  for (unsigned seed = 401; seed <= 412; ++seed) {
    Random random(seed);
    auto campaigns = MakeCampaigns(random, true);
    for (Campaign& it : campaigns) {
      it.reverted = false;
      it.csv = SampledRows(random, false);
    }
    Registry registry;
    const auto runs = MakeRuns(registry, campaigns);
    for (std::size_t i = 0; i < runs.size(); ++i) Arrive(registry, campaigns, runs, {i, false});
    server::MeasurementStore store(registry.pool);
    const auto family = registry.definitions.Id(registry.family());
    server::BestWanted wanted;
    for (const auto& it : store.ReadCandidates(family)) wanted.candidates.push_back(it.candidate);
    const std::vector<std::int64_t> some(runs.begin() + 2, runs.end());
    const auto best = store.ReadBest(family, wanted, {{{}, some}});
    auto others = campaigns;
    others[0].reverted = others[1].reverted = true;
    const auto received = Received(registry, runs);
    ASSERT_EQ(Texts(best[server::kMatchingRuns]), Texts(Expected(others, received))) << seed;
    const auto served = store.ReadBest(family, wanted);
    EXPECT_EQ(Texts(served), Texts(registry.Winners())) << "served rows that the filter allows";
    // Without the winner of the first key, the rule decides among the other candidates.
    const core::Hash128 left_out = core::ParseUuid(QueryText(
        registry.url, "SELECT candidate::text FROM tuned ORDER BY ord, provider LIMIT 1"));
    std::erase(wanted.candidates, left_out);
    EXPECT_EQ(Texts(store.ReadBest(family, wanted)),
              Texts(Expected(campaigns, received, registry.family(), left_out)))
        << seed;
  }
}

// In this family a row without a time counts as declared, even beside rows with a time.
TEST(WinnerProperty, declared_rows_stand_between_measured_and_unmeasured_ones) {
  const auto families =
      FamiliesWith("a8w8_blockscale", [](auto& json) { json["without_time"] = "declared"; });
  const core::Family& family = *families.Find("a8w8_blockscale");
  for (unsigned seed = 201; seed <= 200 + Seeds(3); ++seed) {
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
  for (unsigned seed = 101; seed <= 100 + Seeds(2); ++seed) {
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
