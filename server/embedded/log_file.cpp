#include "server/embedded/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>

#include "server/embedded/data_dir.h"

namespace tunehub::embedded {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLook{30};
constexpr std::streamoff kTailBytes = 1000;

}  // namespace

core::Result<std::unique_ptr<LogFile>> LogFile::Open(const fs::path& path) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  core::Fd fd(::open(path.c_str(), kFlags, 0640));
  if (!fd.ok()) return Unusable(path, errno);
  if (const auto given = GiveNewFile(fd, path); !given.ok()) return given.error();
  std::unique_ptr<LogFile> log(new LogFile(path, std::move(fd)));
  log->BoundNow();
  return log;
}

void LogFile::KeepBounded() {
  std::call_once(kept_, [this] {
    keeper_.Start([this] {
      while (keeper_.Pause(kLook)) BoundNow();
    });
  });
}

void LogFile::BoundNow(size_t bytes_max) {
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0 || static_cast<size_t>(info.st_size) <= bytes_max) return;
  // Copies and empties the file, because PostgreSQL keeps the descriptor, and appends at the new
  // end. A line that arrives between the two calls is lost, which is acceptable here.
  std::error_code ignored;
  fs::copy_file(path_, path_.string() + ".1", fs::copy_options::overwrite_existing, ignored);
  if (::ftruncate(fd_.get(), 0) != 0) return;  // the next check tries again
}

std::string LogFile::Tail() const {
  std::ifstream file(path_, std::ios::binary);
  file.seekg(0, std::ios::end);
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kTailBytes));
  std::string tail(static_cast<size_t>(kTailBytes), '\0');
  file.read(tail.data(), kTailBytes);
  tail.resize(static_cast<size_t>(file.gcount()));
  while (!tail.empty() && tail.back() == '\n') tail.pop_back();
  if (size > kTailBytes) tail.erase(0, std::min(tail.find('\n') + 1, tail.size()));
  return tail;
}

}  // namespace tunehub::embedded
