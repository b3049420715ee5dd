#include "kernels/amd/name.h"

#include <fmt/core.h>

#include <array>
#include <charconv>

#include "core/row/row.h"

namespace tunehub::kernels::amd {
namespace {

constexpr std::array<std::string_view, 2> kLds = {"swz", "pad"};

// Reads a name from its end: field by field, each after an underscore.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  std::string_view CutLast() {
    const auto underscore = rest_.rfind('_');
    if (underscore == std::string_view::npos) return {};
    const auto field = rest_.substr(underscore + 1);
    rest_ = rest_.substr(0, underscore);
    return field;
  }

  // The numbers of a field such as "w2x2" after its `letter`; zeros where it has others.
  template <std::size_t count>
  std::array<int, count> CutNumbers(std::string_view letter) {
    std::array<int, count> numbers = {};
    auto field = CutLast();
    if (field.starts_with(letter)) field.remove_prefix(letter.size());
    const char* at = field.data();
    const char* const end = at + field.size();
    for (std::size_t i = 0; i < count && at < end; ++i) {
      const auto [next, error] = std::from_chars(at, end, numbers[i]);
      if (error != std::errc()) return {};
      at = next + (next < end ? 1 : 0);
    }
    return numbers;
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace

std::string KernelName(std::string_view family, const Config& config) {
  return fmt::format("{}{}_{}x{}x{}x{}_m{}_w{}x{}_s{}_{}_e{}_g{}", core::kOwnKernelPrefix, family,
                     config.threads, config.block_m, config.block_n, config.block_k, config.atom,
                     config.wave_m, config.wave_n, config.stages,
                     kLds[static_cast<std::size_t>(config.lds)], config.waves_per_eu,
                     config.group_m);
}

std::optional<NamedConfig> ParseKernelName(std::string_view name) {
  if (!name.starts_with(core::kOwnKernelPrefix)) return std::nullopt;
  Fields fields(name.substr(core::kOwnKernelPrefix.size()));
  NamedConfig named;
  auto& config = named.config;
  config.group_m = fields.CutNumbers<1>("g")[0];
  config.waves_per_eu = fields.CutNumbers<1>("e")[0];
  config.lds = fields.CutLast() == kLds[1] ? Lds::kPad : Lds::kSwizzle;
  config.stages = fields.CutNumbers<1>("s")[0];
  const auto waves = fields.CutNumbers<2>("w");
  config.wave_m = waves[0];
  config.wave_n = waves[1];
  config.atom = fields.CutNumbers<1>("m")[0];
  const auto block = fields.CutNumbers<4>("");
  config.threads = block[0];
  config.block_m = block[1];
  config.block_n = block[2];
  config.block_k = block[3];
  named.family = fields.rest();
  // What was read too kindly ("007", another letter) does not come out as it went in.
  if (KernelName(named.family, config) != name) return std::nullopt;
  return named;
}

}  // namespace tunehub::kernels::amd
