#include "tests/amd/emu/memory.h"

#include <fmt/core.h>

#include <algorithm>

namespace tunehub::kernels::emu {
namespace {

// Bytes of 0xff are NaN as bf16, as fp8 in either encoding, and as float32.
constexpr std::byte kPoison{0xff};
constexpr std::size_t kLdsAlignment = 64;

std::string Lane(int lane) {
  return lane < 0 ? "several lanes" : fmt::format("lane {}", lane);
}

}  // namespace

std::optional<std::string> Memory::Refuse(const void* at, std::size_t bytes, std::size_t alignment,
                                          Access access) const {
  const auto* const begin = static_cast<const std::byte*>(at);
  const auto what = [&] {
    return fmt::format("{} {} bytes", access == Access::kRead ? "reads" : "writes", bytes);
  };
  if (reinterpret_cast<std::uintptr_t>(at) % alignment != 0) {
    return fmt::format("{} at an address that is no multiple of {}", what(), alignment);
  }
  const Range* nearest = nullptr;
  std::ptrdiff_t offset = 0;
  for (const auto& range : ranges_) {
    offset = begin - range.data;
    if (offset < 0) continue;
    if (static_cast<std::size_t>(offset) + bytes <= range.bytes) {
      if (access == Access::kRead || range.writable) return std::nullopt;
      return fmt::format("{} to {}, an input", what(), range.name);
    }
    if (nearest == nullptr || range.data > nearest->data) nearest = &range;
  }
  if (nearest == nullptr) return what() + " below every buffer";
  return fmt::format("{} at byte {} of {}, which has {}", what(), begin - nearest->data,
                     nearest->name, nearest->bytes);
}

SharedMemory::SharedMemory(int bytes)
    : bytes_(bytes),
      storage_(static_cast<std::size_t>(bytes) + kLdsAlignment),
      grains_(static_cast<std::size_t>(bytes / kGrain)) {
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
  data_ = storage_.data() + (kLdsAlignment - address % kLdsAlignment);
}

void SharedMemory::Reset() {
  std::fill(storage_.begin(), storage_.end(), kPoison);
  std::fill(grains_.begin(), grains_.end(), Grain());
  phase_ = 0;
}

std::optional<std::string> SharedMemory::Refuse(std::int64_t offset, int lane, Access access) {
  const auto where = [&] { return fmt::format("byte {} of LDS", offset); };
  if (offset < 0 || offset + kGrain > bytes_) {
    return fmt::format("touches {}, which has {} bytes", where(), bytes_);
  }
  if (offset % kGrain != 0) return fmt::format("touches {}, which is not aligned", where());
  Grain& grain = grains_[static_cast<std::size_t>(offset / kGrain)];
  const bool written_now = grain.write_phase == phase_ && grain.writer != lane;
  if (access == Access::kRead) {
    if (grain.write_phase == kNever) {
      return fmt::format("reads {}, which no lane has written", where());
    }
    if (written_now) {
      return fmt::format("reads {}, which {} wrote without a barrier between", where(),
                         Lane(grain.writer));
    }
    const bool others = grain.read_phase == phase_ && grain.reader != lane;
    grain.reader = others ? kSeveral : lane;
    grain.read_phase = phase_;
    return std::nullopt;
  }
  if (written_now) {
    return fmt::format("writes {}, which {} wrote too without a barrier between", where(),
                       Lane(grain.writer));
  }
  if (grain.read_phase == phase_ && grain.reader != lane) {
    return fmt::format("writes {}, which {} read without a barrier between", where(),
                       Lane(grain.reader));
  }
  grain.write_phase = phase_;
  grain.writer = lane;
  return std::nullopt;
}

}  // namespace tunehub::kernels::emu
