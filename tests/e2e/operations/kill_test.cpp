// kill -9 at random moments, of the server, of its PostgreSQL and of the agents that push to it. In
// the end every acknowledged row is there once, no batch in part, and the revisions have no gap.
// TUNEHUB_KILL_ROUNDS (10) and TUNEHUB_KILL_SEED choose how long and which moments.
#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <random>
#include <set>
#include <thread>

#include "server/embedded/cluster.h"
#include "tests/e2e/hub_fixture.h"
#include "tests/support/postmaster.h"
#include "tests/support/shipped.h"
#include "tests/support/sql.h"

namespace tunehub::test {
namespace {

using std::chrono::milliseconds;

constexpr int kAgents = 3, kFilesPerPush = 3, kRowsPerFile = 150;
constexpr int kLongestMs = 900;  // a push of all its files takes about half of it

int FromEnvironment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoi(text);
}

// Rows of keys that no other file has: N tells the file, M the row.
std::string FileOf(int number) {
  std::string text = kHeader;
  for (int m = 1; m <= kRowsPerFile; ++m) {
    std::string row = Row(m, "900.0");
    row.replace(row.find(",2048,"), 6, "," + std::to_string(1000 + number) + ",");
    text += row;
  }
  return text;
}

class KillTest : public testing::Test {
 protected:
  KillTest()
      : seed_(static_cast<unsigned>(FromEnvironment("TUNEHUB_KILL_SEED", 20260822))),
        random_(seed_),
        server_(std::make_unique<ServerProcess>(ServerOptions{.data = dir_.path() / "data"})),
        key_(server_->NewKey("submit")) {
    std::cout << "TUNEHUB_KILL_SEED=" << seed_ << "\n";
  }

