// A model's coverage: what an engine reads of AITER's tables for the model as it is stored, and how
// much of that a table answers. The pages, the server's answers and the agent all ask here.
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

// What a model makes of each pair of a coverage: which layer it is, and how much work.
struct PairLayer {
  std::string name;  // the first layer that makes it
  double flops = 0;  // core::FlopsPerToken of all that do
};

// By the cells of Coverage::columns.
using PairLayers = std::map<std::vector<std::string>, PairLayer>;

// Prefill in chunks of more tokens is rare, and the grid beyond it has most of its points.
inline constexpr std::int64_t kDefaultMaxM = 16'384;

struct ModelQuestion {
  const core::Model& model;
  std::int64_t tp = 1;
  std::string grid = "gl0";           // core::GridOf
  std::int64_t max_m = kDefaultMaxM;  // of the named grids; a list is taken whole
  core::ShapeOptions options = {};    // its fnuz and gfx are the target's
};

// Errors: those of core::GridOf and core::ModelShapes; bad_grid where max_m leaves no point.
core::Result<std::vector<core::ShapeDemand>> ShapesOfModel(ModelQuestion question,
                                                           const core::Targets& targets,
                                                           const core::Family& family,
                                                           std::string_view gfx);

// Whether the error says that the model has no part that asks the family.
bool IsNoPart(const core::Error& error);

// The layers behind the pairs of a coverage of this family; empty where nothing asks it.
PairLayers LayersOf(const ModelQuestion& question, const core::Family& family);

// A layer whose product no table of AITER's answers.
struct UnreadLayer {
  std::string layer;  // "lm_head"
  core::ProductKind of = core::ProductKind::kDense;
  std::string scheme;  // how its operands are stored
  std::string why;
};

struct ModelReads {
  std::vector<const core::Family*> tables;  // each read for some layer, in the families' order
  std::vector<UnreadLayer> unread;          // in the order of the layers, each once
};

// Precondition: the question is served by an engine (core::ServedBy). `can_run`: whether a table of
// the family is of any use on the GPU. Errors: bad_tp, bad_ep, bad_dp_attention.
core::Result<ModelReads> ReadsOf(const ModelQuestion& question, const core::Families& families,
                                 const std::function<bool(const core::Family&)>& can_run);

// Whether the architecture has the precision that the family multiplies in, as far as known.
bool HasPrecision(const core::Targets& targets, const core::Family& family, std::string_view gfx);

struct TablePart {
  std::vector<core::ShapeDemand> shapes;
  Coverage coverage;
};
// How often a shape was missed. Empty: nobody counted.
using DemandOf = std::function<std::int64_t(const core::FamilyShape&)>;

// What the model asks one table for, and what its lookup finds. `target`: that asks. Errors: those
// of ShapesOfModel.
core::Result<TablePart> CoverTable(const ModelQuestion& question, const core::Targets& targets,
                                   const lookup::Table& table, const core::Target& target,
                                   const DemandOf& demand = {});

// Gaps are ranked by it: work of the layers whose shapes no tuned row answers.
struct UntunedWork {
  double flops = 0;   // of a token: of each layer the share of its shapes that is not covered
  double missed = 0;  // the same, times how often shapes of that layer were missed

  void Add(const UntunedWork& other);
};
UntunedWork UntunedOf(const Coverage& coverage, const PairLayers& layers);

// {"covered", "exact", "covered_by_demand", "buckets", "shapes", "found", ...}
nlohmann::ordered_json ShareJson(const BucketShare& share);
// Of core::NotesOf: [{"code", "detail"}]
nlohmann::ordered_json NotesJson(const std::vector<core::SplitFinding>& notes);
// [{"layer", "of", "stored", "why"}]
nlohmann::ordered_json UnreadJson(const std::vector<UnreadLayer>& unread);

// {"family","columns","buckets","pairs","cells","headline","totals"}
nlohmann::ordered_json CoverageJson(const core::Family& family, const Coverage& coverage,
                                    const PairLayers& layers = {});

// The shape columns, then state, demand, and of the row that is found its step, padded column, time
// and kernels. `states`: which to write; empty: all.
std::string CoverageCsv(const lookup::Table& table, std::span<const core::ShapeDemand> shapes,
                        const Coverage& coverage, std::span<const State> states = {});

// One of the names of State; error bad_state, with those there are.
core::Result<State> ParseState(std::string_view name);

}  // namespace tunehub::analysis
