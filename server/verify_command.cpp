#include "server/verify_command.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "core/family/targets.h"
#include "server/backup/restore.h"
#include "server/command.h"
#include "server/definitions.h"
#include "server/embedded/cluster.h"
#include "server/service/verify/verification.h"

namespace tunehub::server {
namespace {

int Tell(const service::VerifyReport& report) {
  for (const service::Check& check : report.checks) {
    for (const std::string& sentence : check.sentences) std::printf("%s\n", sentence.c_str());
    const auto more = check.wrong - static_cast<std::int64_t>(check.sentences.size());
    if (more > 0)
      std::printf("%s: %lld more of this kind\n", check.of.c_str(), static_cast<long long>(more));
  }
  std::printf("revision %lld, %lld measurements, %lld digests of revisions: ",
              static_cast<long long>(report.revision), static_cast<long long>(report.measurements),
              static_cast<long long>(report.digests));
  if (report.wrong() == 0)
    std::printf("everything holds\n");
  else
    std::printf("%lld things do not hold\n", static_cast<long long>(report.wrong()));
  return report.wrong() == 0 ? 0 : 1;
}

// A folder that the system's user of a PostgreSQL may enter, too.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tunehub-verify-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr || ::chmod(name.c_str(), 0711) != 0)
      throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

int VerifyBackup(const std::string& backup, const core::Targets& targets) {
  if (const auto checked = backup::CheckBackup(backup); !checked.ok()) return Fail(checked.error());
  const ScratchFolder folder;
  embedded::ClusterOptions options;
  options.data_dir = folder.path() / "data";
  options.extra_settings = {{"fsync", "off"}};  // it lives as long as this
  const auto cluster = embedded::Cluster::Start(options);
  if (!cluster.ok()) return Fail(cluster.error());
  const std::string url = (*cluster)->ConnectionString();
  store::Store store(url, {.connections = 2});
  const auto restored = backup::Restore(store, {.url = url, .backup = backup, .revive_keys = true});
  if (!restored.ok()) return Fail(restored.error());
  if (const auto status = PrepareSchema(store, true); !status.ok()) return Fail(status.error());
  return Tell(service::Verify(store, targets));
}

}  // namespace

int Verify(const Settings& settings, const std::string& backup) {
  const auto targets = core::Targets::Load(settings.configs / "targets.json");
  if (!targets.ok()) return Fail(targets.error());
  if (!backup.empty()) return VerifyBackup(backup, *targets);
  return WithStore(settings,
                   [&](store::Store& store) { return Tell(service::Verify(store, *targets)); });
}

}  // namespace tunehub::server
