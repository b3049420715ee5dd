// How soon the daemon asks again after a job of which it measured nothing, by a clock of the
// test's.
#include <fmt/core.h>

#include <fstream>

#include "agent/daemon/daemon.h"
#include "tests/unit/agent/agent_support.h"

namespace tunehub::agent {
namespace {

using std::chrono::seconds;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

constexpr seconds kPoll{10};
constexpr int kOffers = 20;

class NoLoad : public Probe {
 public:
  std::string Busy(const OwnWork&) override { return ""; }
};

struct FixedTuner : JobTuner {
  core::Result<Summary> Tune(const TuneTask& task, IdlePace&, Outbox&, Observer&) override {
    if (outlasts_lease) {
      journal = task.journal;
      std::ofstream(journal) << "{}";
      while (!task.search.stop()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!thrown.empty()) throw std::runtime_error(thrown);
    return outcome;
  }
  void GiveUp() override {}
  OwnWork own() const override { return {}; }

  core::Result<Summary> outcome = Summary{};
  std::string thrown;
  bool outlasts_lease = false;
  std::filesystem::path journal;
};

class RefusedJobs : public testing::Test {
 protected:
  RefusedJobs() {
    hub_.on_request = [this](const Request& request) {
      const bool claim = request.target == "/jobs/claim";
      if (claim) claims_.push_back(now_);
      hub_.answers = {claim ? Offer() : Answer{200, {}, "{}"}};
    };
  }
  // The same job again and again, until the key may not claim any more.
  Answer Offer() const {
    if (claims_.size() > kOffers) return {403, {}, R"({"status":403,"code":"wrong_scope"})"};
    return {200,
            {},
            fmt::format(R"({{"id":7,"family":"{}","lease":{{"epoch":1,"seconds":{}}},)"
                        R"("shapes":[{{"M":"16","N":"1280","K":"8192"}}]}})",
                        family_, tuner_.outlasts_lease ? 0.1 : 3600.0)};
  }
  // The times between the claims.
  std::vector<HubWatch::Clock::duration> Run() {
    const auto spool = Spool::Open(folder_ / "spool");
    JobQueue queue(hub_, {}, {.tries = 1}), heartbeats(unheard_, {}, {.tries = 1});
    StatusFile status(folder_ / "status.json", {});
    DaemonOptions options;
    options.poll = kPoll;
    options.json = json_;
    options.state = folder_.path();
    options.now = [this] { return now_; };
    options.nap = [this](HubWatch::Clock::duration time) { now_ += time; };
    Daemon daemon({configuration_, info_, *spool, hub_, queue, heartbeats, tuner_, status, out_},
                  options);
    IdleOptions always;
    always.always = true;
    IdlePace pace(
        std::make_unique<NoLoad>(), always, [] { return OwnWork{}; }, [] {}, [] { return false; });
    EXPECT_TRUE(pace.Await().ok());
    const auto ended = daemon.Run(pace);
    EXPECT_FALSE(ended.ok());
    EXPECT_THAT(claims_, SizeIs(kOffers + 1)) << out_.str();
    std::vector<HubWatch::Clock::duration> between;
    for (std::size_t i = 1; i < claims_.size(); ++i) between.push_back(claims_[i] - claims_[i - 1]);
    return between;
  }

  const agent::test::TempFolder folder_;
  const Configuration configuration_ = agent::test::RealConfiguration();
  const DeviceInfo info_;
  agent::test::FakeHub hub_, unheard_;
  FixedTuner tuner_;
  std::string family_ = "a8w8_blockscale";
  bool json_ = false;
  HubWatch::Clock::time_point now_{};
  std::vector<HubWatch::Clock::time_point> claims_;
  std::ostringstream out_;
};

TEST_F(RefusedJobs, a_job_of_an_unknown_family_is_followed_by_a_pause) {
  family_ = "$(id)";
  EXPECT_THAT(Run(), Each(kPoll));
}

TEST_F(RefusedJobs, a_job_that_the_tuner_refuses_is_followed_by_a_pause) {
  tuner_.outcome = core::Error{"bad_cell", "a cell that a script would run"};
  EXPECT_THAT(Run(), Each(kPoll));
}

TEST_F(RefusedJobs, a_job_whose_tuner_throws_is_told_of_and_followed_by_a_pause) {
  tuner_.thrown = "no such \xff\x1b[2J\nthing";
  EXPECT_THAT(Run(), Each(kPoll));
  EXPECT_THAT(out_.str(), HasSubstr("job 7: internal: no such "));
  EXPECT_EQ(out_.str().find('\x1b'), std::string::npos);
  EXPECT_THAT(out_.str(), testing::Not(HasSubstr("\nthing")));
}

TEST_F(RefusedJobs, a_log_of_json_takes_any_bytes) {
  json_ = true;
  tuner_.outcome = core::Error{"bad_cell", "\xff"};
  EXPECT_THAT(Run(), Each(kPoll));
  EXPECT_THAT(out_.str(), HasSubstr("{\"job\":7,\"event\":\"\xEF\xBF\xBD\"}"));
}

TEST_F(RefusedJobs, AJobWhoseLeaseIsLostLeavesNoJournal) {
  tuner_.outlasts_lease = true;
  unheard_.on_request = [this](const Request&) {
    unheard_.answers = {{409, {}, R"({"status":409,"code":"lease_lost"})"}};
  };
  Run();
  EXPECT_THAT(out_.str(), HasSubstr("the lease is lost"));
  ASSERT_FALSE(tuner_.journal.empty());
  EXPECT_FALSE(std::filesystem::exists(tuner_.journal));
}

TEST_F(RefusedJobs, a_job_that_is_handed_back_is_followed_by_a_pause) {
  tuner_.outcome->left = "it is of another device";
  EXPECT_THAT(Run(), Each(kPoll));
}

TEST_F(RefusedJobs, a_job_without_a_winner_is_followed_by_a_pause) {
  EXPECT_THAT(Run(), Each(kPoll));
}

TEST_F(RefusedJobs, after_a_job_that_was_tuned_the_next_is_asked_for_at_once) {
  tuner_.outcome->tuned = 1;
  EXPECT_THAT(Run(), Each(seconds(0)));
}

}  // namespace
}  // namespace tunehub::agent
