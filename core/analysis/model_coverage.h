// A model's coverage: the AITER tables that an engine reads for the stored model, and the share of
// lookups that find tuned rows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/coverage.h"
#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/targets.h"
#include "core/shapes/model.h"
#include "core/shapes/model_shapes.h"

namespace tunehub::analysis {

// The layer and the work behind a pair (N and K) of a coverage.
struct PairLayer {
  std::string name;  // the first layer with this matrix product
  double flops = 0;  // the sum of core::FlopsPerToken over all layers with this matrix product
};

// The layer for the cells of Coverage::columns.
using PairLayers = std::map<std::vector<std::string>, PairLayer>;

// The default largest M. Prefill chunks with more tokens are rare.
inline constexpr std::int64_t kDefaultMaxM = 16'384;

struct ModelQuestion {
  const core::Model& model;
  std::int64_t tp = 1;
  std::string grid = "gl0";           // core::GridOf
  std::int64_t max_m = kDefaultMaxM;  // a limit for named grids, not for lists
  core::ShapeOptions options = {};    // the target overrides fnuz and gfx
};

// Errors: those of core::GridOf and core::ModelShapes; bad_grid if every M of the grid exceeds
// max_m.
core::Result<std::vector<core::ShapeDemand>> ShapesOfModel(ModelQuestion question,
                                                           const core::Targets& targets,
                                                           const core::Family& family,
                                                           std::string_view gfx);

// True if the error means that no part of the model reads the family.
bool IsNoPart(const core::Error& error);

// The layers of each pair in the family's coverage; empty if no layer reads the family.
PairLayers LayersOf(const ModelQuestion& question, const core::Family& family);

// A layer for which the engine reads none of AITER's tables.
struct UnreadLayer {
  std::string layer;  // "lm_head"
  core::ProductKind of = core::ProductKind::kDense;
  std::string scheme;  // how the layer's operands are stored: a scheme of quantization.h
  std::string why;
};

struct ModelReads {
  // tables that at least one layer reads, in the families' order
  std::vector<const core::Family*> tables;
  std::vector<UnreadLayer> unread;  // in the order of the layers, each once
};

// Precondition: the question names an engine (core::ServedBy). `can_run`: true if the GPU can run
// kernels of the family. Errors: bad_tp, bad_ep, bad_dp_attention.
core::Result<ModelReads> ReadsOf(const ModelQuestion& question, const core::Families& families,
                                 const std::function<bool(const core::Family&)>& can_run);

// True if the architecture supports the family's precision, or if that is unknown.
bool HasPrecision(const core::Targets& targets, const core::Family& family, std::string_view gfx);

struct TablePart {
  std::vector<core::ShapeDemand> shapes;
  Coverage coverage;
};
// Returns how often lookups missed a shape. An empty function: misses are not counted.
using DemandOf = std::function<std::int64_t(const core::FamilyShape&)>;

// The model's lookups in one table on `target`, and their results. Errors: as ShapesOfModel.
core::Result<TablePart> CoverTable(const ModelQuestion& question, const core::Targets& targets,
                                   const lookup::Table& table, const core::Target& target,
                                   const DemandOf& demand = {});

// The work without tuned rows. Reports rank missing tables by this work.
struct UntunedWork {
  double flops = 0;   // per token: the sum over layers of work * share of uncovered shapes
  double missed = 0;  // the sum over layers of their part of `flops` * misses of their shapes

  void Add(const UntunedWork& other);
};
UntunedWork UntunedOf(const Coverage& coverage, const PairLayers& layers);

// {"covered", "exact", "covered_by_demand", "buckets", "shapes", "found", ...}
nlohmann::ordered_json ShareJson(const BucketShare& share);
// From core::NotesOf: [{"code", "detail"}]
nlohmann::ordered_json NotesJson(const std::vector<core::SplitFinding>& notes);
// [{"code", "detail", "refused"}]
nlohmann::ordered_json FindingsJson(const std::vector<core::SplitFinding>& findings);
// [{"layer", "of", "stored", "why"}]
nlohmann::ordered_json UnreadJson(const std::vector<UnreadLayer>& unread);

// {"family","columns","buckets","pairs","cells","headline","totals"}
nlohmann::ordered_json CoverageJson(const core::Family& family, const Coverage& coverage,
                                    const PairLayers& layers = {});

// Columns: the shape columns, state and demand. Then the found row's lookup step, padded column,
// time and kernels. `states`: the states to write; empty: all.
std::string CoverageCsv(const lookup::Table& table, std::span<const core::ShapeDemand> shapes,
                        const Coverage& coverage, std::span<const State> states = {});

// Parses a name of State. Errors: bad_state, which lists the names.
core::Result<State> ParseState(std::string_view name);

}  // namespace tunehub::analysis
