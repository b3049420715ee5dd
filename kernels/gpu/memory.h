// A piece of the device's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "kernels/gpu/driver.h"
#include "kernels/problem.h"

namespace tunehub::kernels::gpu {

class Memory {
 public:
  Memory() = default;
  // Errors: out_of_memory, those of the driver.
  static core::Result<Memory> Make(const Driver& driver, std::size_t bytes);

  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  Memory(Memory&& other) noexcept
      : driver_(other.driver_),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Memory();

  core::Status Write(const void* from, std::size_t bytes);
  core::Status Read(void* to, std::size_t bytes) const;
  core::Status CopyFrom(const Memory& other);
  // Every byte.
  core::Status Fill(unsigned char value);

  void* data() const { return data_; }  // an address of the device; null: empty
  std::size_t size() const { return bytes_; }

 private:
  const Driver* driver_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// The values of these rows (of all batches behind one another). Where any element of the whole
// output is no number, the first value is none: an element that no launch wrote is wrong wherever
// it is. Errors: those of the driver.
core::Result<std::vector<float>> ReadRows(const Problem& problem, const Memory& output,
                                          const std::vector<std::int64_t>& rows);

}  // namespace tunehub::kernels::gpu
