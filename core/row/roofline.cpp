#include "core/row/roofline.h"

#include <algorithm>
#include <array>

#include "core/row/cell.h"

namespace tunehub::core {
namespace {

struct DtypeBytes {
  std::string_view dtype;
  double bytes;
};

// torch.float4_e2m1fn_x2 packs two elements into a byte; AITER counts a byte for each element.
constexpr std::array<DtypeBytes, 9> kBytes = {{{"torch.bfloat16", 2},
                                               {"torch.float16", 2},
                                               {"torch.float32", 4},
                                               {"torch.float8_e4m3fn", 1},
                                               {"torch.float8_e4m3fnuz", 1},
                                               {"torch.float4_e2m1fn_x2", 1},
                                               {"torch.int8", 1},
                                               {"torch.uint8", 1},
                                               {"torch.int4", 0.5}}};

// Returns nullopt if the cell is not an integer above 0.
std::optional<double> Dimension(const Cells& cells, std::size_t column) {
  const auto value = ParseInt64(cells[column]);
  if (!value || *value <= 0) return std::nullopt;
  return static_cast<double>(*value);
}

// `metric` may differ from the family's own.
std::optional<Work> GemmWork(const Metric& metric, const Cells& cells) {
  const auto m = Dimension(cells, metric.m);
  const auto n = Dimension(cells, metric.n);
  const auto k = Dimension(cells, metric.k);
  const auto batch = metric.batch == kNoColumn ? 1.0 : Dimension(cells, metric.batch);
  if (!m || !n || !k || !batch) return std::nullopt;
  const double bytes =
      *m * *k * metric.bytes[0] + *n * *k * metric.bytes[1] + *m * *n * metric.bytes[2];
  return Work{2 * *batch * *m * *n * *k, *batch * bytes};
}

std::optional<Work> FmoeWork(const Family& family, const Cells& cells) {
  const auto dimension = [&](std::string_view name) { return Dimension(cells, family.Find(name)); };
  const auto bytes_of = [&](std::string_view name) {
    return BytesPerElement(cells[family.Find(name)]);
  };
  const auto token = dimension("token");
  const auto model = dimension("model_dim");
  const auto inter = dimension("inter_dim");
  const auto expert = dimension("expert");
  const auto topk = dimension("topk");
  if (!token || !model || !inter || !expert || !topk) return std::nullopt;
  const auto out_bytes = bytes_of("dtype");
  const auto a_bytes = bytes_of("q_dtype_a");
  const auto w_bytes = bytes_of("q_dtype_w");
  if (!out_bytes || !a_bytes || !w_bytes) return std::nullopt;
  const bool gated = cells[family.Find("use_g1u1")] == "1";
  const double columns = (gated ? 2 : 1) * *inter + *inter;  // columns of both stages' weights
  return Work{2 * *token * *topk * *model * columns,
              *token * *model * (*a_bytes + *out_bytes) + *expert * *model * columns * *w_bytes};
}

constexpr std::string_view kTwoInAByte = "torch.float4_e2m1fn_x2";

// Bytes of one element in memory.
std::optional<double> StoredBytes(std::string_view dtype) {
  return dtype == kTwoInAByte ? 0.5 : BytesPerElement(dtype);
}

std::optional<Work> LeastGemm(const Family& family, const Cells& cells) {
  const Metric& metric = family.metric;
  if (metric.precision_column == kNoColumn) return ComputeWork(family, cells);
  const auto stored = StoredBytes(cells[metric.precision_column]);
  if (!stored) return ComputeWork(family, cells);
  Metric narrow = metric;
  for (std::size_t i = 0; i < 2; ++i) narrow.bytes[i] = std::min(narrow.bytes[i], *stored);
  return GemmWork(narrow, cells);
}

std::optional<Work> LeastFmoe(const Family& family, const Cells& cells) {
  const auto all = ComputeWork(family, cells);
  const auto out = StoredBytes(cells[family.Find("dtype")]);
  const auto in = StoredBytes(cells[family.Find("q_dtype_a")]);
  const auto weight = StoredBytes(cells[family.Find("q_dtype_w")]);
  if (!all || !out || !in || !weight) return std::nullopt;
  const double token = *Dimension(cells, family.Find("token"));
  const double topk = *Dimension(cells, family.Find("topk"));
  const double model = *Dimension(cells, family.Find("model_dim"));
  const double experts = std::min(*Dimension(cells, family.Find("expert")), token * topk);
  const double weights = all->flops / (2 * token * topk);  // elements of one expert
  return Work{all->flops, token * model * (*in + *out) + experts * weights * *weight};
}

std::optional<Roofline> RooflineOn(const Device& device, const Work& work,
                                   std::string_view precision) {
  if (!device.peaks) return std::nullopt;
  const auto peak = device.peaks->tflops.find(std::string(precision));
  if (peak == device.peaks->tflops.end()) return std::nullopt;
  const double compute = work.flops / peak->second / 1e6;
  const double memory = work.bytes / device.peaks->memory_gb_s / 1e3;
  return Roofline{std::max(compute, memory), memory > compute, &device};
}

}  // namespace

std::optional<Work> ComputeWork(const Family& family, const Cells& cells) {
  if (family.metric.formula == "gemm") return GemmWork(family.metric, cells);
  if (family.metric.formula == "fmoe") return FmoeWork(family, cells);
  return std::nullopt;
}

std::string_view RowPrecision(const Family& family, const Cells& cells) {
  const Metric& metric = family.metric;
  if (metric.precision_column == kNoColumn) return metric.precision;
  return PrecisionOfDtype(cells[metric.precision_column]);
}

std::optional<double> BytesPerElement(std::string_view dtype) {
  const auto found = std::ranges::find(kBytes, dtype, &DtypeBytes::dtype);
  if (found == kBytes.end()) return std::nullopt;
  return found->bytes;
}

std::optional<Work> LeastWork(const Family& family, const Cells& cells) {
  if (family.metric.formula == "gemm") return LeastGemm(family, cells);
  if (family.metric.formula == "fmoe") return LeastFmoe(family, cells);
  return std::nullopt;
}

std::optional<Roofline> RooflineOf(const Family& family, const Cells& cells, const Devices& devices,
                                   std::string_view gfx, int cu_num, const Device* product) {
  const auto work = LeastWork(family, cells);
  if (!work) return std::nullopt;
  const std::string_view precision = RowPrecision(family, cells);
  if (product != nullptr) return RooflineOn(*product, *work, precision);
  std::optional<Roofline> slowest;
  for (const Device* device : devices.Of(gfx, cu_num)) {
    const auto its = RooflineOn(*device, *work, precision);
    if (!its) return std::nullopt;
    if (!slowest || its->us > slowest->us) slowest = its;
  }
  return slowest;
}

std::optional<Roofline> FastestRoofline(const Family& family, const Cells& cells,
                                        const Devices& devices, std::string_view gfx, int cu_num) {
  const auto work = LeastWork(family, cells);
  if (!work) return std::nullopt;
  const std::string_view precision = RowPrecision(family, cells);
  std::optional<Roofline> fastest;
  for (const Device& device : devices.all()) {
    if (device.gfx != gfx || (cu_num != 0 && device.cu_num != cu_num)) continue;
    const auto its = RooflineOn(device, *work, precision);
    if (its && (!fastest || its->us < fastest->us)) fastest = its;
  }
  return fastest;
}

}  // namespace tunehub::core
