// The GEMMs of one layer of a model, and what they are to be asked and run with.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/shapes/model_shapes.h"
#include "dispatch/tunehub_dispatch.h"
#include "examples/dispatch_gemms/options.h"
#include "kernels/problem.h"

namespace tunehub::example {

// Owners of what the library makes.
struct Close {
  void operator()(th_table* table) const { th_close(table); }
  void operator()(th_layer* layer) const { th_layer_close(layer); }
};
using Table = std::unique_ptr<th_table, Close>;
using Layer = std::unique_ptr<th_layer, Close>;

// What a code of the library means here. Errors: dispatch, with its sentence.
core::Status Checked(th_code code);

// Errors: bad_gemm, those of LoadModel and Projections.
core::Result<std::vector<core::Projection>> GemmsOf(const Options& options,
                                                    const std::filesystem::path& configs);

// Of every GEMM. `gfx` "": the current GPU. Errors: dispatch.
core::Result<std::vector<Layer>> OpenLayers(const th_table& table, const Options& options,
                                            const std::vector<core::Projection>& gemms);

// What the kernels compute at m, to make operands of; `fnuz`: the GPU's fp8 is e4m3fnuz. Errors:
// those of core::MakeShape and ReadProblem.
core::Result<kernels::Problem> ProblemOf(const core::Family& family, bool fnuz,
                                         const Options& options, const core::Projection& gemm,
                                         int m);

// Where families/ and models/ are. Errors: no_configs.
core::Result<std::filesystem::path> ConfigsOf(const Options& options);

}  // namespace tunehub::example
