#include "kernels/gpu/memory.h"

#include <fmt/core.h>

#include <limits>

#include "kernels/buffer.h"

namespace tunehub::kernels::gpu {

core::Result<Memory> Memory::Make(const Driver& driver, std::size_t bytes) {
  Memory memory;
  memory.driver_ = &driver;
  if (bytes == 0) return memory;
  const auto status = driver.Check(driver.allocate(&memory.data_, bytes),
                                   fmt::format("allocating {} bytes", bytes));
  if (!status.ok()) return status.error();
  memory.bytes_ = bytes;
  return memory;
}

Memory::~Memory() {
  if (data_ != nullptr) static_cast<void>(driver_->release(data_));
}

core::Status Memory::Write(const void* from, std::size_t bytes) {
  if (bytes == 0) return core::Ok();
  // HIP's header lacks the const.
  return driver_->Check(driver_->copy_to_device(data_, const_cast<void*>(from), bytes),
                        "copying to the device");
}

core::Status Memory::Read(void* to, std::size_t bytes) const {
  if (bytes == 0) return core::Ok();
  return driver_->Check(driver_->copy_to_host(to, data_, bytes), "copying from the device");
}

core::Status Memory::CopyFrom(const Memory& other) {
  if (other.bytes_ == 0) return core::Ok();
  return driver_->Check(driver_->copy_on_device(data_, other.data_, other.bytes_),
                        "copying on the device");
}

core::Status Memory::Fill(unsigned char value) {
  if (bytes_ == 0) return core::Ok();
  return driver_->Check(driver_->fill(data_, value, bytes_), "filling memory");
}

namespace {

// Without a branch per element: outputs have hundreds of millions.
bool HasNan(const std::uint16_t* bf16, std::size_t count) {
  unsigned found = 0;
  for (std::size_t i = 0; i < count; ++i) found |= (bf16[i] & 0x7fffU) > 0x7f80U ? 1U : 0U;
  return found != 0;
}

bool HasNan(const float* values, std::size_t count) {
  unsigned found = 0;
  for (std::size_t i = 0; i < count; ++i) found |= values[i] != values[i] ? 1U : 0U;
  return found != 0;
}

}  // namespace

core::Result<std::vector<float>> ReadRows(const Problem& problem, const Memory& output,
                                          const std::vector<std::int64_t>& rows) {
  const std::size_t n = U(problem.n);
  const std::size_t count = output.size() / BytesOf(problem.out, 1);
  Buffer all(output.size());
  if (auto status = output.Read(all.data(), output.size()); !status.ok()) return status.error();
  const bool is_float = problem.out == Format::kF32;
  std::vector<float> values;
  values.reserve(rows.size() * n);
  for (const std::int64_t row : rows) {
    for (std::size_t i = U(row) * n; i < (U(row) + 1) * n; ++i) {
      values.push_back(is_float ? all.as<float>()[i] : FromBf16(all.as<std::uint16_t>()[i]));
    }
  }
  const bool unwritten =
      is_float ? HasNan(all.as<float>(), count) : HasNan(all.as<std::uint16_t>(), count);
  if (unwritten) values.front() = std::numeric_limits<float>::quiet_NaN();
  return values;
}

}  // namespace tunehub::kernels::gpu
