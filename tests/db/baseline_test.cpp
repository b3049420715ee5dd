// If only the default was measured, the hub serves its row but does not count the shape key as
// tuned.
#include <gmock/gmock.h>

#include "server/queue/lease_store.h"
#include "server/queue/planner.h"
#include "server/tables/measurement_store.h"
#include "tests/db/days.h"
#include "tests/support/registry.h"
#include "tests/support/result.h"
#include "tests/support/sql.h"
#include "tests/support/verify.h"

namespace tunehub::test {
namespace {

using Json = nlohmann::json;

Json Row(const std::string& kernel, double us, const Json& more = Json::object()) {
  Json row = {{"gfx", "gfx942"},      {"cu_num", 304}, {"M", 16},        {"N", 1536}, {"K", 7168},
              {"libtype", "ck"},      {"kernelId", 1}, {"splitK", 0},    {"us", us},  {"tflops", 9},
              {"kernelName", kernel}, {"bw", 9},       {"errRatio", 0.0}};
  row.update(more);
  return row;
}

const Json kDefault = {{"is_default", true}};
const Json kBestOfSearch = {{"is_default", true}, {"searched", true}};

class Baseline : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(WhatDoesNotHold(registry_.pool), ""); }

  server::WriteAnswer Send(const std::vector<Json>& rows, std::optional<std::int64_t> run = {}) {
    return registry_.SendJson(Json{{"rows", rows}}.dump(), {.run = run});
  }
  bool IsTuned() {
    registry_.snapshots.Refresh();
    const core::Family& family = registry_.family();
    core::FamilyShape shape;
    shape.cells.resize(family.columns.size());
    for (const auto& [column, cell] :
         {std::pair("M", "16"), std::pair("N", "1536"), std::pair("K", "7168")}) {
      shape.cells[family.Find(column)] = cell;
    }
    return server::IsTuned(*registry_.snapshots.Current(family), shape, {"gfx942", 304});
  }
  // Returns "baseline" of the served row, or "none".
  std::string Mark(const std::string& query = "") {
    const auto table = Json::parse(registry_.Table("format=json" + query), nullptr, false);
    return table.is_object() ? table.at("rows").at(0).at("baseline").dump() : "none";
  }

  Registry registry_;
};

TEST_F(Baseline, a_candidate_beside_the_default_tunes_the_key_also_where_it_is_slower) {
  Send({Row("slow", 40, kDefault)}, registry_.NewRun(kDay1));
  Send({Row("slower", 50)}, registry_.NewRun(kDay2));
  EXPECT_EQ(registry_.Winners(), "16 slow 40.0 lowest_time");
  EXPECT_EQ(Mark(), "false");
  EXPECT_TRUE(IsTuned());
  EXPECT_EQ(registry_.Revision(), 2) << "a table for a build can now substitute a row";
  EXPECT_EQ(Mark("&revision=1"), "true") << "an old revision does not change";
}

TEST_F(Baseline, the_default_and_a_candidate_in_one_batch_are_a_tuned_key) {
  Send({Row("slow", 40, kDefault), Row("slower", 50)});
  EXPECT_EQ(Mark(), "false");
  EXPECT_TRUE(IsTuned());
}

TEST_F(Baseline, a_search_that_found_nothing_better_than_the_default_is_not_wanted_again) {
  Send({Row("slow", 40, kDefault)}, registry_.NewRun(kDay1));
  Send({Row("slow", 40, kBestOfSearch)}, registry_.NewRun(kDay2));
  EXPECT_EQ(Mark(), "false");
  EXPECT_TRUE(IsTuned());
  Send({Row("slow", 41, kDefault)}, registry_.NewRun(kDay3));
  EXPECT_TRUE(IsTuned()) << "a later benchmark of the default changes nothing";
}

TEST_F(Baseline, it_is_one_again_when_the_default_catches_up_until_a_search_says_the_same) {
  Send({Row("slow", 40, kBestOfSearch), Row("fast", 30)}, registry_.NewRun(kDay1));
  EXPECT_TRUE(IsTuned());
  const auto verified = registry_.NewRun(kDay2);
  Send({Row("slow", 25, kDefault), Row("fast", 30)}, verified);
  EXPECT_EQ(registry_.Winners(), "16 slow 25.0 lowest_time");
  EXPECT_EQ(Mark(), "true");
  EXPECT_FALSE(IsTuned());
  Send({Row("slow", 25, kBestOfSearch), Row("fast", 30)}, registry_.NewRun(kDay3));
  EXPECT_TRUE(IsTuned());
  Send({Row("slow", 25, kDefault)}, registry_.NewRun(kDay4));
  EXPECT_TRUE(IsTuned()) << "the later search also found the default best";
}

