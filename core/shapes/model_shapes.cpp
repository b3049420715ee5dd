#include "core/shapes/model_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/shapes/shape.h"

namespace tunehub::core {
namespace {

// The end of GridOf's gl 0 grid, and AITER's last token tier.
constexpr std::int64_t kGl0Limit = 80'000;
constexpr std::int64_t kPow2Limit = 131'072;
constexpr std::int64_t kSmallM[] = {1, 2, 4, 8};

Error BadGrid(std::string_view grid, const std::string& reason) {
  return {"bad_grid", fmt::format("the list of M '{}' {}", Excerpt(grid), reason)};
}

Result<std::vector<std::int64_t>> ListedGrid(std::string_view grid, std::int64_t max) {
  std::vector<std::int64_t> points;
  for (const std::string_view item : SplitAfter(grid, ",")) {
    const auto m = ParseInt64(item);
    if (!m || *m < 1 || *m > max) {
      return BadGrid(grid, fmt::format("contains '{}'; expected gl0, pow2 or numbers from 1 to {}",
                                       Excerpt(item), max));
    }
    points.push_back(*m);
  }
  if (points.empty()) return BadGrid(grid, "has no value");
  return points;
}

// The cell of a dimension's column, which needs no rule; nullopt for another column.
std::optional<std::string> Dimension(const Family& family, std::size_t column,
                                     const ModelProduct& product) {
  if (product.kind != ProductKind::kExperts) {
    if (column == family.metric.n) return std::to_string(product.n);
    if (column == family.metric.k) return std::to_string(product.k);
    if (column == family.metric.batch) return std::to_string(product.batch);
    if (product.bias && family.columns[column].name == "bias") return "True";
    return std::nullopt;
  }
  const std::string& name = family.columns[column].name;
  if (name == "model_dim") return std::to_string(product.k);
  if (name == "inter_dim") return std::to_string(product.width);
  if (name == "expert") return std::to_string(product.experts);
  if (name == "topk") return std::to_string(product.topk);
  return std::nullopt;
}

// A lookup for one product, by one rule.
struct Asking {
  const Model& model;
  const Family& family;
  const ShapeOptions& options;  // its dtype is the product's
  const ModelProduct& product;
  const ProductRule& rule;
};

Result<std::string> CellText(const Asking& it, std::size_t column, std::int64_t m) {
  const std::string& name = it.family.columns[column].name;
  if (const auto given = it.options.columns.find(name); given != it.options.columns.end()) {
    return given->second;
  }
  if (const auto rule = it.rule.columns.find(name); rule != it.rule.columns.end()) {
    return Filled(rule->second, it.product, m, it.options.device, it.options.gfx);
  }
  if (column == MColumnOf(it.family)) return std::to_string(m);
  if (auto dimension = Dimension(it.family, column, it.product)) return *std::move(dimension);
  return DefaultOf(it.family.columns[column], it.family, it.model, it.options);
}

Result<Shape> RowOf(const Asking& it, std::int64_t m) {
  Shape row;
  Scratch scratch;
  for (const std::string& name : it.family.untuned_columns) {
    const std::size_t index = it.family.Find(name);
    const Column& column = it.family.columns[index];
    const auto text = CellText(it, index, m);
    if (!text.ok()) return text.error();
    if (text->empty() && (column.role == Role::kTarget || column.optional)) {
      row.emplace_back();
      continue;
    }
    auto cell = CanonicalCell(column, *text, scratch);
    if (!cell.ok()) return Error{"bad_column", name + ": " + cell.error().detail};
    row.emplace_back(*cell);
  }
  return row;
}

// True if other columns than M's also contain M.
bool HasWordsOfM(const Asking& it) {
  return std::ranges::any_of(it.rule.columns, [](const auto& column) {
    return column.second.find("{m") != std::string::npos ||
           column.second.find("{bucket}") != std::string::npos;
  });
}

// Two rules of one product may give the same row.
void AddProduct(AskedShape& shape, std::size_t product) {
  if (shape.products.back() != product) shape.products.push_back(product);
}

// The index of each row's first occurrence in the list of shapes.
using SeenRows = std::map<Shape, std::size_t>;

Status AddRows(const Asking& it, std::span<const std::int64_t> grid, std::size_t product,
               SeenRows& seen, std::vector<AskedShape>& shapes) {
  const auto& columns = it.family.untuned_columns;
  const std::size_t m_column = MColumnOf(it.family);
  const std::size_t m_place =
      m_column == kNoColumn
          ? columns.size()
          : static_cast<std::size_t>(std::ranges::find(columns, it.family.columns[m_column].name) -
                                     columns.begin());
  const bool each = HasWordsOfM(it) || m_place == columns.size();
  auto row = RowOf(it, grid.front());
  if (!row.ok()) return row.error();
  if (!each) {
    const auto [known, added] = seen.emplace(*row, shapes.size());
    if (!added) {
      for (std::size_t i = 0; i < grid.size(); ++i) AddProduct(shapes[known->second + i], product);
      return Ok();
    }
  }
  for (const std::int64_t m : grid) {
    if (each) {
      row = RowOf(it, m);
      if (!row.ok()) return row.error();
      const auto [known, added] = seen.emplace(*row, shapes.size());
      if (!added) {
        AddProduct(shapes[known->second], product);
        continue;
      }
    } else {
      (*row)[m_place] = std::to_string(m);
    }
    shapes.push_back({*row, m, {product}});
  }
  return Ok();
}

// Says why no product of the model reads the family.
Error NoProducts(const Model& model, const Family& family, const ProductPlan& plan) {
  std::set<std::string> kinds, taken, own;
  for (const ProductRule& rule : family.products) {
    kinds.insert(rule.of);
    taken.insert(rule.schemes.begin(), rule.schemes.end());
  }
  for (const ModelProduct& it : plan.products) {
    if (kinds.contains(std::string(Name(it.kind)))) own.insert(it.scheme);
  }
  if (own.empty() && kinds.contains("experts")) {
    return {"no_experts", model.name + " has no experts, because its layers are dense"};
  }
  if (own.empty()) {
    return {"no_products",
            fmt::format(
                "{} has no {} matrix product, but the family {} has only rows for these products",
                model.name, fmt::join(kinds, " or "), family.name)};
  }
  return {
      "no_products",
      fmt::format("{} is stored as {}, but the family {} is for {}; --dtype overrides the storage",
                  model.name, fmt::join(own, ", "), family.name, fmt::join(taken, ", "))};
}

Status CheckGivenColumns(const Family& family, const ShapeOptions& options) {
  for (const auto& [name, value] : options.columns) {
    if (std::ranges::find(family.untuned_columns, name) != family.untuned_columns.end()) continue;
    return Error{"bad_column", fmt::format("{}: expected a column of the untuned table of {}", name,
                                           family.name)};
  }
  return Ok();
}

Status CheckDevice(const Family& family, const ShapeOptions& options) {
  const bool by_device = std::ranges::any_of(family.products, [](const ProductRule& rule) {
    return std::ranges::any_of(rule.columns,
                               [](const auto& it) { return it.second == "{device}"; });
  });
  if (by_device && options.device.empty() && !options.columns.contains("device")) {
    return Error{"no_device", family.name + " needs a device's name; pass --device"};
  }
  return Ok();
}

// True if the engine reads the family's table for the product, or if there is no engine.
bool IsRead(const ModelProduct& product, const Family& family, const ShapeOptions& options) {
  if (options.reads == nullptr) return true;
  const ReadRule* const rule =
      options.reads->RuleFor(product.kind, product.scheme, options.gfx, options.rocm);
  return rule != nullptr && rule->family == family.name;
}

// Returns the options with each topk of EpTopks. Adds its note to the findings.
std::vector<ShapeOptions> ByTopk(const Family& family, const ModelProduct& product,
                                 const ShapeOptions& options, std::vector<SplitFinding>& findings) {
  SplitFinding note;
  const std::vector<std::int64_t> topks = EpTopks(family, product, options, note);
  if (!note.detail.empty()) findings.push_back(std::move(note));
  std::vector<ShapeOptions> all(std::max<std::size_t>(topks.size(), 1), options);
  for (std::size_t i = 0; i < topks.size(); ++i) all[i].columns["topk"] = std::to_string(topks[i]);
  return all;
}

// Adds the shapes of all products in out's plan, by their rules under `choice`.
Status AddShapes(const Model& model, const Family& family, std::span<const std::int64_t> grid,
                 const ShapeOptions& options, SchemeChoice choice, ShapesByProduct& out) {
  const bool is_served = options.reads != nullptr;
  const bool quantized = is_served || model.quantization.given || !options.dtype.empty();
  SeenRows seen;
  for (std::size_t i = 0; i < out.plan.products.size(); ++i) {
    const ModelProduct& product = out.plan.products[i];
    if (!IsRead(product, family, options)) continue;
    ShapeOptions its = options;
    if (is_served || (its.dtype.empty() && model.quantization.given)) its.dtype = product.scheme;
    const auto rules = RulesOf(family, product, quantized, choice);
    if (rules.empty()) continue;
    for (const ShapeOptions& asked : ByTopk(family, product, its, out.plan.findings)) {
      for (const ProductRule* rule : rules) {
        Status added = AddRows({model, family, asked, product, *rule}, grid, i, seen, out.shapes);
        if (!added.ok()) return added;
      }
    }
  }
  return Ok();
}

// Returns an error if a layer of the family's kinds has a product without a shape.
Status CheckNoneMissing(const Family& family, const ProductPlan& plan) {
  for (const ProductRule& rule : family.products) {
    for (const ProductKind kind :
         {ProductKind::kDense, ProductKind::kBatched, ProductKind::kExperts}) {
      const SplitFinding* const missing = rule.of == Name(kind) ? plan.Refusal(kind) : nullptr;
      if (missing != nullptr) return Error{missing->code, missing->detail};
    }
  }
  return Ok();
}

}  // namespace

Result<std::vector<std::int64_t>> GridOf(const Family& family, std::string_view grid) {
  const std::size_t column = MColumnOf(family);
  const std::int64_t max = column == kNoColumn ? kPow2Limit : family.columns[column].max;
  if (grid != "gl0" && grid != "pow2") return ListedGrid(grid, max);
  std::vector<std::int64_t> points;
  if (grid == "pow2") {
    for (std::int64_t m = 1; m <= kPow2Limit; m *= 2) points.push_back(LookupM(family, m));
  } else {
    for (const std::int64_t m : kSmallM) points.push_back(LookupM(family, m));
    for (std::int64_t m = 9; m <= kGl0Limit; ++m) {
      m = PaddedMGl0(m);
      points.push_back(LookupM(family, m));
    }
  }
  std::ranges::sort(points);
  points.erase(std::ranges::unique(points).begin(), points.end());
  return points;
}

ShapeOptions ServedBy(ShapeOptions options, const EngineReads* engine, std::string_view rocm) {
  options.schemes = SchemeChoice::kOwn;
  options.reads = engine;
  options.rocm = rocm;
  if (engine != nullptr) options.engine = engine->name;
  return options;
}

Result<ShapesByProduct> ShapesOfProducts(const Model& model, std::int64_t tp, const Family& family,
                                         std::span<const std::int64_t> grid,
                                         const ShapeOptions& options) {
  if (family.products.empty()) {
    return Error{
        "unsupported_family",
        fmt::format("the shapes of the family {} cannot be computed from a model", family.name)};
  }
  if (const Status given = CheckGivenColumns(family, options); !given.ok()) return given.error();
  if (const Status device = CheckDevice(family, options); !device.ok()) return device.error();
  ShapesByProduct out;
  auto plan = ProductsOf(model, {tp, options.ep, options.dp_attention, options.engine,
                                 options.dtype, options.fuse_shared_experts});
  if (!plan.ok()) return plan.error();
  out.plan = *std::move(plan);
  for (const SchemeChoice choice : {SchemeChoice::kOwn, SchemeChoice::kAny}) {
    if (choice != options.schemes && options.schemes != SchemeChoice::kOwnOrAny) continue;
    const Status added = AddShapes(model, family, grid, options, choice, out);
    if (!added.ok()) return added.error();
    if (!out.shapes.empty()) break;
  }
  if (options.reads != nullptr) {
    if (const SplitFinding* const refusal = out.plan.Refusal()) {
      return Error{refusal->code, refusal->detail};
    }
  }
  if (const Status all = CheckNoneMissing(family, out.plan); !all.ok()) return all.error();
  if (out.shapes.empty()) return NoProducts(model, family, out.plan);
  return out;
}

Result<std::vector<Shape>> ModelShapes(const Model& model, std::int64_t tp, const Family& family,
                                       std::span<const std::int64_t> grid,
                                       const ShapeOptions& options) {
  const auto all = ShapesOfProducts(model, tp, family, grid, options);
  if (!all.ok()) return all.error();
  return Mapped(all->shapes, &AskedShape::row);
}

}  // namespace tunehub::core
