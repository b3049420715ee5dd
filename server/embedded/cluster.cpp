#include "server/embedded/cluster.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include "server/embedded/create.h"
#include "server/embedded/data_dir.h"
#include "server/embedded/db_user.h"
#include "server/embedded/launch.h"
#include "server/embedded/lock.h"
#include "server/embedded/log_file.h"

namespace tunehub::embedded {

std::map<std::string, std::string> Settings(const std::filesystem::path& socket_dir,
                                            const std::map<std::string, std::string>& extra) {
  std::map<std::string, std::string> settings = extra;
  // insert() keeps what `extra` says.
  settings.insert({
      {"listen_addresses", ""},  // the socket only
      {"unix_socket_directories", socket_dir.string()},
      {"unix_socket_permissions", "0700"},
      {"port", "5432"},  // part of the socket's name
      {"cluster_name", "tunehub"},
      {"dynamic_shared_memory_type", "mmap"},  // /dev/shm is 64 MB in a container
      {"fsync", "on"},                         // an acknowledged batch survives a power cut
      {"synchronous_commit", "on"},
      {"full_page_writes", "on"},
      {"max_connections", "50"},  // the pool takes 16, the rest is for people
      {"shared_buffers", "128MB"},
      {"max_wal_size", "2GB"},  // a bulk import without a checkpoint every few seconds
      {"wal_compression", "lz4"},
      {"jit", "off"},              // costs more than it saves on statements of milliseconds
      {"log_checkpoints", "off"},  // would be most of the log
      {"log_line_prefix", "%m [%p] "},
      {"log_timezone", "UTC"},
      {"timezone", "UTC"},
  });
  return settings;
}

namespace {

constexpr std::chrono::milliseconds kPostmasterPoll{10};
constexpr std::chrono::milliseconds kAfterKill{2000};

}  // namespace

void Postmaster::Adopt(pid_t pid) {
  const std::lock_guard lock(mutex_);
  pid_ = pid;
}

bool Postmaster::Alive() {
  const std::lock_guard lock(mutex_);
  return AliveLocked();
}

bool Postmaster::AliveLocked() {
  if (pid_ == 0) return false;
  int status = 0;
  const pid_t gone = ::waitpid(pid_, &status, WNOHANG);
  if (gone == 0 || (gone < 0 && errno == EINTR)) return true;
  pid_ = 0;
  return false;
}

void Postmaster::Signal(int signal) {
  const std::lock_guard lock(mutex_);
  // Not reaped yet, so the number cannot belong to another process.
  if (AliveLocked()) ::kill(pid_, signal);
}

bool Postmaster::WaitGone(std::chrono::milliseconds wait) {
  const auto deadline = std::chrono::steady_clock::now() + wait;
  while (Alive()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPostmasterPoll);
  }
  return true;
}

void Postmaster::Stop(std::chrono::milliseconds wait) {
  Signal(SIGINT);
  if (WaitGone(wait * 2 / 3)) return;
  Signal(SIGQUIT);
  if (WaitGone(wait / 3)) return;
  Signal(SIGKILL);
  WaitGone(kAfterKill);
}

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kReadyPoll{10};

std::string ConnectionTo(const fs::path& socket_dir) {
  return fmt::format("host={} port=5432 user={} dbname={}", socket_dir.string(), kRole, kDatabase);
}

}  // namespace

struct Cluster::Impl {
  ClusterOptions options;  // data_dir absolute
  DatabaseUser user;
  core::Fd server_lock;
  core::Fd postgres_lock;
  std::unique_ptr<LogFile> log;
  fs::path socket_dir;
  Postmaster postmaster;

  explicit Impl(ClusterOptions given) : options(std::move(given)) {}
  fs::path PgDir() const { return options.data_dir / "pg"; }
  core::Status Prepare();
  core::Status Run();
  core::Status CreateIfMissing(const Binaries& binaries);
  core::Status LaunchPostmaster(const Binaries& binaries);
  core::Status AwaitReady();
  void Stop();
};

core::Status Cluster::Impl::Prepare() {
  auto dir = MakeDataDir(options.data_dir);
  if (!dir) return dir.error();
  options.data_dir = *dir;
  auto lock = TakeServerLock(options.data_dir);
  if (!lock) return lock.error();
  server_lock = *std::move(lock);
  auto chosen = ChooseDatabaseUser(PgDir());
  if (!chosen) return chosen.error();
  user = *std::move(chosen);
  if (const auto closed = FirstUnreachable(options.data_dir, user)) {
    return core::Error{"data_dir_unusable",
                       fmt::format("{0} cannot be entered by the user `{1}`, which PostgreSQL runs "
                                   "as: open it (chmod o+x {0}) or choose a data folder elsewhere",
                                   closed->string(), user.name)};
  }
  auto opened = LogFile::Open(options.data_dir / "pg.log");
  if (!opened) return opened.error();
  log = *std::move(opened);
  return core::Ok();
}