TEST_F(Baseline, a_candidate_that_failed_or_is_wrong_tunes_nothing) {
  Send({Row("slow", 40, kDefault), Row("failed", -1), Row("wrong", 5, {{"errRatio", 0.9}})});
  EXPECT_EQ(Mark(), "true");
  EXPECT_FALSE(IsTuned());
}

TEST_F(Baseline, it_is_one_again_when_the_only_other_candidate_turns_out_wrong) {
  Send({Row("slow", 40, kDefault), Row("fast", 10)}, registry_.NewRun(kDay1));
  EXPECT_TRUE(IsTuned());
  Send({Row("fast", 10, {{"errRatio", 0.9}})}, registry_.NewRun(kDay2));
  EXPECT_EQ(registry_.Winners(), "16 slow 40.0 only_candidate");
  EXPECT_FALSE(IsTuned()) << "the served row is the default's";
}

TEST_F(Baseline, it_is_one_again_when_the_run_that_tuned_it_is_reverted) {
  Send({Row("slow", 40, kDefault)}, registry_.NewRun(kDay1));
  const auto tuned = registry_.NewRun(kDay2);
  Send({Row("fast", 10), Row("slow", 41, kBestOfSearch)}, tuned);
  EXPECT_TRUE(IsTuned());
  ASSERT_TRUE(server::RevertRun(registry_.pool, tuned, {}).ok());
  EXPECT_EQ(registry_.Winners(), "16 slow 40.0 only_candidate");
  EXPECT_EQ(Mark(), "true");
}

// The hub serves the later run's row. The row counts as tuned because the earlier run searched.
TEST_F(Baseline, it_is_one_again_when_the_search_is_reverted_that_an_unsearched_run_followed) {
  const auto search = registry_.NewRun(kDay1);
  Send({Row("slow", 40, kBestOfSearch)}, search);
  Send({Row("slow", 41, kDefault)}, registry_.NewRun(kDay2));
  EXPECT_EQ(Mark(), "false");
  ASSERT_TRUE(server::RevertRun(registry_.pool, search, {}).ok());
  EXPECT_EQ(Mark(), "true");
}

TEST_F(Baseline, a_table_says_nothing_about_defaults_so_its_rows_are_tuned) {
  registry_.Send(Csv({{.kernel = "shipped"}}), {.run = registry_.NewRun(kDay1)});
  EXPECT_TRUE(IsTuned());
  Send({Row("shipped", 12, kDefault)}, registry_.NewRun(kDay2));
  EXPECT_TRUE(IsTuned()) << "the row came from a tuned table";
}

TEST_F(Baseline, a_job_still_has_the_shape_of_which_only_the_default_arrived) {
  Send({Row("shipped", 50)});
  const core::Hash128 key =
      core::ParseUuid(QueryText(registry_.url, "SELECT key::text FROM tuned"));
  server::JobContent content;
  content.family = registry_.definitions.Id(registry_.family());
  content.gfx = "gfx942";
  content.cu_num = 304;
  content.shapes = "[]";
  const auto made =
      Must(server::JobStore(registry_.pool).AddJobs({}, {content}, [](const auto& ids) {
        return std::to_string(ids[0]);
      }));
  const std::int64_t job = std::stoll(made.receipt);
  const auto arrived = [&] {
    return server::LeaseStore(registry_.pool, {}).Arrived(job, {key}).size();
  };
  EXPECT_EQ(arrived(), 0u) << "older than the job";
  Send({Row("slow", 40, kDefault)}, registry_.NewRun(kDay1));
  EXPECT_EQ(arrived(), 0u);
  Send({Row("slow", 40, kBestOfSearch)}, registry_.NewRun(kDay2));
  EXPECT_EQ(arrived(), 1u);
}

TEST_F(Baseline, two_defaults_of_two_builds_are_no_speed_up) {
  Send({Row("old", 40, kDefault)}, registry_.NewRun(kDay1));
  Send({Row("new", 20, kDefault)}, registry_.NewRun(kDay2));
  EXPECT_EQ(Mark(), "true");
  const auto id = registry_.definitions.Id(registry_.family());
  const auto times = [&] {
    int count = 0;
    server::MeasurementStore(registry_.pool).VisitTimes(id, {}, [&](const auto&) { ++count; });
    return count;
  };
  const auto several = [&] {
    return server::MeasurementStore(registry_.pool).HasSeveral(id, "gfx942", 304);
  };
  EXPECT_EQ(times(), 0);
  EXPECT_FALSE(several());
  Send({Row("fast", 10)}, registry_.NewRun(kDay3));
  EXPECT_EQ(times(), 3);
  EXPECT_TRUE(several());
}

}  // namespace
}  // namespace tunehub::test
