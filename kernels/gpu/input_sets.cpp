#include "kernels/gpu/input_sets.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "kernels/buffer.h"

namespace tunehub::kernels::gpu {
namespace {

constexpr std::uint64_t kMostSets = 256;
// Reserved for the driver, the modules and a split-K workspace.
constexpr std::uint64_t kReserve = std::uint64_t{1} << 30;

}  // namespace

core::Result<InputSets::Set> InputSets::Copy(const Driver& driver, const Operands& operands,
                                             const Set* of) {
  Set set;
  const std::pair<const Buffer*, Memory Set::*> parts[] = {{&operands.a, &Set::a},
                                                           {&operands.a_scale, &Set::a_scale},
                                                           {&operands.w, &Set::w},
                                                           {&operands.w_scale, &Set::w_scale}};
  for (const auto& [buffer, member] : parts) {
    auto memory = Memory::Make(driver, buffer->size());
    if (!memory.ok()) return memory.error();
    set.*member = *std::move(memory);
    const auto status = of == nullptr ? (set.*member).Write(buffer->data(), buffer->size())
                                      : (set.*member).CopyFrom(of->*member);
    if (!status.ok()) return status.error();
  }
  return set;
}

core::Result<InputSets> InputSets::Make(const Driver& driver, const Problem& problem,
                                        const Operands& operands, std::uint64_t rotating_bytes) {
  const std::uint64_t each = std::max<std::uint64_t>(
      1, operands.a.size() + operands.a_scale.size() + operands.w.size() + operands.w_scale.size());
  const std::uint64_t output =
      U(problem.m) * U(problem.n) * U(problem.batch) * kernels::BytesOf(problem.out, 1);
  const std::uint64_t wanted =
      std::clamp<std::uint64_t>((rotating_bytes + each - 1) / each, 1, kMostSets);
  std::size_t free = 0, total = 0;
  auto status = driver.Check(driver.free_memory(&free, &total), "asking for free memory");
  if (!status.ok()) return status.error();
  if (each + output + kReserve > free) {
    return core::Error{
        kOutOfMemory,
        fmt::format("the problem needs {} MiB of the device's memory, but {} MiB are free",
                    (each + output) >> 20, free >> 20)};
  }
  const std::uint64_t fit = std::max<std::uint64_t>(1, (free - output - kReserve) / each);
  InputSets sets;
  while (sets.sets_.size() < std::min(wanted, fit)) {
    auto set = Copy(driver, operands, sets.sets_.empty() ? nullptr : &sets.sets_.front());
    if (!set.ok()) return set.error();
    sets.sets_.push_back(*std::move(set));
  }
  auto memory = Memory::Make(driver, output);
  if (!memory.ok()) return memory.error();
  sets.output_ = *std::move(memory);
  return sets;
}

Addresses InputSets::At(std::size_t index) const {
  const Set& set = sets_[index];
  return {set.a.data(),       set.a_scale.data(), set.w.data(),
          set.w_scale.data(), output_.data(),     nullptr};
}

}  // namespace tunehub::kernels::gpu
