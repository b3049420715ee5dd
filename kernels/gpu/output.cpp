#include "kernels/gpu/output.h"

#include <limits>

#include "kernels/buffer.h"
#include "kernels/sizes.h"

namespace tunehub::kernels::gpu {
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
