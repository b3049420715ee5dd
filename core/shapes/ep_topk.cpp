#include "core/shapes/ep_topk.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace tunehub::core {
namespace {

// By the first rule that holds of each engine: of options' alone, where there are rules of it.
std::vector<std::int64_t> AddedBy(const Family& family, const ShapeOptions& options,
                                  std::int64_t topk) {
  std::vector<std::int64_t> of_all;
  std::set<std::string> engines;
  for (const EpRule& rule : family.lookup.ep) {
    const bool holds =
        options.aiter.empty() || VersionNumbers(options.aiter) >= VersionNumbers(rule.aiter_from);
    if (!holds || !engines.insert(rule.engine).second) continue;
    std::vector<std::int64_t> added = options.fuse_shared_experts ? rule.fused : rule.routed;
    if (added.empty()) added.push_back(-1 - topk);
    if (rule.engine == options.engine) return added;
    for (const std::int64_t it : added) {
      if (std::ranges::find(of_all, it) == of_all.end()) of_all.push_back(it);
    }
  }
  return of_all;
}

}  // namespace

std::vector<std::int64_t> EpTopks(const Family& family, const ModelProduct& product,
                                  const ShapeOptions& options, SplitFinding& note) {
  std::vector<std::int64_t> topks;
  if (product.kind != ProductKind::kExperts || options.ep == 1 || family.lookup.ep.empty() ||
      options.columns.contains("topk"))
    return topks;
  std::vector<std::int64_t> impossible;
  for (const std::int64_t it : AddedBy(family, options, product.topk)) {
    const std::int64_t topk = product.topk + it;
    (topk < family.columns[family.Find("topk")].min ? impossible : topks).push_back(topk);
  }
  note.code = "ep_topk";
  note.kind = ProductKind::kExperts;
  note.layer = product.layer;
  note.detail = fmt::format(
      "under ep {} AITER {} looks experts up by topk {} and the {} experts of one GPU, without ep "
      "by "
      "topk {}",
      options.ep, options.aiter.empty() ? "as it is now" : options.aiter,
      fmt::join(impossible.empty() ? topks : impossible, " or "), product.experts, product.topk);
  if (topks.size() > 1) note.detail += "; all are listed, since which one is not known";
  if (!impossible.empty()) note.detail += "; no row can have that";
  return topks;
}

}  // namespace tunehub::core
