// Files in memory, for bodies that the server sends often. The kernel sends a file's pages without
// a copy (sendfile). All connections share the pages.
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
  // Returns null if the system has no room for the file.
  static std::shared_ptr<const MemoryFile> Of(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::size_t size() const { return size_; }

  // One step of writing to a non-blocking socket: `head`, then up to `limit` bytes from `offset`.
  struct Turn {
    std::size_t sent = 0;
    int error = 0;  // errno, such as EAGAIN, if nothing was sent
  };
  Turn Send(int socket, std::string_view head, std::size_t offset, std::size_t limit) const;

 private:
  MemoryFile(int descriptor, std::size_t size) : descriptor_(descriptor), size_(size) {}

  int descriptor_;
  std::size_t size_;
};

class MemoryFiles {
 public:
  // Returns the body's file from the second call on. (The server sends most bodies only once, and a
  // file costs more than one copy.) Returns null for the first call, for a small body, and above
  // the limit.
  std::shared_ptr<const MemoryFile> Find(const std::shared_ptr<const std::string>& body);
  // Drops the files of bodies that no longer exist.
  void Sweep();

 private:
  struct Entry {
    std::weak_ptr<const std::string> body;  // the body's address may already belong to another body
    std::shared_ptr<const MemoryFile> file;
  };
  void Forget(std::unordered_map<const std::string*, Entry>::iterator entry);

  std::mutex mutex_;  // guards entries_ and bytes_
  std::unordered_map<const std::string*, Entry> entries_;
  std::size_t bytes_ = 0;
};

}  // namespace tunehub::http
