#include "agent/hub/spool.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "core/base/atomic_file.h"
#include "core/base/file.h"
#include "core/base/process.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0600;  // shapes of a model may be nobody else's business
constexpr std::string_view kSuffix = ".batch", kWriting = ".batch.tmp", kReason = ".reason";
constexpr char kAside[] = "aside";
// A header says who made the rows: some kilobytes.
constexpr std::size_t kMaxHeaderBytes = std::size_t{256} << 10;
// Between the open and the lock of a writer; nobody's write takes a minute there.
constexpr std::chrono::minutes kLockGrace{1};

// A file of another kind, or a link that leads nowhere, is nobody's batch; a pipe would be waited
// for.
core::Status CheckKind(const fs::path& path) {
  struct stat named {};
  if (::lstat(path.c_str(), &named) != 0) return core::Ok();  // gone: opening tells
  if (S_ISREG(named.st_mode)) return core::Ok();
  return core::Error{kBadBatch, path.string() + ": no regular file"};
}

// What another user may read is left to that user.
core::Error NotOpened(const fs::path& path, int error) {
  const bool stays = error == ELOOP;
  return {stays ? kBadBatch : "file_unreadable", core::Unwritable(path, error).detail};
}

// True where the locked file is still the one that the path names.
bool StillThere(int fd, const fs::path& path) {
  struct stat open_file {
  }, named{};
  return ::fstat(fd, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

}  // namespace

fs::path Spool::DefaultFolder() {
  if (std::string folder = core::Environment("TUNEHUB_SPOOL"); !folder.empty()) return folder;
  std::string home = core::Environment("HOME");
  return fs::path(home.empty() ? "/var/lib" : home + "/.local/state") / "tunehub" / "spool";
}

core::Result<BatchHeader> ReadHeader(const fs::path& path) {
  if (auto status = CheckKind(path); !status.ok()) return status.error();
  const core::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.ok()) return NotOpened(path, errno);
  std::string head(kMaxHeaderBytes, '\0');
  const ssize_t got = ::read(fd.get(), head.data(), head.size());
  if (got < 0) return NotOpened(path, errno);
  head.resize(static_cast<std::size_t>(got));
  auto header = ParseHeader(head);
  if (header.ok()) return header;
  return core::Error{header.error().code, path.string() + ": " + header.error().detail};
}

core::Result<Spool> Spool::Open(const fs::path& folder, const std::string& hub) {
  if (core::Status status = core::MakeFolder(folder); !status.ok()) return status.error();
  if (::access(folder.c_str(), R_OK | W_OK | X_OK) != 0) return core::Unwritable(folder, errno);
  Spool spool(folder, hub);
  spool.ClearDeadWrites();
  return spool;
}

void Spool::ClearDeadWrites() const {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (!entry.path().filename().string().ends_with(kWriting)) continue;
    const auto written = entry.last_write_time(error);
    if (error || now - written < kLockGrace) continue;
    const core::Fd fd(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.ok() && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
  }
}

core::Result<HeldBatch> Spool::Add(const BatchHeader& given, std::string_view body) const {
  BatchHeader header = given;
  header.hub = hub_;
  if (Files().size() >= kMaxWaitingBatches) {
    return core::Error{"spool_full",
                       fmt::format("{}: {} batches wait already; `tunehub-agent push` sends them",
                                   folder_.string(), kMaxWaitingBatches)};
  }
  const std::string name = header.created + "-" + header.key;
  const fs::path path = folder_ / (name + std::string(kSuffix));
  const fs::path writing = folder_ / ("." + name + std::string(kWriting));
  core::Fd fd(::open(writing.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  if (!fd.ok() || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
    return core::Unwritable(writing, errno);
  core::Status status = core::WriteAndSync(fd.get(), RenderBatch(header, body), writing);
  if (status.ok()) status = core::RenameDurably(writing, path);
  if (!status.ok()) {
    ::unlink(writing.c_str());
    return status.error();
  }
  return HeldBatch{path, std::move(fd), Batch{header, std::string(body)}};
}

std::vector<fs::path> Spool::Waiting() const {
  std::vector<fs::path> paths = Files();
  std::erase_if(paths, [this](const fs::path& path) {
    const auto header = ReadHeader(path);
    return header.ok() && header->hub != hub_;
  });
  return paths;
}

std::map<std::string, std::size_t> Spool::WaitingForOthers() const {
  std::map<std::string, std::size_t> others;
  for (const fs::path& path : Files()) {
    const auto header = ReadHeader(path);
    if (header.ok() && header->hub != hub_) ++others[header->hub];
  }
  return others;
}

std::optional<fs::path> Spool::Find(const std::string& part_of_key) const {
  for (const fs::path& path : Files()) {
    if (path.filename().string().find(part_of_key) == std::string::npos) continue;
    const auto header = ReadHeader(path);
    if (header.ok() && header->hub == hub_) return path;
  }
  return std::nullopt;
}

std::vector<fs::path> Spool::Files() const {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().extension() == kSuffix) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());  // names begin with the time
  return paths;
}

core::Result<std::optional<HeldBatch>> Spool::Take(const fs::path& path) const {
  if (auto status = CheckKind(path); !status.ok()) return status.error();
  core::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.ok() && errno == ENOENT) return std::optional<HeldBatch>();
  if (!fd.ok()) return NotOpened(path, errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 || !StillThere(fd.get(), path)) {
    return std::optional<HeldBatch>();
  }
  auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error();
  auto batch = ParseBatch(bytes->view());
  if (!batch.ok()) {
    return core::Error{batch.error().code, path.string() + ": " + batch.error().detail};
  }
  if (batch->header.hub != hub_) return std::optional<HeldBatch>();
  return std::optional<HeldBatch>(HeldBatch{path, std::move(fd), *std::move(batch)});
}

core::Status Spool::SetAside(const fs::path& path, std::string_view reason) const {
  const fs::path aside = folder_ / kAside;
  if (core::Status status = core::MakeFolder(aside); !status.ok()) return status;
  fs::path name = aside / path.filename();
  if (core::Status status = core::RenameDurably(path, name); !status.ok()) return status;
  name += kReason;
  return core::WriteDurably(name, std::string(reason) + "\n");
}

std::size_t Spool::CountWaiting(const fs::path& folder) {
  return Spool(folder).Files().size();
}

std::size_t Spool::CountAside(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator files(folder / kAside, error);
  return static_cast<std::size_t>(std::ranges::count_if(
      files, [](const auto& entry) { return entry.path().extension() != kReason; }));
}

core::Status Spool::Done(const HeldBatch& held) const {
  return core::RemoveDurably(held.path);
}

core::Status Spool::Refuse(const HeldBatch& held, std::string_view answer) const {
  const fs::path refused = folder_ / "refused";
  if (core::Status status = core::MakeFolder(refused); !status.ok()) return status;
  // The answer first: a crash between the two leaves the batch waiting, and it is refused again.
  const std::string name = held.path.stem().string() + ".answer.json";
  if (core::Status status = core::WriteDurably(refused / name, answer); !status.ok()) return status;
  return core::RenameDurably(held.path, refused / held.path.filename());
}

}  // namespace tunehub::agent
