#include "server/service/tables/judged_tables.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <utility>

namespace tunehub::service {

JudgedTables::JudgedTables(const VerdictQuestion& question, const core::Model& model)
    : question_(question), scheme_(question.model.options.dtype) {
  const auto plan = core::ProductsOf(model, {.tp = question.model.tp, .scheme = scheme_});
  if (scheme_.empty()) scheme_ = model.quantization.scheme;
  if (plan.ok()) products_ = plan->products;  // who cannot be split so is refused by its shapes
}

Judged JudgedTables::Of(const core::Family& family) const {
  if (question_.family != nullptr) return {true, "it is the table that was asked for", {}};
  if (question_.engine == nullptr) return {true, "no engine was named: every table is judged", {}};
  const core::EngineReads& engine = *question_.engine;
  const std::string& gfx = question_.target.gfx;
  for (const core::ModelProduct& it : products_) {
    const core::ReadRule* const rule = engine.RuleFor(it.kind, it.scheme, gfx, question_.rocm);
    if (rule == nullptr || rule->family != family.name) continue;
    return {true,
            fmt::format("{} reads it for {} products stored as {}", engine.title,
                        core::Name(it.kind), it.scheme),
            {}};
  }
  std::vector<std::string> schemes = engine.SchemesOf(family.name, gfx, question_.rocm);
  std::string why = schemes.empty()
                        ? fmt::format("{} does not read it for this model", engine.title)
                        : fmt::format("{} reads it for models stored as {}, and this one is {}",
                                      engine.title, fmt::join(schemes, " or "), scheme_);
  return {false, std::move(why), std::move(schemes)};
}

}  // namespace tunehub::service
