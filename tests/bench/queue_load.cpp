// queue_load PORTS AGENTS KEY: AGENTS agents claim and complete jobs until no job is left, each on
// its own connection to one of the servers (PORTS: "8080,8081"). Prints "claims seconds median_ms
// p99_ms" of a claim and its completion together. Exit status 1: a job came twice, or an answer was
// unexpected.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/load_connection.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr char kJson[] = "Content-Type: application/json\r\n";

struct Shared {
  std::mutex mutex;
  std::multiset<std::string> claimed;
  std::vector<double> milliseconds;
  std::string failure;
};

void Work(int agent, int port, const std::string& key, Shared& shared) {
  std::vector<std::string> claimed;
  std::vector<double> milliseconds;
  std::string failure;
  try {
    Connection connection(port, key);
    const std::string name = "\"agent\":\"bench" + std::to_string(agent) + "\"";
    const std::string claim = "{" + name + ",\"gfx\":\"gfx942\",\"cu_num\":304}";
    for (;;) {
      const auto begin = Clock::now();
      const Answer job = connection.Post("/jobs/claim", kJson, claim);
      if (job.status == 204) break;
      if (job.status != 200) throw std::runtime_error(job.body);
      const std::string id = Number(job.body, "id");
      const Answer done =
          connection.Post("/jobs/" + id + "/complete", kJson,
                          "{" + name + ",\"epoch\":" + Number(job.body, "epoch") + "}");
      if (done.status != 200) throw std::runtime_error(done.body);
      claimed.push_back(id);
      milliseconds.push_back(
          std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  const std::lock_guard lock(shared.mutex);
  shared.claimed.insert(claimed.begin(), claimed.end());
  shared.milliseconds.insert(shared.milliseconds.end(), milliseconds.begin(), milliseconds.end());
  if (!failure.empty()) shared.failure = failure;
}

std::vector<int> Ports(const std::string& text) {
  std::vector<int> ports;
  for (std::size_t at = 0; at < text.size();
       at = std::min(text.find(',', at), text.size() - 1) + 1) {
    ports.push_back(std::atoi(text.c_str() + at));
  }
  return ports;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: queue_load PORTS AGENTS KEY\n");
    return 2;
  }
  const std::vector<int> ports = Ports(argv[1]);
  Shared shared;
  std::vector<std::thread> agents;
  const auto begin = Clock::now();
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    agents.emplace_back(Work, i, ports[static_cast<std::size_t>(i) % ports.size()], argv[3],
                        std::ref(shared));
  }
  for (std::thread& agent : agents) agent.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!shared.failure.empty()) std::fprintf(stderr, "queue_load: %s\n", shared.failure.c_str());
  const std::set<std::string> distinct(shared.claimed.begin(), shared.claimed.end());
  if (distinct.size() != shared.claimed.size()) {
    std::fprintf(stderr, "queue_load: %zu claims of %zu jobs\n", shared.claimed.size(),
                 distinct.size());
    return 1;
  }
  std::printf("%zu %.3f %.2f %.2f\n", shared.claimed.size(), seconds,
              Percentile(shared.milliseconds, 0.5), Percentile(shared.milliseconds, 0.99));
  return shared.failure.empty() ? 0 : 1;
}
