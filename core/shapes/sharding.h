// Figures of a model divided by GPUs, and what an engine would say about it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/shapes/products.h"

namespace tunehub::core {

class Sharding {
 public:
  Sharding(const Model& model, const Parallelism& parallelism);

  // GPUs that a split is over.
  std::int64_t attention() const { return attention_; }
  std::int64_t dense() const { return dense_; }  // dense layers, shared experts, lm_head
  std::int64_t width() const { return width_; }  // of one expert

  // `kind` and `layer` of what is divided from here on.
  void About(ProductKind kind, std::string layer);
  bool whole() const { return whole_; }  // since About

  std::int64_t Divide(std::int64_t figure, std::int64_t gpus, const char* name);
  // Heads that are split, or copied where there are fewer of them than GPUs.
  std::int64_t DivideOrCopy(std::int64_t heads, std::int64_t gpus, const char* name);

  // The check that vLLM and SGLang make of a weight in blocks or groups: parts of the output that
  // are joined to one weight, and the input where it is split.
  void CheckOutput(const ModelProduct& product, const std::vector<std::int64_t>& parts);
  void CheckInput(const ModelProduct& product, std::int64_t inputs);
  void CheckExperts();

  std::vector<SplitFinding> Take() { return std::move(findings_); }

 private:
  // About what is divided; each detail once.
  void Add(const char* code, std::string detail, bool refused, bool no_shape = false);
  void NoShape(std::int64_t figure, std::int64_t gpus, const char* name);

  const Model& model_;
  const Parallelism& parallelism_;
  std::int64_t attention_, dense_, width_;
  ProductKind kind_ = ProductKind::kDense;
  std::string layer_;
  bool whole_ = true;
  std::vector<SplitFinding> findings_;
};

}  // namespace tunehub::core
