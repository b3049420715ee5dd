// A hub, and the daemon on a host whose AMD GPU is a made-up /sys.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/e2e/hub_fixture.h"
#include "tests/support/comes.h"
#include "tests/support/shipped.h"

namespace tunehub::test {

class AmdDaemonTest : public HubTest {
 protected:
  AmdDaemonTest() {
    const std::filesystem::path node = Path("host/sys/class/kfd/kfd/topology/nodes/1");
    std::filesystem::create_directories(node / "mem_banks/0");
    std::ofstream(node / "name") << "ip discovery\n";
    std::ofstream(node / "properties")
        << "simd_count 1216\nsimd_per_cu 4\ngfx_target_version 90402\n";
    std::ofstream(node / "mem_banks/0/properties") << "size_in_bytes 206141652992\n";
    std::filesystem::create_directories(Path("host/sys/class/kfd/kfd/proc"));
  }

  std::string Path(const std::string& name) const { return (dir_.path() / name).string(); }
  // What the daemon, or a script of its, wrote; "": nothing.
  std::string Read(const std::string& name) const {
    std::error_code error;
    return std::filesystem::exists(Path(name), error) ? ReadText(Path(name)) : "";
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
    const nlohmann::json job = {
        {"family", family}, {"gfx", "gfx942"}, {"cu_num", 304}, {"shapes", shapes}};
    const auto answer = server_->Client(server_->NewKey("admin"))
                            .Post("/jobs", job.dump(), {{"Content-Type", "application/json"}});
    if (answer.status != 201) throw std::runtime_error(answer.body);
    return JsonOf(answer)["id"].get<int>();
  }
  static nlohmann::json Job(int id) { return JsonOf(Open().Get("/jobs/" + std::to_string(id))); }
  static std::string StateOf(int id) { return Job(id)["state"].get<std::string>(); }

  TempDir dir_;
};

}  // namespace tunehub::test
