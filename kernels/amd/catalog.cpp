#include "kernels/amd/catalog.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>

#include "core/base/text.h"
#include "core/row/row.h"
#include "kernels/buffer.h"

namespace tunehub::kernels::amd {
namespace {

// Indexed by Arch. units_per_xcd: compute units per die. 38 on MI300X and MI300A, 20 on MI308X, 32
// on MI355X. An MI250X counts as two devices, one per die.
struct Chip {
  std::string_view name;
  std::array<int, 2> units_per_xcd;  // XcdsOf takes the first that divides the device's units
  std::optional<Format> fp8;
};
constexpr std::array<Chip, 3> kChips = {{
    {"gfx90a", {0, 0}, std::nullopt},
    {"gfx942", {38, 20}, Format::kE4m3Fnuz},
    {"gfx950", {32, 0}, Format::kE4m3},
}};

const Chip& ChipOf(Arch arch) {
  return kChips[static_cast<std::size_t>(arch)];
}

}  // namespace

std::string_view NameOf(Arch arch) {
  return ChipOf(arch).name;
}

std::optional<Arch> ArchOf(std::string_view gfx) {
  gfx = gfx.substr(0, gfx.find(':'));
  for (const Arch arch : kArchs) {
    if (NameOf(arch) == gfx) return arch;
  }
  return std::nullopt;
}

int XcdsOf(Arch arch, int cu_num) {
  for (const int units : ChipOf(arch).units_per_xcd) {
    if (units > 0 && cu_num >= units && cu_num % units == 0) return cu_num / units;
  }
  return 1;
}

std::optional<Format> Fp8Of(Arch arch) {
  return ChipOf(arch).fp8;
}

Problem InEncodingOf(Arch arch, const Problem& problem) {
  const auto is_fp8 = [](Format format) {
    return format == Format::kE4m3 || format == Format::kE4m3Fnuz;
  };
  Problem encoded = problem;
  if (const auto fp8 = Fp8Of(arch); fp8 && is_fp8(problem.a) && is_fp8(problem.w)) {
    encoded.a = encoded.w = *fp8;
  }
  return encoded;
}

namespace {

using core::Error;

struct Row {
  Config config;
  bool only_gfx950;
};

#define TK_ROW(only_gfx950, threads, bm, bn, bk, atom, wm, wn, stages, lds, waves, group) \
  Row{{threads, bm, bn, bk, atom, wm, wn, stages, TK_LDS_##lds, waves, group}, only_gfx950},
#define TK_LDS_swz Lds::kSwizzle
#define TK_LDS_pad Lds::kPad
#define TK_AMD(...) TK_ROW(false, __VA_ARGS__)
#define TK_AMD_GFX950(...) TK_ROW(true, __VA_ARGS__)

constexpr Row kA8w8[] = {
#include "kernels/amd/table/a8w8.inc"
};
constexpr Row kA8w8Blockscale[] = {
#include "kernels/amd/table/a8w8_blockscale.inc"
};
constexpr Row kBatchedA8w8[] = {
#include "kernels/amd/table/batched_a8w8.inc"
};
constexpr Row kBatchedBf16[] = {
#include "kernels/amd/table/batched_bf16.inc"
};
constexpr Row kBf16[] = {
#include "kernels/amd/table/bf16.inc"
};

struct Table {
  std::string_view family;
  std::span<const Row> rows;
};
constexpr std::array<Table, 5> kTables = {{
    {"a8w8", kA8w8},
    {"a8w8_blockscale", kA8w8Blockscale},
    {"batched_a8w8", kBatchedA8w8},
    {"batched_bf16", kBatchedBf16},
    {"bf16", kBf16},
}};

// Slicing K helps if the chip has more compute units than tiles, and each slice still has work.
constexpr std::array<int, 4> kSplits = {2, 4, 8, 16};
constexpr int kFewestTilesPerSlice = 4;  // tiles of K
// Offsets within a block's rows have 32 bits. The offsets of the next tiles must fit, too.
constexpr std::int64_t kMaxWindowBytes = 0x7fff0000;

bool HasElement(const KernelModule& module, Arch arch) {
  return module.element != Element::kFp8 || Fp8Of(arch).has_value();
}

int Tiles(const Problem& problem, const Config& config) {
  return CeilDivide(problem.m, config.block_m) * CeilDivide(problem.n, config.block_n) *
         problem.batch;
}

// Says why no kernel of the module computes the shape; "" if a kernel may.
std::string WhyNotShape(const Problem& problem, Arch arch, const KernelModule& module) {
  if (!HasElement(module, arch)) return fmt::format("{} cannot multiply fp8", NameOf(arch));
  if (InEncodingOf(arch, problem).w != problem.w) {
    return fmt::format("{} uses another encoding of fp8", NameOf(arch));
  }
  if (problem.n % 4 != 0) {
    return fmt::format("N = {} must be a multiple of 4 (the columns of a store)", problem.n);
  }
  if (std::int64_t{problem.k} * BytesOf(module.element) % kChunk != 0) {
    return fmt::format("a row of K = {} must be a multiple of 16 bytes", problem.k);
  }
  return "";
}

bool FitsWindow(const Problem& problem, const KernelModule& module, const Config& config) {
  const std::int64_t pitch = std::int64_t{problem.k} * BytesOf(module.element);
  const std::int64_t ahead = std::int64_t{2} * config.block_k * BytesOf(module.element);
  return pitch * std::max(config.block_m, config.block_n) + ahead <= kMaxWindowBytes;
}

bool MaySplit(const Problem& problem, const Config& config, int split_k) {
  return split_k == 0 || (std::find(kSplits.begin(), kSplits.end(), split_k) != kSplits.end() &&
                          problem.k / split_k >= kFewestTilesPerSlice * config.block_k);
}

}  // namespace

const std::vector<std::string_view>& Families() {
  static const std::vector<std::string_view> families = core::Mapped(kTables, &Table::family);
  return families;
}

const std::vector<KernelModule>& Modules() {
  static const std::vector<KernelModule> modules = {
      {"a8w8", "a8w8", Element::kInt8, Scales::kRowColumn},
      {"a8w8", "a8w8_fp8", Element::kFp8, Scales::kRowColumn},
      {"a8w8_blockscale", "a8w8_blockscale", Element::kFp8, Scales::kBlock128},
      {"batched_a8w8", "batched_a8w8", Element::kInt8, Scales::kRowColumn},
      {"batched_bf16", "batched_bf16", Element::kBf16, Scales::kNone},
      {"bf16", "bf16", Element::kBf16, Scales::kNone},
  };
  return modules;
}

const KernelModule* ModuleOf(const Problem& problem) {
  const Element element = problem.w == Format::kInt8   ? Element::kInt8
                          : problem.w == Format::kBf16 ? Element::kBf16
                                                       : Element::kFp8;
  for (const auto& module : Modules()) {
    if (module.family == problem.family && module.element == element) return &module;
  }
  return nullptr;
}

std::vector<Instance> Instances(std::string_view family, Arch arch) {
  const auto has_family = [&](const auto& each) { return each.family == family; };
  const auto table = std::find_if(kTables.begin(), kTables.end(), has_family);
  const bool can = std::any_of(Modules().begin(), Modules().end(), [&](const KernelModule& module) {
    return has_family(module) && HasElement(module, arch);
  });
  std::vector<Instance> instances;
  if (table == kTables.end() || !can) return instances;
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    const Row& row = table->rows[i];
    if (row.only_gfx950 && arch != Arch::kGfx950) continue;
    instances.push_back({static_cast<int>(i), row.config});
  }
  return instances;
}

std::string FunctionOf(const KernelModule& module, const Config& config) {
  // A family's two modules have the same configs.
  const std::string_view suffix = module.file.substr(module.family.size());
  return KernelName(module.family, config) + std::string(suffix);
}

std::string ReductionOf(const KernelModule& module) {
  return fmt::format("tk_reduce_{}", module.file);
}

std::vector<Candidate> Candidates(const Problem& problem, Arch arch, int cu_num) {
  std::vector<Candidate> candidates;
  const KernelModule* const module = ModuleOf(problem);
  if (module == nullptr || !WhyNotShape(problem, arch, *module).empty()) return candidates;
  for (const auto& [id, config] : Instances(problem.family, arch)) {
    if (!FitsWindow(problem, *module, config)) continue;
    const std::string name = KernelName(problem.family, config);
    candidates.push_back({name, id, 0});
    for (const int split_k : kSplits) {
      // Allow up to two blocks per compute unit, because each hides the other's start and end.
      if (MaySplit(problem, config, split_k) && Tiles(problem, config) * split_k <= 2 * cu_num) {
        candidates.push_back({name, id, split_k});
      }
    }
  }
  return candidates;
}

core::Result<Instance> InstanceOf(const Problem& problem, Arch arch, const Candidate& candidate) {
  const auto unknown = [&](const std::string& reason) {
    return Error{"unknown_kernel", candidate.kernel_name + ": " + reason};
  };
  const auto not_valid = [&](const std::string& reason) {
    return Error{"kernel_not_valid", candidate.kernel_name + ": " + reason};
  };
  const KernelModule* const module = ModuleOf(problem);
  const auto named = ParseKernelName(candidate.kernel_name);
  if (module == nullptr || !named || named->family != problem.family) {
    return unknown("no AMD kernel of " + problem.family);
  }
  const auto instances = Instances(problem.family, arch);
  const auto found = std::find_if(instances.begin(), instances.end(), [&](const Instance& each) {
    return each.id == candidate.kernel_id && each.config == named->config;
  });
  if (found == instances.end()) {
    return unknown(fmt::format("the kernel is not row {} of the table of {} for {}",
                               candidate.kernel_id, problem.family, NameOf(arch)));
  }
  if (const auto why = WhyNotShape(problem, arch, *module); !why.empty()) return not_valid(why);
  if (!FitsWindow(problem, *module, found->config)) {
    return not_valid(fmt::format("a block's rows of K = {} exceed 2 GiB", problem.k));
  }
  if (!MaySplit(problem, found->config, candidate.split_k)) {
    return not_valid(fmt::format("splitK {} does not fit this shape", candidate.split_k));
  }
  return *found;
}

namespace {

constexpr std::array<std::string_view, 2> kLds = {"swz", "pad"};

// Reads the fields of a name from its end. An underscore precedes each field.
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

  // Returns the numbers of the last field, such as "w2x2" for `letter` w; zeros for another field.
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

std::optional<NamedAmdConfig> ParseKernelName(std::string_view name) {
  if (!name.starts_with(core::kOwnKernelPrefix)) return std::nullopt;
  Fields fields(name.substr(core::kOwnKernelPrefix.size()));
  NamedAmdConfig named;
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
  // The parser accepts other spellings ("007"), so compare the name that this config prints.
  if (KernelName(named.family, config) != name) return std::nullopt;
  return named;
}

}  // namespace tunehub::kernels::amd
