#include "core/shapes/model_shapes.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "core/base/excerpt.h"
#include "core/row/cell.h"
#include "core/shapes/lookup_shape.h"
#include "core/shapes/padded_m.h"
#include "core/shapes/shape_defaults.h"

namespace tunehub::core {
namespace {

// What a gl 0 grid goes up to, and the last token tier of AITER.
constexpr std::int64_t kGl0Limit = 80'000;
constexpr std::int64_t kPow2Limit = 131'072;
constexpr std::int64_t kSmallM[] = {1, 2, 4, 8};

// Divides figures by tp, and remembers the first that it does not divide.
class Sharding {
 public:
  Sharding(const Model& model, std::int64_t tp) : model_(model), tp_(tp) {}

  std::int64_t Split(std::int64_t figure, const char* name) {
    if (figure % tp_ != 0) Refuse(fmt::format("{} {}", figure, name));
    return figure / tp_;
  }
  // Heads that are split, or copied where there are fewer of them than GPUs.
  std::int64_t SplitOrCopied(std::int64_t heads, const char* name) {
    if (heads >= tp_) return Split(heads, name);
    if (heads > 0 && tp_ % heads != 0) Refuse(fmt::format("{} {}", heads, name));
    return 1;
  }
  const std::string& complaint() const { return complaint_; }

 private:
  void Refuse(const std::string& what) {
    if (!complaint_.empty()) return;
    complaint_ = fmt::format("tp {} does not divide the {} of {}", tp_, what, model_.name);
  }

  const Model& model_;
  std::int64_t tp_;
  std::string complaint_;
};

class ProjectionList {
 public:
  void Add(std::string layer, std::int64_t n, std::int64_t k) {
    if (seen_.emplace(n, k).second) list_.push_back({std::move(layer), n, k});
  }
  std::vector<Projection> Take() { return std::move(list_); }