core::Status Cluster::Impl::Run() {
  postgres_lock.Close();  // a Restart() must see whether backends still hold it
  auto lock = TakePostgresLock(options.data_dir, options.lock_wait);
  if (!lock) return lock.error();
  postgres_lock = *std::move(lock);
  // No process lives, so whatever pid it holds is gone, a zombie, or somebody else's by now.
  ::unlink((PgDir() / "postmaster.pid").c_str());

  const auto binaries = FindBinaries(options.postgres_root, PgDir());
  if (!binaries) return binaries.error();
  if (auto done = CreateIfMissing(*binaries); !done) return done;
  auto prepared = PrepareSocketDir(options.data_dir, user, socket_dir);
  if (!prepared) return prepared.error();
  socket_dir = *std::move(prepared);
  if (auto done = LaunchPostmaster(*binaries); !done) return done;
  if (auto ready = AwaitReady(); !ready) return ready;
  return RecordSocketDir(options.data_dir, socket_dir);
}

core::Status Cluster::Impl::CreateIfMissing(const Binaries& binaries) {
  std::error_code ignored;
  if (fs::exists(PgDir() / "PG_VERSION", ignored)) return core::Ok();
  spdlog::info("making a PostgreSQL {} cluster in {}", binaries.version, PgDir().string());
  const auto fsync = options.extra_settings.find("fsync");
  auto made =
      CreateCluster({.data_dir = options.data_dir,
                     .binaries = binaries,
                     .user = user,
                     .lock_fd = postgres_lock.get(),
                     .log_fd = log->fd(),
                     .sync = fsync == options.extra_settings.end() || fsync->second != "off"});
  if (made || made.error().code != "postgres_failed") return made;
  return core::Error{"postgres_failed", fmt::format("{}; {}", made.error().detail, log->Tail())};
}

core::Status Cluster::Impl::LaunchPostmaster(const Binaries& binaries) {
  auto extra = options.extra_settings;
  if (!options.wal_archive.empty()) {
    const auto archive = ArchiveSettings(options.wal_archive, PgDir(), user);
    if (!archive.ok()) return archive.error();
    extra.insert(archive->begin(), archive->end());
  }
  std::vector<std::string> argv{binaries.postgres, "-D", PgDir()};
  for (const auto& [name, value] : Settings(socket_dir, extra)) {
    argv.emplace_back("-c");
    argv.emplace_back(name).append("=").append(value);
  }
  // The kernel asks it for a fast shutdown when this server is killed.
  const auto pid = embedded::Start({.argv = std::move(argv),
                                    .user = user,
                                    .lock_fd = postgres_lock.get(),
                                    .log_fd = log->fd(),
                                    .death_signal = SIGINT});
  if (!pid) return pid.error();
  postmaster.Adopt(*pid);
  log->KeepBounded();
  return core::Ok();
}

core::Status Cluster::Impl::AwaitReady() {
  const auto deadline = std::chrono::steady_clock::now() + options.start_wait;
  for (;;) {
    // The stale pid file is gone, so a ready one is that of our child.
    if (const auto pidfile = ReadPidfile(PgDir()); pidfile && pidfile->ready) return core::Ok();
    if (!postmaster.Alive()) {
      return core::Error{"postgres_failed",
                         fmt::format("PostgreSQL ended at its start, {} says: {}",
                                     log->path().string(), log->Tail())};
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      postmaster.Stop(options.stop_wait);
      return core::Error{
          "postgres_failed",
          fmt::format("PostgreSQL was not ready after {} s, {} says: {}",
                      options.start_wait.count(), log->path().string(), log->Tail())};
    }
    std::this_thread::sleep_for(kReadyPoll);
  }
}

void Cluster::Impl::Stop() {
  embedded::AnnounceStop(server_lock);
  postmaster.Stop(options.stop_wait);
  if (!socket_dir.empty()) RemoveSocketDir(options.data_dir, socket_dir);
  socket_dir.clear();
  postgres_lock.Close();
  server_lock.Close();
}

Cluster::Cluster(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Cluster::~Cluster() {
  Stop();
}

core::Result<std::unique_ptr<Cluster>> Cluster::Start(const ClusterOptions& options) {
  std::unique_ptr<Cluster> cluster(new Cluster(std::make_unique<Impl>(options)));
  if (auto done = cluster->impl_->Prepare(); !done) return done.error();
  if (auto done = cluster->impl_->Run(); !done) return done.error();
  return cluster;
}

std::string Cluster::ConnectionString() const {
  return ConnectionTo(impl_->socket_dir);
}

bool Cluster::Alive() const {
  return impl_->postmaster.Alive();
}

core::Status Cluster::Restart() {
  if (Alive()) return core::Ok();
  spdlog::warn("PostgreSQL died, starting it again");
  return impl_->Run();
}

void Cluster::AnnounceStop() {
  embedded::AnnounceStop(impl_->server_lock);
}

void Cluster::Stop() {
  impl_->Stop();
}

bool LacksCluster(const fs::path& data_dir) {
  std::error_code unseen;
  return !fs::exists(data_dir / "pg" / "PG_VERSION", unseen) && !unseen;
}

std::optional<std::string> RunningOn(const fs::path& data_dir) {
  if (!ServerLockHeld(data_dir)) return std::nullopt;
  const auto socket_dir = RecordedSocketDir(data_dir);
  if (!socket_dir) return std::nullopt;
  return ConnectionTo(*socket_dir);
}

}  // namespace tunehub::embedded
