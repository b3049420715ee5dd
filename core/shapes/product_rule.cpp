#include "core/shapes/product_rule.h"

#include <algorithm>

#include "core/row/cell.h"
#include "core/shapes/padded_m.h"

namespace tunehub::core {
namespace {

// A rule without schemes is of whatever can be quantized.
bool Takes(const ProductRule& rule, const ModelProduct& product, std::string_view scheme) {
  if (rule.schemes.empty()) return product.convertible;
  return std::ranges::find(rule.schemes, scheme) != rule.schemes.end();
}

// A figure by its name in a rule; 0 where there is none.
std::int64_t FigureOf(std::string_view name, const ModelProduct& product, std::int64_t m) {
  if (name == "m") return m;
  if (name == "n") return product.n;
  if (name == "k" || name == "model") return product.k;
  if (name == "batch") return product.batch;
  if (name == "experts") return product.experts;
  if (name == "topk") return product.topk;
  if (name == "width") return product.width;
  if (name == "block_n") return product.block_n;
  return name == "block_k" ? product.block_k : 0;
}

std::string PlaceText(std::string_view place, const ModelProduct& product, std::int64_t m,
                      std::string_view device, std::string_view gfx) {
  if (place == "device") return std::string(device);
  if (place == "gfx") return std::string(gfx);
  if (place == "bucket") return "M_LEQ_" + std::to_string(PaddedMGl1(m, 0));
  const std::size_t colon = place.find(':');
  std::int64_t figure = FigureOf(place.substr(0, colon), product, m);
  if (colon != std::string_view::npos) {
    const std::int64_t multiple = ParseInt64(place.substr(colon + 1)).value_or(1);
    if (multiple > 0) figure = (figure + multiple - 1) / multiple * multiple;
  }
  return std::to_string(figure);
}

}  // namespace

std::vector<const ProductRule*> RulesOf(const Family& family, const ModelProduct& product,
                                        bool quantized, SchemeChoice choice) {
  std::vector<const ProductRule*> own, any;
  for (const ProductRule& rule : family.products) {
    if (rule.of != Name(product.kind)) continue;
    if (Takes(rule, product, product.scheme)) own.push_back(&rule);
    // A rule that writes a scheme's own words is wrong for any other.
    const bool could = product.convertible || Takes(rule, product, kBf16);
    if (could && rule.columns.empty()) any.push_back(&rule);
  }
  if (!own.empty() || (choice == SchemeChoice::kOwn && quantized)) return own;
  if (choice == SchemeChoice::kOwn && !product.convertible) return own;
  return any;
}

std::string Filled(std::string_view text, const ModelProduct& product, std::int64_t m,
                   std::string_view device, std::string_view gfx) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    filled += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) break;  // the loader has refused it
    filled += PlaceText(text.substr(open + 1, close - open - 1), product, m, device, gfx);
    text.remove_prefix(close + 1);
  }
  return filled;
}

}  // namespace tunehub::core
