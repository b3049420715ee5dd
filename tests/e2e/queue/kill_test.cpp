// kill -9 at random moments of two servers, of their PostgreSQL and of the agents that work off a
// queue. In the end every job is done, each by one completion, and every acknowledged measurement
// is there once. TUNEHUB_QUEUE_JOBS (300) and TUNEHUB_KILL_SEED choose how long and which moments.
#include <array>
#include <atomic>
#include <iostream>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "server/embedded/cluster.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/postmaster.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr int kAgents = 8;
constexpr int kPauseMs = 900;  // between two kills, at most
constexpr std::chrono::minutes kLimit{10};

int FromEnvironment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoi(text);
}

// A job's one shape, which tells its number: N.
std::string ShapeOf(int number) {
  return R"({"M":16,"N":)" + std::to_string(1000 + number) + R"(,"K":3072})";
}

std::string RowOf(const nlohmann::json& shape) {
  std::string row = Row(16, "900.0", "gfx942", "304");
  return row.replace(row.find(",2048,"), 6, "," + shape.at("N").get<std::string>() + ",");
}

class QueueKillTest : public testing::Test {
 protected:
  QueueKillTest()
      : seed_(static_cast<unsigned>(FromEnvironment("TUNEHUB_KILL_SEED", 20260822))),
        random_(seed_),
        cluster_(std::make_unique<TestCluster>()),
        database_(cluster_->NewDatabase()) {
    for (auto& server : servers_) {
      server = std::make_unique<ServerProcess>(ServerOptions{
          .database = database_,
          .environment = {{"TUNEHUB_JOB_LEASE_MS", "1000"}, {"TUNEHUB_JOB_REST_MS", "0"}}});
    }
    for (std::size_t i = 0; i < ports_.size(); ++i) ports_[i] = servers_[i]->port();
    claim_key_ = servers_[0]->NewKey("claim");
    admin_key_ = servers_[0]->NewKey("admin");
    std::cout << "TUNEHUB_KILL_SEED=" << seed_ << "\n";
  }

