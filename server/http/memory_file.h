// Files in memory, for bodies that the server sends often. The kernel sends their pages without a
// copy, and all connections share them, as with nginx's sendfile.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tunehub::http {

class MemoryFile {
 public:
  // Null if the system has no room for the file.
  static std::shared_ptr<const MemoryFile> Of(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::size_t size() const { return size_; }

  // One step of writing to a non-blocking socket: `head`, then up to `limit` bytes from `offset`.
  struct Turn {
    std::size_t sent = 0;
    int error = 0;  // errno (also EAGAIN) if nothing was sent
  };
  Turn Send(int socket, std::string_view head, std::size_t offset, std::size_t limit) const;

 private:
  MemoryFile(int descriptor, std::size_t size) : descriptor_(descriptor), size_(size) {}

  int descriptor_;
  std::size_t size_;
};

class MemoryFiles {
 public:
  // The body's file, from the second call on: the server sends most bodies once, and a file costs
  // more than one copy. Null if a file is not worth its cost, or above the limit.
  std::shared_ptr<const MemoryFile> Find(const std::shared_ptr<const std::string>& body);
  // Drops the files of bodies that no longer exist.
  void Sweep();

 private:
  struct Entry {
    std::weak_ptr<const std::string> body;  // its address may already be another body's
    std::shared_ptr<const MemoryFile> file;
  };
  void Forget(std::unordered_map<const std::string*, Entry>::iterator entry);

  std::mutex mutex_;  // guards entries_, bytes_
  std::unordered_map<const std::string*, Entry> entries_;
  std::size_t bytes_ = 0;
};

}  // namespace tunehub::http
