#include "kernels/gpu/memory.h"

#include <fmt/core.h>

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

}  // namespace tunehub::kernels::gpu
