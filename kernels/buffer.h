// Zeroed memory for operands, aligned to a cache line. Uses huge pages if the system has them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace tunehub::kernels {

// Precondition: value >= 0.
constexpr std::size_t U(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

constexpr int CeilDivide(int value, int by) {
  return (value + by - 1) / by;
}

class Buffer {
 public:
  Buffer() = default;
  // Throws std::bad_alloc.
  explicit Buffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    void* const at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(at);
    // Without huge pages, each panel of a weight matrix causes TLB misses.
    madvise(at, bytes, MADV_HUGEPAGE);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }

  Buffer Copy() const {
    Buffer copy(bytes_);
    if (bytes_ != 0) std::memcpy(copy.data_, data_, bytes_);
    return copy;
  }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  // Grows the buffer to at least `bytes`. Growing loses the content.
  void Reserve(std::size_t bytes) {
    if (bytes > bytes_) *this = Buffer(bytes);
  }

  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tunehub::kernels
