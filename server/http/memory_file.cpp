#include "server/http/memory_file.h"

#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

#include "core/base/file.h"

namespace tunehub::http {
namespace {

// below this size, a copy is cheaper than a second call
constexpr std::size_t kSmallestFile = 64 * 1024;
constexpr std::size_t kAllFiles = 128 * 1024 * 1024;  // twice the size of the cache of tables
// each is an open file, and connections also need open files
constexpr std::size_t kMostFiles = 512;

}  // namespace

std::shared_ptr<const MemoryFile> MemoryFile::Of(std::string_view bytes) {
  const int descriptor = ::memfd_create("tunehub-body", MFD_CLOEXEC);
  if (descriptor < 0) return nullptr;
  const std::shared_ptr<const MemoryFile> file(new MemoryFile(descriptor, bytes.size()));
  return core::WriteAll(descriptor, bytes, {}).ok() ? file : nullptr;
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
}

MemoryFile::Turn MemoryFile::Send(int socket, std::string_view head, std::size_t offset,
                                  std::size_t limit) const {
  Turn turn;
  if (!head.empty()) {
    // MSG_MORE: the kernel sends the head in one segment with the body's first bytes.
    const ssize_t sent = ::send(socket, head.data(), head.size(), MSG_MORE | MSG_NOSIGNAL);
    if (sent < 0) return {.sent = 0, .error = errno};
    turn.sent = static_cast<std::size_t>(sent);
    if (turn.sent < head.size()) return turn;
  }
  auto position = static_cast<off_t>(offset);
  const ssize_t sent = ::sendfile(socket, descriptor_, &position, limit);
  if (sent > 0) turn.sent += static_cast<std::size_t>(sent);
  if (turn.sent == 0) turn.error = sent < 0 ? errno : EIO;
  return turn;
}

std::shared_ptr<const MemoryFile> MemoryFiles::Find(
    const std::shared_ptr<const std::string>& body) {
  if (!body || body->size() < kSmallestFile) return nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(body.get());
    if (found == entries_.end() || found->second.body.expired()) {
      if (found != entries_.end()) Forget(found);
      entries_.emplace(body.get(), Entry{body, nullptr});
      return nullptr;
    }
    if (found->second.file) return found->second.file;
    if (bytes_ + body->size() > kAllFiles || entries_.size() > kMostFiles) return nullptr;
  }
  auto file = MemoryFile::Of(*body);
  if (!file) return nullptr;
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[body.get()];
  if (entry.file) return entry.file;  // another reactor was quicker
  bytes_ += file->size();
  entry = {body, file};
  return file;
}

void MemoryFiles::Sweep() {
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->second.body.expired()) Forget(entry);
    entry = next;
  }
}

void MemoryFiles::Forget(std::unordered_map<const std::string*, Entry>::iterator entry) {
  if (entry->second.file) bytes_ -= entry->second.file->size();
  entries_.erase(entry);
}

}  // namespace tunehub::http
