// Automatic verification of served rows: the choice of rows, the interval and the hours per day.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "server/queue/claims.h"
#include "tests/support/queue.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using testing::HasSubstr;

struct VerifierTest : testing::Test, QueueFixture {
  server::Claims claims{registry.definitions, pool, registry.snapshots, leases, planner, true, 1};

  int runs = 0;

  // Sends a run that started `ago`, with a row for each M and this version of ROCm.
  void Push(const std::string& ago, const std::string& rocm, const std::vector<int>& ms) {
    const std::int64_t run =
        registry.NewRun(fmt::format("2026-01-01T00:00:{:02}Z", ++runs), server::Provider::kTunehub);
    const std::string content = "jsonb_build_object('gfx', 'gfx942', 'rocm', '" + rocm + "')";
    const std::string number = std::to_string(run);
    std::vector<Line> lines;
    for (const int m : ms) lines.push_back({.m = m, .us = "20." + number});
    EXPECT_EQ(Refusal(registry.Send(Csv(lines), {.run = run})), "");
    Execute(registry.url, "UPDATE run SET provenance = " + content +
                              ", started = now() - interval '" + ago + "' WHERE id = " + number);
    registry.snapshots.Refresh();
  }
  std::optional<server::JobRecord> Take(bool verifies = true) {
    server::Claimant claimant{"a", "gfx942", 304, {}};
    claimant.verifies = verifies;
    return claims.Take(claimant);
  }
  void Finish(const server::JobRecord& job) {
    EXPECT_TRUE(leases.Complete(LeaseOf(job.id, "a"), {}).ok());
  }
};

TEST_F(VerifierTest, rows_of_an_older_toolchain_go_before_old_ones_and_each_goes_once) {
  Push("2 days", "7.0", {16, 32});
  Push("1 day", "7.1", {48});
  Push("100 days", "7.1", {64});
  EXPECT_FALSE(Take(false)) << "an agent that cannot verify";
  auto job = Take();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->purpose, server::kVerify);
  EXPECT_EQ(job->why, "toolchain");
  EXPECT_EQ(nlohmann::json::parse(job->shapes).size(), 2U);
  EXPECT_THAT(job->shapes, HasSubstr(R"("M":32)"));
  Finish(*job);
  job = Take();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->why, "age");
  EXPECT_THAT(job->shapes, HasSubstr(R"("M":64)"));
  Finish(*job);
  EXPECT_FALSE(Take()) << "after any result, the rows must wait";
}

TEST_F(VerifierTest, rows_that_agents_cannot_measure_again_and_baselines_are_left_alone) {
  Push("100 days", "7.1", {16});
  Execute(registry.url, "UPDATE tuned SET baseline = true");
  EXPECT_FALSE(Take());
  Execute(registry.url, "UPDATE tuned SET baseline = false, provider = 0");
  EXPECT_FALSE(server::Verifier(registry.definitions, pool, registry.snapshots, 1)
                   .Plan({"gfx942", 304}, {&registry.family()}));
}

TEST_F(VerifierTest, what_was_missed_most_goes_first_and_tuning_goes_before) {
  std::vector<int> many;
  for (int i = 1; i <= 20; ++i) many.push_back(16 * i);
  Push("100 days", "7.1", many);
  Execute(registry.url,
          "INSERT INTO demand (id, family, cu_num, gfx, shape, count, closed) "
          "SELECT key, family, cu_num, gfx, '{}', 5, now() FROM tuned ORDER BY ord DESC LIMIT 1");
  const auto tune = Add();
  const auto first = Take();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->id, tune);
  Finish(*first);
  const auto job = Take();
  ASSERT_TRUE(job);
  EXPECT_EQ(nlohmann::json::parse(job->shapes).size(), server::kDefaultJobShapes);
  EXPECT_THAT(job->shapes, HasSubstr(R"("M":320)"));
}

TEST_F(VerifierTest, a_tied_winner_goes_first_if_its_shape_is_missed) {
  Push("100 days", "7.1", {16, 32});
  Execute(registry.url, "UPDATE tuned SET why = 7");
  Execute(registry.url,
          "INSERT INTO demand (id, family, cu_num, gfx, shape, count, closed) "
          "SELECT key, family, cu_num, gfx, '{}', 5, now() FROM tuned ORDER BY ord LIMIT 1");
  const auto job = Take();
  ASSERT_TRUE(job);
  EXPECT_EQ(job->why, "tied");
  EXPECT_EQ(nlohmann::json::parse(job->shapes).size(), 1U);
}

TEST_F(VerifierTest, a_days_hours_end_it) {
  Push("100 days", "7.1", {16, 32});
  Execute(
      registry.url,
      "UPDATE tuned SET verified = now() WHERE key = (SELECT key FROM tuned ORDER BY ord LIMIT 1)");
  const auto job = Take();
  ASSERT_TRUE(job);
  Finish(*job);
  Execute(registry.url, "UPDATE tuned SET verified = NULL");
  const auto plan = [&](int hours) {
    return server::Verifier(registry.definitions, pool, registry.snapshots, hours)
        .Plan({"gfx942", 304}, {&registry.family()});
  };
  Execute(registry.url, "UPDATE job SET claimed = finished - interval '61 minutes'");
  EXPECT_FALSE(plan(1)) << "61 minutes exceed the limit";
  EXPECT_FALSE(plan(0));
  Execute(registry.url, "UPDATE job SET gfx = 'gfx950'");
  EXPECT_TRUE(plan(1)) << "another target used the minutes";
  EXPECT_FALSE(plan(1)) << "one job already waits";
}

}  // namespace
}  // namespace tunehub::test
