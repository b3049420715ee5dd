#include "tests/support/cluster_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "server/embedded/data_dir.h"
#include "server/embedded/lock.h"

namespace tunehub::test {
namespace {

[[noreturn]] void Serve(const embedded::ClusterOptions& options, int out) {
  const auto cluster = embedded::Cluster::Start(options);
  const std::string line =
      cluster ? (*cluster)->ConnectionString() : "failed: " + cluster.error().detail;
  if (::write(out, line.data(), line.size()) < 0) ::_exit(1);
  ::close(out);
  for (;;) ::pause();
}

std::string ReadAll(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t size = 0; (size = ::read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(size));
  }
  return text;
}

}  // namespace

ClusterProcess::ClusterProcess(const embedded::ClusterOptions& options)
    : data_dir_(options.data_dir) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("pipe");
  pid_ = ::fork();
  if (pid_ == 0) {
    ::close(ends[0]);
    Serve(options, ends[1]);
  }
  ::close(ends[1]);
  connection_ = ReadAll(ends[0]);
  ::close(ends[0]);
  if (connection_.starts_with("failed") || connection_.empty()) {
    throw std::runtime_error(connection_);
  }
}

ClusterProcess::~ClusterProcess() {
  Kill();
  for (int i = 0; i < 1000 && !embedded::ProcessesOf(data_dir_ / "pg").empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  // A later start on the data folder would reuse the socket folder. Perhaps there is none, so this
  // removes the folder.
  const auto socket_dir = embedded::RecordedSocketDir(data_dir_);
  if (socket_dir && !embedded::RunningOn(data_dir_)) {
    embedded::RemoveSocketDir(data_dir_, *socket_dir);
  }
}

void ClusterProcess::Kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

}  // namespace tunehub::test
