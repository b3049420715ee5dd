// Metrics of a real server. silent_database_test tests metrics while the database does not answer.
#include "tests/support/metrics.h"

#include <vector>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"

namespace tunehub::test {
namespace {

std::string Answers(const std::string& code, const std::string& method, const std::string& route) {
  return "tunehub_http_answer_seconds_count{code=\"" + code + "\",method=\"" + method +
         "\",route=\"" + route + "\"}";
}

std::string Rejected(const std::string& reason) {
  return "tunehub_keys_rejected_total{reason=\"" + reason + "\"}";
}

class MetricsTest : public HubTest {};

TEST_F(MetricsTest, a_request_counts_once_under_its_routes_pattern_its_method_and_its_code) {
  ASSERT_EQ(Verdict(Submitter().Post(kResults, kHeader + Row(1, "5.0"))), "200");
  const Metrics before(Open());
  const RawAnswer table = Good(Open().Get(kTable));
  EXPECT_EQ(Open().Get(kTable).body, table.body);
  const RawAnswer unknown = Open().Get("/tuned/no_such_family?gfx=gfx942");
  EXPECT_EQ(Verdict(unknown), "404 unknown_family");
  EXPECT_EQ(Verdict(Open().Get("/no/such/path")), "404 no_such_path");
  EXPECT_EQ(Verdict(Open().Post("/runs", "{}")), "401 no_key");
  EXPECT_EQ(Open().Head("/families").status, 200);
  const std::string rows = kHeader + Row(2, "5.0");
  EXPECT_EQ(Verdict(Submitter().Post(kResults, rows)), "200");
  const Metrics after(Open());
  const auto more = [&](const std::string& series) { return after.Of(series) - before.Of(series); };
  EXPECT_EQ(more(Answers("200", "GET", "/tuned/{family}")), 2);
  EXPECT_EQ(more(Answers("404", "GET", "/tuned/{family}")), 1);
  EXPECT_EQ(more(Answers("404", "other", "other")), 1);
  EXPECT_EQ(more(Answers("401", "POST", "/runs")), 1);
  EXPECT_EQ(more(Answers("200", "GET", "/families")), 1);
  EXPECT_EQ(more(Answers("200", "POST", "/results/{family}")), 1);
  EXPECT_EQ(
      more("tunehub_http_request_body_bytes_total{method=\"POST\",route=\"/results/{family}\"}"),
      static_cast<double>(rows.size()));
  EXPECT_EQ(more("tunehub_http_answer_body_bytes_total{method=\"GET\",route=\"/tuned/{family}\"}"),
            static_cast<double>(2 * table.body.size() + unknown.body.size()));
  EXPECT_EQ(more("tunehub_pool_wait_seconds_count{pool=\"writes\"}"), 1);
  EXPECT_EQ(more("tunehub_ingest_seconds_count{kind=\"results\"}"), 1);
  EXPECT_GT(more("tunehub_database_wait_seconds_count"), 0);
  EXPECT_THAT(Open().Get("/metrics").Header("content-type"), testing::HasSubstr("version=0.0.4"));
}

// Labels contain only the program's routes, never a client's text.
TEST_F(MetricsTest, unknown_paths_families_and_methods_make_no_series) {
  const auto ask = [](int i) {
    const std::string name = "made_up_" + std::to_string(i);
    Open().Get("/" + name);
    Open().Get("/tuned/" + name + "?gfx=gfx942");
    Open().Get("/files/" + name + "/" + name);
    Open().Get("/jobs/" + name);
    Open().Get("/builds/" + name);
    Open().Try("M" + std::to_string(i % 100), "/tuned");
    Submitter().Post("/results/" + name, kHeader + Row(1, "5.0"));
    server_->Client("thub_" + name).Post("/runs", "{}");
  };
  ask(0);
  const Metrics before(Open());
  EXPECT_LT(before.size(), 1'500U);
  for (int i = 1; i <= 200; ++i) ask(i);
  const Metrics after(Open());
  // Meanwhile the server's own work may have added series.
  const std::vector<std::string> begun = after.NamesBeyond(before);
  EXPECT_LT(begun.size(), 100U);
  EXPECT_THAT(begun, testing::Each(testing::Not(testing::AnyOf(testing::HasSubstr("made_up"),
                                                               testing::HasSubstr("method=\"M")))));
  EXPECT_GE(after.Of(Answers("404", "other", "other")), 200);
}

TEST_F(MetricsTest, a_key_that_is_refused_counts_under_the_reason) {
  const std::string expired = server_->ExpiredKey("submit");
  const std::string reads = server_->NewKey("read");
  const std::string limited =
      server_->NewKey("submit", std::vector<std::string>{"--families", "a8w8"});
  const std::string revoked = server_->NewKey("submit");
  ASSERT_EQ(server_->Tool({"key", "revoke", "5"}).status, 0);  // the fifth key of this server
  const Metrics before(Open());
  const std::string rows = kHeader + Row(1, "5.0");
  EXPECT_EQ(Verdict(Open().Post(kResults, rows)), "401 no_key");
  EXPECT_EQ(Verdict(server_->Client("thub_short").Post(kResults, rows)), "401 wrong_key");
  EXPECT_EQ(Verdict(server_->Client("thub_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").Post(kResults, rows)),
            "401 wrong_key");
  EXPECT_EQ(Verdict(server_->Client(expired).Post(kResults, rows)), "401 expired_key");
  EXPECT_EQ(Verdict(server_->Client(reads).Post(kResults, rows)), "403 wrong_scope");
  EXPECT_EQ(Verdict(server_->Client(limited).Post(kResults, rows)), "403 key_limited");
  EXPECT_TRUE(Comes(  // the server reads the keys every second
      [&] { return Verdict(server_->Client(revoked).Post(kResults, rows)) == "401 revoked_key"; }));
  const Metrics after(Open());
  for (const char* reason :
       {"none", "malformed", "unknown", "expired", "revoked", "scope", "limits"}) {
    EXPECT_EQ(after.Of(Rejected(reason)) - before.Of(Rejected(reason)), 1) << reason;
  }
}

TEST_F(MetricsTest, rows_count_by_what_became_of_them) {
  const Metrics before(Open());
  const std::string rows = kHeader + Row(31, "5.0") + Row(31, "5.0") + Row(32, "-3.0") +
                           Row(33, "0.000001") + "gfx942,80,x\n";
  const RawAnswer answer = Good(Submitter().Post(kResults, rows));
  const auto receipt = JsonOf(answer);
  const Metrics after(Open());
  const auto more = [&](const std::string& outcome) {
    const std::string series = "tunehub_ingest_rows_total{outcome=\"" + outcome + "\"}";
    return after.Of(series) - before.Of(series);
  };
  EXPECT_EQ(more("folded"), 1) << answer.body;
  EXPECT_GE(more("stored"), 1) << answer.body;
  EXPECT_EQ(more("stored") + more("folded") + more("rejected") + more("unchanged"), 5)
      << answer.body;
  EXPECT_EQ(after.Of("tunehub_ingest_quarantined_rows_total") -
                before.Of("tunehub_ingest_quarantined_rows_total"),
            receipt.at("quarantined_count"))
      << answer.body;
}

TEST(MetricsLimitTest, whoever_asks_too_often_counts_under_the_limits_name) {
  ServerProcess server({.database = NewDatabase(), .environment = {{"TUNEHUB_LIMIT_READS", "1"}}});
  int refused = 0;
  for (int i = 0; i < 30; ++i) refused += server.Client().Get("/runs").status == 429 ? 1 : 0;
  EXPECT_GT(refused, 0);
  EXPECT_EQ(Metrics(server.Client()).Of("tunehub_refusals_total{limit=\"limit_reads\"}"), refused);
}

TEST(MetricsLeaseTest, a_lease_that_expires_counts) {
  ServerProcess server(
      {.database = NewDatabase(), .environment = {{"TUNEHUB_JOB_LEASE_MS", "300"}}});
  const HttpClient admin = server.Client(server.NewKey("admin"));
  Good(admin.Post("/jobs", R"({"family":"a8w8_blockscale","gfx":"gfx942",)"
                           R"("shapes":[{"M":16,"N":"1280","K":5120.0}]})"),
       201);
  EXPECT_EQ(Metrics(server.Client()).Of("tunehub_leases_expired_total"), 0);
  ASSERT_EQ(admin.Post("/jobs/claim", R"({"agent":"a","gfx":"gfx942","cu_num":304})").status, 200);
  EXPECT_EQ(AwaitMetric(server.Client(), "tunehub_leases_expired_total", 1), 1);
  EXPECT_EQ(AwaitMetric(server.Client(), "tunehub_jobs{state=\"queued\"}", 1), 1);
}

TEST(MetricsDriftTest, agents_and_metrics_have_the_drift_of_devices) {
  const ServerOptions options{.database = NewDatabase()};
  const ServerProcess server(options);
  const HttpClient admin = server.Client(server.NewKey("admin"));
  for (const double reference : {10.0, 10.5}) {
    const Json run = JsonOf(admin.PostJson(
        "/runs", {{"host", "h"}, {"gpu", "g"}, {"address", "a"}, {"note", reference}}));
    const Json row = {
        {"gfx", "gfx942"}, {"cu_num", 80},          {"M", 1},        {"N", 2048},
        {"K", 3072},       {"libtype", "ck"},       {"kernelId", 8}, {"splitK", 2},
        {"us", 900},       {"kernelName", kKernel}, {"errRatio", 0}, {"us_reference", reference}};
    Good(admin.PostJson(kResults + "?run=" + run.at("id").dump(), {{"rows", Json::array({row})}}));
  }
  const Json answer = JsonOf(admin.Get("/agents?drift=1"));
  EXPECT_FALSE(JsonOf(admin.Get("/agents")).contains("drift"));
  ASSERT_EQ(answer.at("drift").size(), 1U);
  const Json& drift = answer["drift"][0];
  EXPECT_EQ(drift.at("device"), "h g a");
  EXPECT_EQ(drift.at("days").at(0).at("day"), drift.at("since"));
  EXPECT_EQ(drift.at("days").at(0).at("keys"), 1);
  EXPECT_DOUBLE_EQ(drift.at("days").at(0).at("ratio"), 1.05);
  // A server reads the drift at its start, then once a minute.
  const ServerProcess other(options);
  EXPECT_DOUBLE_EQ(Metrics(other.Client()).Of("tunehub_device_drift_ratio{device=\"h g a\"}"),
                   1.05);
}

}  // namespace
}  // namespace tunehub::test
