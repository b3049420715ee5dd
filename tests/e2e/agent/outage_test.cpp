// A hub that is away for longer than a lease, again and again, under three daemons that tune: it
// blames nobody, and no shape is measured twice. TUNEHUB_OUTAGES (3) chooses how often.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <iostream>
#include <thread>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/postmaster.h"
#include "tests/support/shipped.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

constexpr int kDaemons = 3;
constexpr milliseconds kLease{1000}, kOutage{2500};
constexpr int kShapesOfAJob = 2;
constexpr std::chrono::minutes kLimit{10};

int Outages() {
  const char* const text = std::getenv("TUNEHUB_OUTAGES");
  return text == nullptr ? 3 : std::stoi(text);
}

int Occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class OutageTest : public testing::Test {
 protected:
  OutageTest() {
    {
      ServerProcess first({.database = database_});
      port_ = first.port();
      claim_key_ = first.NewKey("claim");
      admin_key_ = first.NewKey("admin");
      first.Stop();
    }
    const auto found = RunToEnd({AgentBinary(), {"discover", "--kind", "cpu", "--json"}});
    gfx_ = nlohmann::json::parse(found.out)["gfx"].get<std::string>();
    Start();
  }

  // The daemons know one address: a server comes back where it was.
  void Start() {
    const auto log = dir_.path() / ("server" + std::to_string(++starts_));
    const Command command{
        ServerBinary(),
        {"serve", "--listen", "127.0.0.1:" + std::to_string(port_), "--database", database_},
        {{"TUNEHUB_JOB_LEASE_MS", std::to_string(kLease.count())}}};
    server_ = std::make_unique<Program>(command, log, log);
    while (!Ready()) {
      ASSERT_FALSE(server_->Wait(milliseconds(20))) << ReadText(log);
    }
  }
  bool Ready() const {
    const auto answer = HttpClient(port_).Try("GET", "/readyz");
    return answer && answer->status == 200;
  }
  // The first and the third are of one name and one processor: another instance is what tells them
  // apart.
  std::unique_ptr<Program> Daemon(int number) const {
    const std::string name = "daemon" + std::to_string(number);
    const Command command{AgentBinary(),
                          {"run", "--always", "--poll", "0.1", "--iters", "5", "--cpus",
                           number == 1 ? "1" : "0", "--state", Path(name + "/state")},
                          {{"TUNEHUB_HUB", "http://127.0.0.1:" + std::to_string(port_)},
                           {"TUNEHUB_KEY", claim_key_},
                           {"TUNEHUB_SPOOL", Path(name + "/spool")}}};
    return std::make_unique<Program>(command, Path(name + ".out"), Path(name + ".err"));
  }
  std::string Path(const std::string& name) const { return (dir_.path() / name).string(); }

  void NewJob() {
    nlohmann::json job = {
        {"family", "a8w8"}, {"gfx", gfx_}, {"cu_num", 1}, {"shapes", nlohmann::json::array()}};
    for (int i = 0; i < kShapesOfAJob; ++i) {
      job["shapes"].push_back({{"M", 16}, {"N", 64 * ++shapes_}, {"K", 256}});
    }
    const auto answer = HttpClient(port_, admin_key_)
                            .Post("/jobs", job.dump(), {{"Content-Type", "application/json"}});
    ASSERT_EQ(answer.status, 201) << answer.body;
    ++jobs_;
  }
  int Count(const std::string& from) const {
    return std::stoi(QueryText(database_, "SELECT count(*) FROM " + from));
  }
  void Await(const std::string& from, int count) const {
    const auto until = Clock::now() + kLimit;
    while (Count(from) < count && Clock::now() < until) {
      std::this_thread::sleep_for(milliseconds(20));
    }
    ASSERT_GE(Count(from), count) << from;
  }

  // By turns the only server and the database.
  void Outage(int number) {
    if (number % 2 == 0) {
      server_->Signal(SIGKILL);
      server_->Wait(seconds(20));
      std::this_thread::sleep_for(kOutage);
      Start();
      return;
    }
    KillPostmaster(database_);
    while (cluster_.cluster().Alive()) std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(kOutage);
    ASSERT_TRUE(cluster_.cluster().Restart().ok());
    ASSERT_TRUE(AwaitPostmaster(database_));
    while (!Ready()) std::this_thread::sleep_for(milliseconds(20));
  }

  TestCluster cluster_;
  TempDir dir_;
  std::string database_ = cluster_.NewDatabase(), claim_key_, admin_key_, gfx_;
  unsigned short port_ = 0;
  std::unique_ptr<Program> server_;
  int starts_ = 0, shapes_ = 0, jobs_ = 0;
};

TEST_F(OutageTest, no_shape_is_measured_twice_none_is_parked_and_none_is_lost) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "two processors are needed";
  std::array<std::unique_ptr<Program>, kDaemons> daemons;
  for (int i = 0; i < kDaemons; ++i) daemons[static_cast<std::size_t>(i)] = Daemon(i);
  for (int outage = 0; outage < Outages(); ++outage) {
    for (int i = 0; i <= kDaemons; ++i) NewJob();
    Await("job WHERE state = 'running'", kDaemons);
    Outage(outage);
    if (HasFatalFailure()) return;
  }
  Await("job WHERE state IN ('done', 'parked')", jobs_);
  for (auto& daemon : daemons) {
    daemon->Signal(SIGTERM);
    EXPECT_EQ(daemon->Wait(seconds(60)), 0);
  }
  std::string told;
  for (int i = 0; i < kDaemons; ++i) told += ReadText(Path("daemon" + std::to_string(i) + ".out"));
  const int handed_out = std::stoi(QueryText(database_, "SELECT sum(epoch) FROM job"));
  const int batches = Count("batch WHERE kind = 'results'");
  EXPECT_EQ(Count("job WHERE state = 'done'"), jobs_);
  EXPECT_EQ(Count("job WHERE reasons <> '[]' OR tries <> 0"), 0) << "nobody is to blame";
  EXPECT_EQ(handed_out, jobs_);
  EXPECT_EQ(Count("(SELECT DISTINCT key FROM measurement) AS keys"), shapes_);
  EXPECT_EQ(batches, shapes_) << "one batch is one measurement of a shape";
  EXPECT_EQ(Occurrences(told, ": done, "), jobs_) << told;
  EXPECT_EQ(Count("agent"), kDaemons);
  EXPECT_EQ(Count("(SELECT DISTINCT name FROM agent) AS names"), 2);
  std::cout << Outages() << " outages of " << kOutage.count() << " ms under leases of "
            << kLease.count() << " ms: " << jobs_ << " jobs handed out " << handed_out << " times, "
            << shapes_ << " shapes in " << batches << " batches, "
            << Count("job WHERE state = 'parked'") << " parked\n";
}

}  // namespace
}  // namespace tunehub::test
