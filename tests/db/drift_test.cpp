// The drift of devices, by the times of their defaults.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "server/db/retention.h"
#include "server/ingest/run_store.h"
#include "server/queue/job_store.h"
#include "tests/db/together.h"
#include "tests/support/registry.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

class Drift : public RegistryTest {
 protected:
  static inline const std::string kFirst =
      R"({"host":"node1","product":"MI300X","address":"0000:c1:00.0"})";
  static inline const std::string kFirstName = "node1 MI300X 0000:c1:00.0";
  static inline const std::string kSecond =
      R"({"host":"node1","pci_id":"1002:74a1","address":"0000:c2:00.0"})";

  std::int64_t RunOn(const std::string& provenance) {
    server::RunContent content;
    content.hash = core::HashOf("run " + std::to_string(++runs_));
    content.provenance = provenance;
    bool created = false;
    return server::RunStore(registry.pool).Create(content, created)->id;
  }

  // Two rows of each shape: M = 16, 32, ..., one for each reference.
  static std::string Body(const std::vector<double>& references, const std::string& more = "") {
    std::string rows;
    for (std::size_t i = 0; i < references.size(); ++i) {
      for (const char* kernel : {"a", "b"}) {
        rows += fmt::format(
            R"({}{{"gfx":"gfx942","cu_num":304,"M":{},"N":1536,"K":7168,"libtype":"ck","kernelId":1,)"
            R"("splitK":0,"us":9,"kernelName":"{}","errRatio":0,"us_reference":{}{}}})",
            rows.empty() ? "" : ",", 16 * (i + 1), kernel, references[i], more);
      }
    }
    return R"({"rows":[)" + rows + "]}";
  }
  void Send(const std::string& provenance, const std::vector<double>& references) {
    Receipt(registry.SendJson(Body(references), {.run = RunOn(provenance)}));
  }

  // "node1 MI300X 1.0500 (1)", by device and day.
  std::string Listed() {
    std::string text;
    for (const auto& it : server::JobStore(registry.pool).ListDrift()) {
      for (const auto& day : it.days)
        text += fmt::format("{}{} {:.4f} ({})", text.empty() ? "" : "\n", it.device, day.ratio,
                            day.keys);
    }
    return text;
  }
  void Age(const std::string& days) {
    Execute(registry.url, "UPDATE drift SET day = day - " + days + ", since = since - " + days);
  }

 private:
  int runs_ = 0;
};

TEST_F(Drift, is_the_mean_of_later_times_over_the_first_of_each_shape_by_device) {
  Send(kFirst, {10, 40});
  EXPECT_EQ(Listed(), "") << "first times are compared with nothing";
  Send(kFirst, {10.5});
  EXPECT_EQ(Listed(), kFirstName + " 1.0500 (1)");
  Send(kSecond, {20});
  Send(kSecond, {19});
  EXPECT_EQ(Listed(), "node1 1002:74a1 0000:c2:00.0 0.9500 (1)\n" + kFirstName + " 1.0500 (1)");
  Age("2");
  Send(kFirst, {11, 40, 7});
  EXPECT_EQ(Listed(), "node1 1002:74a1 0000:c2:00.0 0.9500 (1)\n" + kFirstName + " 1.0500 (1)\n" +
                          kFirstName + " 1.0488 (2)");
  EXPECT_EQ(QueryText(registry.url, "SELECT count(DISTINCT since)::text FROM drift"), "1");
}

TEST_F(Drift, a_batch_that_is_sent_again_does_not_count_twice) {
  Send(kFirst, {10});
  const Post post{.run = RunOn(kFirst), .idempotency_key = "k"};
  Receipt(registry.SendJson(Body({12}), post));
  EXPECT_TRUE(registry.SendJson(Body({12}), post).replayed);
  Receipt(registry.SendJson(Body({12}), {.run = post.run}));
  Receipt(registry.SendJson(Body({99}), {.run = RunOn(kFirst), .dry_run = true}));
  EXPECT_EQ(Listed(), kFirstName + " 1.2000 (1)");
}

TEST_F(Drift, unsteady_times_and_runs_without_a_device_do_not_count) {
  Send(kFirst, {10});
  Receipt(registry.SendJson(Body({12}, R"(,"clock":"slowed")"), {.run = RunOn(kFirst)}));
  Send(R"({"host":"node1"})", {10});
  Send(R"({"host":"node1"})", {12});
  Receipt(registry.SendJson(Body({11})));
  EXPECT_EQ(Listed(), "");
  EXPECT_EQ(registry.Count("drift_first"), 1);
}

TEST_F(Drift, a_long_name_fits) {
  const std::string name(5000, 'x');
  Send(R"({"host":")" + name + R"(","gpu":"g"})", {10});
  Send(R"({"host":")" + name + R"(","gpu":"g"})", {11});
  EXPECT_EQ(Listed(), name.substr(0, 200) + " 1.1000 (1)");
}

TEST_F(Drift, batches_that_commit_together_count_by_their_devices) {
  const auto runs = RunsTogether(registry);
  Execute(registry.url, "UPDATE run SET provenance = jsonb_build_object('gpu', 'g', 'host', id)");
  for (int round = 0; round < 2; ++round) {
    SendTogether(registry, [&](int i) {
      const std::string body = fmt::format(
          R"({{"rows":[{{"gfx":"gfx942","cu_num":304,"M":{},"N":1536,"K":7168,"libtype":"ck",)"
          R"("kernelId":1,"splitK":0,"us":9,"kernelName":"k{}","errRatio":0,"us_reference":{}}}]}})",
          i + 1, round, 10 + round);
      Receipt(registry.SendJson(body, {.run = runs[static_cast<std::size_t>(i)]}));
    });
  }
  const auto drift = server::JobStore(registry.pool).ListDrift();
  ASSERT_EQ(drift.size(), kTogether);
  for (const auto& it : drift) EXPECT_DOUBLE_EQ(it.days[0].ratio, 1.1);
}

TEST_F(Drift, lists_90_days_and_deletes_days_and_devices_that_are_older_than_retention_days) {
  Send(kFirst, {10});
  Send(kFirst, {11});
  Send(kSecond, {10});
  Send(kSecond, {12});
  Age("95");
  Send(kSecond, {13});
  EXPECT_EQ(Listed(), "node1 1002:74a1 0000:c2:00.0 1.3000 (1)");
  EXPECT_EQ(registry.Count("drift"), 3);
  server::DeleteOld(registry.pool, 96);
  EXPECT_EQ(registry.Count("drift"), 3);
  server::DeleteOld(registry.pool, 94);
  EXPECT_EQ(registry.Count("drift"), 1);
  EXPECT_EQ(QueryText(registry.url, "SELECT string_agg(device, ',') FROM drift_first"),
            "node1 1002:74a1 0000:c2:00.0");
}

}  // namespace
}  // namespace tunehub::test