  int Random(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  std::string Spool(int agent) const {
    return (dir_.path() / ("spool" + std::to_string(agent))).string();
  }
  // A PostgreSQL that was killed a moment ago may still be on its way back.
  std::string Database() const {
    for (int i = 0; i < 6000; ++i) {
      const auto running = embedded::RunningOn(dir_.path() / "data");
      if (running && AwaitPostmaster(*running)) return *running;
      std::this_thread::sleep_for(milliseconds(10));
    }
    throw std::runtime_error("PostgreSQL does not come back: " + server_->Log());
  }

  // What a node does: push three new files, or what still waits.
  std::unique_ptr<Program> StartAgent(int agent, std::vector<int>& files) {
    urls_.insert(server_->url());
    Command command{
        AgentBinary(),
        {"push", "--family", "a8w8_blockscale", "--tries", "2"},
        {{"TUNEHUB_HUB", server_->url()}, {"TUNEHUB_KEY", key_}, {"TUNEHUB_SPOOL", Spool(agent)}}};
    for (int i = 0; i < kFilesPerPush && Random(0, 3) > 0; ++i) {
      files.push_back(++last_file_);
      const auto path = dir_.path() / ("f" + std::to_string(last_file_) + ".csv");
      std::ofstream(path) << FileOf(last_file_);
      command.arguments.push_back(path.string());
    }
    const auto log = dir_.path() / ("agent" + std::to_string(agent));
    return std::make_unique<Program>(command, log, log);
  }

  // After a push has ended, however it did: what it acknowledged, or wrote to its spool, must
  // arrive.
  void Note(int agent, const std::vector<int>& files, int status) {
    std::string waiting;
    std::filesystem::create_directories(Spool(agent));
    for (const auto& entry : std::filesystem::directory_iterator(Spool(agent))) {
      const std::string name = entry.path().filename().string();
      if (entry.is_regular_file() && !name.starts_with('.')) waiting += ReadText(entry.path());
    }
    for (int file : files) {
      const bool spooled =
          waiting.find("," + std::to_string(1000 + file) + ",3072,") != std::string::npos;
      if (status == 0 || spooled) promised_.insert(file);
    }
  }

  void Round(int victim) {
    std::vector<std::vector<int>> files(kAgents);
    std::vector<std::unique_ptr<Program>> agents;
    for (int i = 0; i < kAgents; ++i)
      agents.push_back(StartAgent(i, files[static_cast<std::size_t>(i)]));
    std::this_thread::sleep_for(milliseconds(Random(0, kLongestMs)));
    if (victim == 0) server_->Kill();
    if (victim == 1) KillPostmaster(Database());
    if (victim == 2) agents[static_cast<std::size_t>(Random(0, kAgents - 1))]->Signal(SIGKILL);
    if (victim == 3) {  // as a machine that loses its power
      for (const auto& agent : agents) agent->Signal(SIGKILL);
      server_->Kill();
    }
    ++victims_[static_cast<std::size_t>(victim)];
    for (int i = 0; i < kAgents; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const auto status = agents[index]->Wait(std::chrono::seconds(120));
      ASSERT_TRUE(status) << "an agent hangs";
      Note(i, files[index], *status);
    }
    if (!server_->Lives()) server_->Start();
    ASSERT_TRUE(server_->AwaitReady()) << server_->Log();
  }

  // The hub had another port each time, and a batch is for one address.
  void DrainSpools() {
    for (int i = 0; i < kAgents; ++i) {
      for (const std::string& url : urls_) {
        const Finished done = RunToEnd({AgentBinary(),
                                        {"push", "--from", url},
                                        {{"TUNEHUB_HUB", server_->url()},
                                         {"TUNEHUB_KEY", key_},
                                         {"TUNEHUB_SPOOL", Spool(i)}}});
        EXPECT_EQ(done.status, 0) << done.out << done.err;
      }
      EXPECT_FALSE(std::filesystem::exists(Spool(i) + "/refused"));
    }
  }

  // Rows per file, of the table that is served.
  std::map<int, int> Served() const {
    std::map<int, int> rows;
    const std::string table = server_->Client().Get("/tuned/a8w8_blockscale?allow_empty=1").body;
    for (std::size_t at = table.find('\n') + 1; at < table.size(); at = table.find('\n', at) + 1) {
      std::size_t n = at;
      for (int comma = 0; comma < 3; ++comma) n = table.find(',', n) + 1;
      ++rows[std::stoi(table.substr(n)) - 1000];
    }
    return rows;
  }

  TempDir dir_;
  unsigned seed_;
  std::mt19937 random_;
  std::unique_ptr<ServerProcess> server_;
  std::string key_;
  int last_file_ = 0;
  std::set<std::string> urls_;
  std::set<int> promised_;
  std::array<int, 4> victims_{};
};

TEST_F(KillTest, nothing_acknowledged_is_lost_or_doubled_and_no_batch_is_there_in_part) {
  const int rounds = FromEnvironment("TUNEHUB_KILL_ROUNDS", 10);
  std::vector<int> order;  // of the victims, so that each has its turn
  for (int round = 0; round < rounds && !HasFatalFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    if (order.empty()) {
      order = {0, 1, 2, 3};
      std::shuffle(order.begin(), order.end(), random_);
    }
    Round(order.back());
    order.pop_back();
  }
  ASSERT_FALSE(HasFatalFailure());
  DrainSpools();

  const std::map<int, int> served = Served();
  for (const int file : promised_)
    EXPECT_TRUE(served.contains(file)) << "file " << file << " is lost";
  for (const auto& [file, rows] : served) EXPECT_EQ(rows, kRowsPerFile) << "file " << file;
  const auto count = [&](const std::string& what) {
    return std::stoul(QueryText(Database(), "SELECT count(*) FROM " + what));
  };
  EXPECT_EQ(count("measurement"), served.size() * kRowsPerFile);
  EXPECT_EQ(count("batch"), served.size());
  EXPECT_EQ(count("revision"), served.size());
  EXPECT_EQ(QueryText(Database(), "SELECT coalesce(max(number), 0) FROM revision"),
            std::to_string(served.size()));
  EXPECT_EQ(server_->Stop(), 0);
  std::cout << rounds << " rounds: killed " << victims_[0] << " servers, " << victims_[1]
            << " PostgreSQLs, " << victims_[2] << " agents, " << victims_[3] << " times all; "
            << served.size() << " of " << last_file_ << " files arrived, " << promised_.size()
            << " of them promised\n";
}

}  // namespace
}  // namespace tunehub::test