  int Random(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  // Any server that answers: a killed one is on its way back.
  std::optional<RawAnswer> Ask(const std::string& path, const std::string& body, unsigned turn,
                               const Headers& headers) {
    const unsigned short port = ports_[turn % ports_.size()];
    auto answer = HttpClient(port, claim_key_).Try("POST", path, body, headers);
    if (answer && answer->status >= 500) return std::nullopt;
    return answer;
  }

  // Until it is heard, or this agent is killed.
  std::optional<RawAnswer> Insist(int agent, int life, const std::string& path,
                                  const std::string& body, const Headers& headers = {}) {
    for (auto turn = static_cast<unsigned>(agent); lives_[Index(agent)] == life && !over_; ++turn) {
      if (auto answer = Ask(path, body, turn, headers)) return answer;
      std::this_thread::sleep_for(milliseconds(20));
    }
    return std::nullopt;
  }

  // An agent as a thread; to kill it is to start another life: whatever it was about to say is
  // never said.
  void Work(int agent) {
    const std::string name = "agent" + std::to_string(agent);
    while (!over_) {
      const int life = lives_[Index(agent)];
      const auto claimed = Insist(agent, life, "/jobs/claim",
                                  R"({"agent":")" + name + R"(","gfx":"gfx942","cu_num":304})");
      if (!claimed) continue;
      if (claimed->status == 204) {
        std::this_thread::sleep_for(milliseconds(50));
        continue;
      }
      ASSERT_EQ(claimed->status, 200) << claimed->body;
      DoJob(agent, life, name, JsonOf(*claimed));
    }
  }

  void DoJob(int agent, int life, const std::string& name, const nlohmann::json& job) {
    const std::string path = "/jobs/" + job.at("id").dump();
    const std::string lease =
        R"({"agent":")" + name + R"(","epoch":)" + job.at("lease").at("epoch").dump();
    const auto& shape = job.at("shapes").at(0);
    std::this_thread::sleep_for(milliseconds(20 + agent * 5));
    if (!Insist(agent, life, path + "/heartbeat", lease + "}")) return;
    // As an agent's spool does: whatever becomes of the answers, one batch.
    const std::string key = job.at("id").dump() + "-" + job.at("lease").at("epoch").dump();
    const auto pushed =
        Insist(agent, life, kResults, kHeader + RowOf(shape), {{"Idempotency-Key", key}});
    if (!pushed) return;
    EXPECT_EQ(pushed->status, 200) << pushed->body;
    Note(key);
    const auto done = Insist(agent, life, path + "/complete", lease + "}");
    if (!done) return;
    if (done->status == 409) {
      ++late_;
      return;
    }
    EXPECT_EQ(done->status, 200) << done->body;
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(completed_.insert(job.at("id").get<int>()).second)
        << "job " << job.at("id") << " was completed twice";
  }

  void Note(const std::string& key) {
    const std::lock_guard lock(mutex_);
    acknowledged_.insert(key);
  }

  static std::size_t Index(int agent) { return static_cast<std::size_t>(agent); }

  void KillSomething() {
    const int victim = Random(0, 5);
    if (victim <= 1) {
      ServerProcess& server = *servers_[static_cast<std::size_t>(victim)];
      server.Kill();
      std::this_thread::sleep_for(milliseconds(Random(0, 200)));
      server.Start();
      ports_[static_cast<std::size_t>(victim)] = server.port();
      ++killed_servers_;
    } else if (victim == 2) {
      KillPostmaster(database_);
      // The kernel takes its time; a restart of one that lives still would do nothing.
      while (cluster_->cluster().Alive()) std::this_thread::sleep_for(milliseconds(1));
      ASSERT_TRUE(cluster_->cluster().Restart().ok());
      ASSERT_TRUE(AwaitPostmaster(database_));
      ++killed_databases_;
    } else {
      ++lives_[Index(Random(0, kAgents - 1))];
      ++killed_agents_;
    }
  }

  std::string Value(const std::string& sql) { return QueryText(database_, sql); }

  unsigned seed_;
  std::mt19937 random_;
  std::unique_ptr<TestCluster> cluster_;
  std::string database_, claim_key_, admin_key_;
  std::array<std::unique_ptr<ServerProcess>, 2> servers_;
  std::array<std::atomic<unsigned short>, 2> ports_{};
  std::array<std::atomic<int>, kAgents> lives_{};
  std::atomic<bool> over_{false};
  std::atomic<int> late_{0};
  std::mutex mutex_;
  std::set<int> completed_;             // guarded by mutex_
  std::set<std::string> acknowledged_;  // idempotency keys of pushes; guarded by mutex_
  int killed_servers_ = 0, killed_databases_ = 0, killed_agents_ = 0;
};

TEST_F(QueueKillTest, every_job_is_done_once_and_no_measurement_is_lost) {
  const int jobs = FromEnvironment("TUNEHUB_QUEUE_JOBS", 300);
  for (int i = 0; i < jobs; ++i) {
    Good(
        servers_[0]
            ->Client(admin_key_)
            .Post("/jobs", R"({"family":"a8w8_blockscale","gfx":"gfx942","cu_num":304,"shapes":[)" +
                               ShapeOf(i) + "]}"),
        201);
  }
  // A job that is killed three times is parked: so that each ends, a person would queue it again.
  std::vector<std::thread> agents;
  for (int i = 0; i < kAgents; ++i) agents.emplace_back([this, i] { Work(i); });
  const auto deadline = Clock::now() + kLimit;
  const std::string left = "SELECT count(*) FROM job WHERE state <> 'done'";
  while (!HasFatalFailure() && Value(left) != "0" && Clock::now() < deadline) {
    Execute(database_, "UPDATE job SET state = 'queued', tries = 0 WHERE state = 'parked'");
    std::this_thread::sleep_for(milliseconds(Random(0, kPauseMs)));
    KillSomething();
  }
  over_ = true;
  for (std::thread& agent : agents) agent.join();

  const std::string count = std::to_string(jobs);
  EXPECT_EQ(Value("SELECT count(*) FROM job WHERE state = 'done'"), count);
  EXPECT_EQ(Value("SELECT count(DISTINCT key) FROM measurement"), count);
  EXPECT_EQ(Value("SELECT count(*) FROM tuned"), count);
  // A batch has one row: as many measurements as batches, and none of the acknowledged is missing.
  EXPECT_EQ(Value("SELECT count(*) FROM measurement"),
            Value("SELECT count(*) FROM batch WHERE kind = 'results'"));
  std::string keys;
  for (const std::string& key : acknowledged_) keys += (keys.empty() ? "'" : ",'") + key + "'";
  EXPECT_EQ(Value("SELECT count(*) FROM batch WHERE idempotency_key IN (" + keys + ")"),
            std::to_string(acknowledged_.size()));
  EXPECT_GE(std::stoi(Value("SELECT sum(epoch) FROM job")), jobs);
  for (const auto& server : servers_) EXPECT_EQ(server->Stop(), 0) << server->Log();
  std::cout << jobs << " jobs: killed " << killed_servers_ << " servers, " << killed_databases_
            << " PostgreSQLs, " << killed_agents_ << " agents; " << completed_.size()
            << " completions heard, " << late_ << " refused as late, sum of epochs "
            << Value("SELECT sum(epoch) FROM job") << "\n";
}

}  // namespace
}  // namespace tunehub::test
