// A hub, and the daemon on this host's CPU or on an AMD GPU that is a fake /sys.
#pragma once

#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"

namespace tunehub::test {

class AnyDaemonTest : public HubTest {
 protected:
  // The text of a file that the daemon or its scripts wrote; "" if there is none.
  std::string Read(const std::string& name) const {
    std::error_code error;
    return std::filesystem::exists(Path(name), error) ? ReadText(Path(name)) : "";
  }
  void Stop(Program& daemon, const std::string& err = "err") const {
    daemon.Signal(SIGTERM);
    EXPECT_EQ(daemon.Wait(std::chrono::seconds(30)), 0) << Read(err);
  }
  static int NewJob(const nlohmann::json& job) {
    return JsonOf(Good(Admin().PostJson("/jobs", job), 201))["id"].get<int>();
  }
  static nlohmann::json Job(int id) { return JsonOf(Open().Get("/jobs/" + std::to_string(id))); }
  static std::string StateOf(int id) { return Job(id)["state"].get<std::string>(); }
};

class CpuDaemonTest : public AnyDaemonTest {
 protected:
  static void SetUpTestSuite() {
    HubTest::SetUpTestSuite();
    claim_key_ = server_->NewKey("claim");
    const auto found = RunToEnd({AgentBinary(), {"discover", "--kind", "cpu", "--json"}});
    device_ = nlohmann::json::parse(found.out);
  }

  Command Daemon(const std::vector<std::string>& more = {},
                 const std::string& key = claim_key_) const {
    Command command{AgentBinary(),
                    {"run", "--always", "--poll", "0.1", "--iters", "5"},
                    {{"TUNEHUB_HUB", server_->url()},
                     {"TUNEHUB_KEY", key},
                     {"TUNEHUB_SPOOL", Path("agent/spool")}}};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    return command;
  }
  // Makes a job of shapes (M, N) with K = 512. `more` replaces members of the job.
  static int NewJob(const std::vector<std::pair<int, int>>& shapes,
                    const nlohmann::json& more = nlohmann::json::object()) {
    nlohmann::json job = {
        {"family", "a8w8"}, {"gfx", device_["gfx"]}, {"cu_num", device_["cu_num"]}};
    for (const auto& [m, n] : shapes) job["shapes"].push_back({{"M", m}, {"N", n}, {"K", 512}});
    job.update(more);
    return AnyDaemonTest::NewJob(job);
  }

  static inline nlohmann::json device_;
  static inline std::string claim_key_;
};

class AmdDaemonTest : public AnyDaemonTest {
 protected:
  AmdDaemonTest() {
    const std::string node = "host/sys/class/kfd/kfd/topology/nodes/1/";
    Write(node + "name", "ip discovery\n");
    Write(node + "properties", "simd_count 1216\nsimd_per_cu 4\ngfx_target_version 90402\n");
    Write(node + "mem_banks/0/properties", "size_in_bytes 206141652992\n");
    std::filesystem::create_directories(Path("host/sys/class/kfd/kfd/proc"));
  }

  Command Daemon(const std::vector<std::string>& more,
                 const std::map<std::string, std::string>& environment) const {
    std::vector<std::string> arguments = {
        "run",        "--device-root", Path("host") + "/", "--settle",    "0",
        "--poll",     "0.1",           "--state",          Path("state"), "--logs",
        Path("logs"), "--status",      Path("status")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Command command{AgentBinary(),
                    std::move(arguments),
                    {{"TUNEHUB_HUB", server_->url()},
                     {"TUNEHUB_KEY", server_->NewKey("claim")},
                     {"TUNEHUB_SPOOL", Path("spool")}}};
    command.environment.insert(environment.begin(), environment.end());
    return command;
  }
  static int NewJob(const std::string& family, const std::vector<nlohmann::json>& shapes) {
    return AnyDaemonTest::NewJob(
        {{"family", family}, {"gfx", "gfx942"}, {"cu_num", 304}, {"shapes", shapes}});
  }
};

}  // namespace tunehub::test
