// Jobs that verify, on this machine's CPU: one confirms a row far below another owner's, one finds
// that the default has caught up. The times come from a script, so that load changes none.
#include <algorithm>
#include <sstream>

#include "tests/e2e/agent/daemon_fixture.h"

namespace tunehub::test {
namespace {

class VerifyJobTest : public CpuDaemonTest {
 protected:
  static void SetUpTestSuite() {
    CpuDaemonTest::SetUpTestSuite();
    target_ = "gfx=" + device_["gfx"].get<std::string>() +
              "&cu_num=" + std::to_string(device_["cu_num"].get<int>());
  }

  static std::string Shape(int n) { return target_ + "&M=16&N=" + std::to_string(n) + "&K=512"; }
  static Json Measurements(int n) {
    return JsonOf(Good(Open().Get("/shapes/a8w8?" + Shape(n))))["measurements"];
  }
  static Json ServedRow(int n) {
    return JsonOf(Good(Open().Get("/tuned/a8w8?format=json&" + Shape(n))))["rows"][0];
  }
  // A worker that measures nothing: its times come from a script, and runs with different names
  // differ by some noise.
  std::string Worker(const std::string& run) const {
    const std::string script = std::string(TUNEHUB_SOURCE_DIR) + "/tests/bench/aa_worker.py";
    std::string worker =
        Write("worker." + run, "#!/bin/sh\nexec python3 '" + script + "' --script " + run + " '" +
                                   AgentBinary() + "' worker \"$@\"\n");
    std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
    return worker;
  }
  void Tune(int n, const std::string& run) const {
    const std::string untuned = Write("untuned.csv", "M,N,K\n16," + std::to_string(n) + ",512\n");
    const Finished done =
        RunToEnd({AgentBinary(),
                  {"tune", "-i", untuned, "--family", "a8w8", "--all", "--worker", Worker(run),
                   "--spool", Path("spool"), "--state", Path("state")},
                  {{"TUNEHUB_HUB", server_->url()}, {"TUNEHUB_KEY", submit_key_}}});
    ASSERT_EQ(done.status, 0) << done.err;
  }
  static void Revert(const Json& run) {
    Good(Admin().Post("/runs/" + run.dump() + "/revert?allow_shrink=1", ""));
  }
  // The measurement as a row to send, with another time.
  static Json RowWith(const Json& measurement, double us) {
    const std::string csv = Good(Open().Get("/tuned/a8w8?allow_empty=1")).body;
    std::istringstream header(csv.substr(0, csv.find('\n')));
    std::istringstream line(measurement["line"].get<std::string>());
    Json row;
    std::string name, cell;
    while (std::getline(header, name, ',')) {
      std::getline(line, cell, ',');
      row[name] = cell;
    }
    row["us"] = us;
    if (measurement["is_default"] == true) row["is_default"] = true;
    return row;
  }
  static Json Measured(int n) {
    Json measured = Json::array();
    for (const Json& it : Measurements(n)) {
      if (it["standing"] == "measured") measured.push_back(it);
    }
    return measured;
  }

  static inline std::string target_;
};

TEST_F(VerifyJobTest, an_idle_agents_job_confirms_a_row_far_below_another_owners) {
  Tune(224, "first");
  Json slow_rows = Json::array();
  for (const Json& it : Measured(224))
    slow_rows.push_back(RowWith(it, it["us"].get<double>() * 20));
  Revert(Measurements(224)[0]["run"]);
  const HttpClient slow =
      server_->Client(server_->NewKey("submit", std::vector<std::string>{"--owner", "slow"}));
  Good(slow.PostJson("/results/a8w8", {{"rows", slow_rows}}));
  const double slow_us = ServedRow(224)["us"].get<double>();

  Tune(224, "second");
  EXPECT_EQ(ServedRow(224)["us"], slow_us) << "the new rows wait";
  const Json waiting = Measurements(224);
  EXPECT_TRUE(std::ranges::any_of(waiting, [](const Json& it) {
    return it["standing"] == "unconfirmed";
  })) << waiting;

  Program daemon(Daemon({"--worker", Worker("third")}), Path("out"), Path("err"));
  const auto confirmed = [] {
    const Json jobs = JsonOf(Open().Get("/jobs?state=done"))["jobs"];
    return std::ranges::any_of(jobs, [](const Json& it) { return it["why"] == "unconfirmed"; });
  };
  EXPECT_TRUE(Comes(confirmed)) << Read("err");
  Stop(daemon);
  EXPECT_LT(ServedRow(224)["us"].get<double>(), slow_us / 2);
  for (const Json& it : Measurements(224)) {
    if (it["won"].is_null()) continue;
    EXPECT_EQ(JsonOf(Open().Get("/runs/" + it["run"].dump()))["confirmed"], true);
  }
}

TEST_F(VerifyJobTest, a_row_whose_default_caught_up_is_a_baseline_again) {
  Tune(288, "first");
  const Json all = Measurements(288);
  const Json by_default =
      *std::ranges::find(all, true, [](const Json& it) { return it["is_default"] == true; });
  const double us = by_default["us"].get<double>();
  // The search gave up candidates that are slower than the default.
  const Json other =
      *std::ranges::find_if(all, [&](const Json& it) { return it["us"].get<double>() > us * 1.1; });
  // The hub knows no other candidates of this shape.
  const auto row = [](const Json& measurement, double time) {
    Json other_shape = RowWith(measurement, time);
    other_shape["N"] = "320";
    return other_shape;
  };
  Good(
      Submitter().PostJson("/results/a8w8", {{"rows", {row(other, us / 2), row(by_default, us)}}}));
  EXPECT_EQ(ServedRow(320)["kernelName"], row(other, us)["kernelName"]);
  EXPECT_EQ(ServedRow(320)["baseline"], false);

  const int job = NewJob({{16, 320}}, {{"purpose", "verify"}});
  Program daemon(Daemon({"--worker", Worker("second")}), Path("out"), Path("err"));
  EXPECT_TRUE(Comes([&] { return StateOf(job) == "done"; })) << Read("err");
  Stop(daemon);
  EXPECT_EQ(ServedRow(320)["kernelName"], row(by_default, us)["kernelName"]);
  EXPECT_EQ(ServedRow(320)["baseline"], true) << ServedRow(320);
}

}  // namespace
}  // namespace tunehub::test
