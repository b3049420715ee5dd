#include "server/embedded/cluster.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "server/embedded/create.h"
#include "server/embedded/data_dir.h"
#include "server/embedded/lock.h"

namespace tunehub::embedded {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPostmasterPoll{10};
constexpr std::chrono::milliseconds kAfterKill{2000};
constexpr std::chrono::milliseconds kReadyPoll{10};

// Returns the cluster's settings. They are on PostgreSQL's command line, so that nothing in DIR/pg
// overrides them.
std::map<std::string, std::string> Settings(const fs::path& socket_dir,
                                            const std::map<std::string, std::string>& extra) {
  std::map<std::string, std::string> settings = extra;
  // insert() keeps the values of `extra`.
  settings.insert({
      {"listen_addresses", ""},  // the socket only
      {"unix_socket_directories", socket_dir.string()},
      {"unix_socket_permissions", "0700"},
      {"port", "5432"},  // part of the socket's name
      {"cluster_name", "tunehub"},
      {"dynamic_shared_memory_type", "mmap"},  // /dev/shm is 64 MB in a container
      {"fsync", "on"},                         // a batch with a receipt survives a power cut
      {"synchronous_commit", "on"},
      {"full_page_writes", "on"},
      {"max_connections", "50"},  // the pool leaves some for administrators
      {"shared_buffers", "128MB"},
      // so that a large import does not cause a checkpoint every few seconds
      {"max_wal_size", "2GB"},
      {"wal_compression", "lz4"},
      // for statements of milliseconds, JIT costs more time than it saves
      {"jit", "off"},
      {"log_checkpoints", "off"},  // lines about checkpoints would be most of the log
      {"log_line_prefix", "%m [%p] "},
      {"log_timezone", "UTC"},
      {"timezone", "UTC"},
  });
  return settings;
}

std::string ConnectionTo(const fs::path& socket_dir) {
  return fmt::format("host={} port=5432 user={} dbname={}", socket_dir.string(), kRole, kDatabase);
}

}  // namespace

bool Cluster::Alive() {
  if (postmaster_ == 0) return false;
  int status = 0;
  const pid_t gone = ::waitpid(postmaster_, &status, WNOHANG);
  if (gone == 0 || (gone < 0 && errno == EINTR)) return true;
  postmaster_ = 0;
  return false;
}

void Cluster::Signal(int signal) {
  // Alive() means that the child is not reaped, so no other process has its number.
  if (Alive()) ::kill(postmaster_, signal);
}

bool Cluster::WaitGone(std::chrono::milliseconds wait) {
  const auto deadline = std::chrono::steady_clock::now() + wait;
  while (Alive()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPostmasterPoll);
  }
  return true;
}

void Cluster::StopPostmaster() {
  const std::chrono::milliseconds wait = options_.stop_wait;
  Signal(SIGINT);
  if (WaitGone(wait * 2 / 3)) return;
  Signal(SIGQUIT);
  if (WaitGone(wait / 3)) return;
  Signal(SIGKILL);
  WaitGone(kAfterKill);
}

core::Status Cluster::Prepare() {
  auto dir = MakeDataDir(options_.data_dir);
  if (!dir) return dir.error();
  options_.data_dir = *dir;
  auto lock = TakeServerLock(options_.data_dir);
  if (!lock) return lock.error();
  server_lock_ = *std::move(lock);
  auto chosen = ChooseDatabaseUser(PgDir());
  if (!chosen) return chosen.error();
  user_ = *std::move(chosen);
  if (const auto closed = FirstUnreachable(options_.data_dir, user_)) {
    return core::Error{"data_dir_unusable",
                       fmt::format("PostgreSQL's user `{1}` cannot enter {0}: run chmod o+x {0}, "
                                   "or choose another data folder",
                                   closed->string(), user_.name)};
  }
  auto opened = LogFile::Open(options_.data_dir / "pg.log");
  if (!opened) return opened.error();
  log_ = *std::move(opened);
  return core::Ok();
}