 private:
  std::set<std::pair<std::int64_t, std::int64_t>> seen_;
  std::vector<Projection> list_;
};

void AddLatentAttention(const Model& model, Sharding& sharding, ProjectionList& list) {
  const std::int64_t heads = sharding.Split(model.heads, "attention heads");
  const std::int64_t kv_a = model.kv_lora + model.rope_dim;
  const std::int64_t q = heads * (model.nope_dim + model.rope_dim);
  if (model.q_lora > 0) {
    list.Add("qkv_a", model.q_lora + kv_a, model.hidden);
    list.Add("q_b", q, model.q_lora);
  } else {
    list.Add("q", q, model.hidden);
    list.Add("kv_a", kv_a, model.hidden);
  }
  list.Add("kv_b", heads * (model.nope_dim + model.v_dim), model.kv_lora);
  list.Add("o", model.hidden, heads * model.v_dim);
}

void AddAttention(const Model& model, Sharding& sharding, ProjectionList& list) {
  const std::int64_t heads = sharding.Split(model.heads, "attention heads");
  const std::int64_t kv_heads = sharding.SplitOrCopied(model.kv_heads, "KV heads");
  const std::int64_t q = heads * model.head_dim;
  const std::int64_t kv = kv_heads * model.head_dim;
  list.Add("qkv", (model.output_gate ? 2 * q : q) + 2 * kv, model.hidden);
  list.Add("o", model.hidden, q);
}

void AddDeltaNet(const Model& model, Sharding& sharding, ProjectionList& list) {
  const std::int64_t key =
      sharding.Split(model.linear_key_heads, "linear key heads") * model.linear_key_dim;
  const std::int64_t value =
      sharding.Split(model.linear_value_heads, "linear value heads") * model.linear_value_dim;
  list.Add("linear_qkvz", 2 * key + 2 * value, model.hidden);
  list.Add("linear_out", model.hidden, value);
}

void AddFeedForward(const Model& model, Sharding& sharding, std::int64_t width, const char* name,
                    ProjectionList& list) {
  const std::int64_t inner = sharding.Split(width, name);
  list.Add("gate_up", 2 * inner, model.hidden);
  list.Add("down", model.hidden, inner);
}

Error BadGrid(std::string_view grid, const std::string& reason) {
  return {"bad_grid", fmt::format("the grid '{}' {}", Excerpt(grid), reason)};
}

Result<std::vector<std::int64_t>> ListedGrid(std::string_view grid, std::int64_t max) {
  std::vector<std::int64_t> points;
  for (std::string_view rest = grid; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const auto m = ParseInt64(item);
    if (!m || *m < 1 || *m > max) {
      return BadGrid(
          grid, fmt::format("is neither gl0 nor pow2 nor a list of numbers from 1 to {}", max));
    }
    points.push_back(*m);
  }
  if (points.empty()) return BadGrid(grid, "has no point");
  return points;
}

bool IsMoe(const Family& family) {
  return family.metric.formula == "fmoe";
}

// The columns that the product itself fills; the others have a default.
using Dimensions = std::map<std::string, std::int64_t>;

Result<std::vector<Dimensions>> GemmDimensions(const Model& model, std::int64_t tp,
                                               const Family& family) {
  auto projections = Projections(model, tp);
  if (!projections.ok()) return projections.error();
  std::vector<Dimensions> all;
  for (const Projection& projection : *projections) {
    all.push_back({{family.columns[family.metric.n].name, projection.n},
                   {family.columns[family.metric.k].name, projection.k}});
  }
  return all;
}

Result<std::vector<Dimensions>> MoeDimensions(const Model& model, std::int64_t tp,
                                              const ShapeOptions& options) {
  if (model.experts == 0) {
    return Error{"no_experts", model.name + " has no experts: its layers are dense"};
  }
  Sharding sharding(model, tp);
  const std::int64_t inner = sharding.Split(model.moe_intermediate, "moe_intermediate_size");
  if (!sharding.complaint().empty()) return Error{"bad_tp", sharding.complaint()};
  const std::int64_t fused = options.fuse_shared_experts ? model.shared_experts : 0;
  return std::vector<Dimensions>{{{"model_dim", model.hidden},
                                  {"inter_dim", inner},
                                  {"expert", model.experts + fused},
                                  {"topk", model.topk + fused}}};
}

// One row without its M.
Result<Shape> RowOf(const Model& model, const Family& family, const Dimensions& dimensions,
                    const ShapeOptions& options) {
  Shape row;
  Scratch scratch;
  for (const std::string& name : family.untuned_columns) {
    const Column& column = family.columns[family.Find(name)];
    std::string text;
    if (const auto given = options.columns.find(name); given != options.columns.end()) {
      text = given->second;
    } else if (const auto dimension = dimensions.find(name); dimension != dimensions.end()) {
      text = std::to_string(dimension->second);
    } else if (family.Find(name) == family.lookup.m) {
      text.push_back('1');  // an assignment of "1" warns under g++ 12 -O2
    } else {
      auto value = DefaultOf(column, family, model, options);
      if (!value.ok()) return value.error();
      text = *std::move(value);
    }
    if (text.empty() && (column.role == Role::kTarget || column.optional)) {
      row.emplace_back();
      continue;
    }
    auto cell = CanonicalCell(column, text, scratch);
    if (!cell.ok()) return Error{"bad_column", name + ": " + cell.error().detail};
    row.emplace_back(*cell);
  }
  return row;
}

Status CheckGivenColumns(const Family& family, const ShapeOptions& options) {
  for (const auto& [name, value] : options.columns) {
    if (std::ranges::find(family.untuned_columns, name) != family.untuned_columns.end()) continue;
    return Error{"bad_column",
                 fmt::format("{} is no column of the untuned table of {}", name, family.name)};
  }
  return Ok();
}

}  // namespace

Result<std::vector<Projection>> Projections(const Model& model, std::int64_t tp) {
  if (tp < 1) return Error{"bad_tp", fmt::format("tp must be at least 1, not {}", tp)};
  Sharding sharding(model, tp);
  ProjectionList list;
  (model.kv_lora > 0 ? AddLatentAttention : AddAttention)(model, sharding, list);
  if (model.linear_value_heads > 0) AddDeltaNet(model, sharding, list);
  if (model.intermediate > 0) {
    AddFeedForward(model, sharding, model.intermediate, "intermediate_size", list);
  }
  if (model.shared_intermediate > 0) {
    AddFeedForward(model, sharding, model.shared_intermediate, "features of shared experts", list);
  }
  if (!sharding.complaint().empty()) return Error{"bad_tp", sharding.complaint()};
  return list.Take();
}

Result<std::vector<std::int64_t>> GridOf(const Family& family, std::string_view grid) {
  const std::int64_t max =
      family.lookup.m == kNoColumn ? kPow2Limit : family.columns[family.lookup.m].max;
  if (grid != "gl0" && grid != "pow2") return ListedGrid(grid, max);
  std::set<std::int64_t> points;
  if (grid == "pow2") {
    for (std::int64_t m = 1; m <= kPow2Limit; m *= 2) points.insert(LookupM(family, m));
  } else {
    for (const std::int64_t m : kSmallM) points.insert(LookupM(family, m));
    for (std::int64_t m = 9; m <= kGl0Limit; ++m) {
      m = PaddedMGl0(m);
      points.insert(LookupM(family, m));
    }
  }
  return std::vector<std::int64_t>(points.begin(), points.end());
}

Result<std::vector<Shape>> ModelShapes(const Model& model, std::int64_t tp, const Family& family,
                                       std::span<const std::int64_t> grid,
                                       const ShapeOptions& options) {
  const bool gemm = family.metric.formula == "gemm" && family.metric.batch == kNoColumn;
  if ((!gemm && !IsMoe(family)) || family.lookup.m == kNoColumn) {
    return Error{"unsupported_family",
                 fmt::format("the shapes of {} do not follow from a model's figures", family.name)};
  }
  if (const Status given = CheckGivenColumns(family, options); !given.ok()) return given.error();
  if (tp < 1) return Error{"bad_tp", fmt::format("tp must be at least 1, not {}", tp)};
  auto products = gemm ? GemmDimensions(model, tp, family) : MoeDimensions(model, tp, options);
  if (!products.ok()) return products.error();
  const auto& columns = family.untuned_columns;
  const auto m_place = static_cast<std::size_t>(
      std::ranges::find(columns, family.columns[family.lookup.m].name) - columns.begin());
  std::vector<Shape> shapes;
  for (const Dimensions& product : *products) {
    auto row = RowOf(model, family, product, options);
    if (!row.ok()) return row.error();
    for (const std::int64_t m : grid) {
      shapes.push_back(*row);
      shapes.back().at(m_place) = std::to_string(m);
    }
  }
  return shapes;
}

}  // namespace tunehub::core