core::Status Cluster::Run() {
  postgres_lock_.Close();  // so that Restart() can see if old backends have the lock
  auto lock = TakePostgresLock(options_.data_dir, options_.lock_wait);
  if (!lock) return lock.error();
  postgres_lock_ = *std::move(lock);
  // No process of the cluster lives, so the pid in this file is stale.
  ::unlink((PgDir() / "postmaster.pid").c_str());

  const auto binaries = FindBinaries(options_.postgres_root, PgDir());
  if (!binaries) return binaries.error();
  if (auto done = CreateIfMissing(*binaries); !done) return done;
  auto prepared = PrepareSocketDir(options_.data_dir, user_, socket_dir_);
  if (!prepared) return prepared.error();
  socket_dir_ = *std::move(prepared);
  if (auto done = LaunchPostmaster(*binaries); !done) return done;
  if (auto ready = AwaitReady(); !ready) return ready;
  return RecordSocketDir(options_.data_dir, socket_dir_);
}

core::Status Cluster::CreateIfMissing(const Binaries& binaries) {
  std::error_code ignored;
  if (fs::exists(PgDir() / "PG_VERSION", ignored)) return core::Ok();
  spdlog::info("creating a PostgreSQL {} cluster in {}", binaries.version, PgDir().string());
  const auto fsync = options_.extra_settings.find("fsync");
  auto made =
      CreateCluster({.data_dir = options_.data_dir,
                     .binaries = binaries,
                     .user = user_,
                     .lock_fd = postgres_lock_.get(),
                     .log_fd = log_->fd(),
                     .sync = fsync == options_.extra_settings.end() || fsync->second != "off"});
  if (made || made.error().code != "postgres_failed") return made;
  return core::Error{"postgres_failed", fmt::format("{}; {}", made.error().detail, log_->Tail())};
}

core::Status Cluster::LaunchPostmaster(const Binaries& binaries) {
  auto extra = options_.extra_settings;
  if (!options_.wal_archive.empty()) {
    const auto archive = ArchiveSettings(options_.wal_archive, PgDir(), user_);
    if (!archive.ok()) return archive.error();
    extra.insert(archive->begin(), archive->end());
  }
  std::vector<std::string> argv{binaries.postgres, "-D", PgDir()};
  for (const auto& [name, value] : Settings(socket_dir_, extra)) {
    argv.emplace_back("-c");
    argv.emplace_back(name).append("=").append(value);
  }
  // If this server is killed, the kernel sends PostgreSQL the signal for a fast shutdown.
  const auto pid = embedded::Start({.argv = std::move(argv),
                                    .user = user_,
                                    .lock_fd = postgres_lock_.get(),
                                    .log_fd = log_->fd(),
                                    .death_signal = SIGINT});
  if (!pid) return pid.error();
  postmaster_ = *pid;
  log_->KeepBounded();
  return core::Ok();
}

core::Status Cluster::AwaitReady() {
  const auto deadline = std::chrono::steady_clock::now() + options_.start_wait;
  for (;;) {
    // The stale pid file is gone, so a ready pid file is our child's.
    if (const auto pidfile = ReadPidfile(PgDir()); pidfile && pidfile->ready) return core::Ok();
    if (!Alive()) {
      return core::Error{"postgres_failed",
                         fmt::format("PostgreSQL ended while it started; its log {} says: {}",
                                     log_->path().string(), log_->Tail())};
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      StopPostmaster();
      return core::Error{
          "postgres_failed",
          fmt::format("PostgreSQL was not ready after {} s; its log {} says: {}",
                      options_.start_wait.count(), log_->path().string(), log_->Tail())};
    }
    std::this_thread::sleep_for(kReadyPoll);
  }
}

void Cluster::Stop() {
  embedded::AnnounceStop(server_lock_);
  StopPostmaster();
  if (!socket_dir_.empty()) RemoveSocketDir(options_.data_dir, socket_dir_);
  socket_dir_.clear();
  postgres_lock_.Close();
  server_lock_.Close();
}

Cluster::~Cluster() {
  Stop();
}

core::Result<std::unique_ptr<Cluster>> Cluster::Start(const ClusterOptions& options) {
  std::unique_ptr<Cluster> cluster(new Cluster(options));
  if (auto done = cluster->Prepare(); !done) return done.error();
  if (auto done = cluster->Run(); !done) return done.error();
  return cluster;
}

std::string Cluster::ConnectionString() const {
  return ConnectionTo(socket_dir_);
}

core::Status Cluster::Restart() {
  if (Alive()) return core::Ok();
  spdlog::warn("PostgreSQL ended unexpectedly; the server starts it again");
  return Run();
}

void Cluster::AnnounceStop() {
  embedded::AnnounceStop(server_lock_);
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
