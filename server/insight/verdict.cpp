#include "server/insight/verdict.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/model_question.h"
#include "core/base/sha256.h"
#include "core/builds/build_fit.h"
#include "core/shapes/model.h"
#include "core/shapes/products.h"
#include "core/table/table_writer.h"
#include "server/insight/verdict_lists.h"
#include "server/tables/table_narrowing.h"

namespace tunehub::server {
namespace {

// A family that the question names is judged, whoever reads it; without an engine every one is.
class JudgedTables {
 public:
  JudgedTables(const VerdictQuestion& question, const core::Model& model);

  Judged Of(const core::Family& family) const;

 private:
  const VerdictQuestion& question_;
  std::string scheme_;
  std::vector<core::ModelProduct> products_;
};

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

constexpr std::array<std::string_view, kConcerns> kConcernNames = {
    "missing", "unmeasured", "substituted", "left_out", "needs_rebuild", "borrowed"};
constexpr std::array<std::string_view, 4> kSafetyNames = {"safe", "not_safe", "nobody_checked",
                                                          "nothing_asked"};

// The verdict of one table after the other.
class Judging {
 public:
  Judging(const Definitions& definitions, TunedTables& tables, CoverageService& coverage,
          const VerdictQuestion& question, const core::Model& model)
      : definitions_(definitions),
        tables_(tables),
        coverage_(coverage),
        question_(question),
        model_(model),
        judged_(question, model) {
    verdict_.notes = core::NotesOf(model);
    verdict_.is_stored_known = model.doubts.empty();
    if (EngineDecides() && verdict_.is_stored_known) verdict_.share.emplace();
  }

  // Before the tables: a model that cannot be split so is refused, whatever its engine reads.
  core::Status CheckModel() {
    if (!EngineDecides()) return core::Ok();
    auto reads = analysis::ReadsOf(Asked(), definitions_.families, [&](const core::Family& it) {
      return coverage_.CanRun(it, question_.target);
    });
    if (!reads.ok()) return reads.error();
    verdict_.unread = std::move(reads->unread);
    return core::Ok();
  }

  core::Status Add(const core::Family& family) {
    auto query = BundleQuery(family, definitions_, question_.revision, question_.tables);
    if (!query.ok()) return query.error();
    query->json = true;  // the notes list each row that waits for a module
    auto rows = tables_.Rows(family, *query);
    if (!rows.ok()) return rows.error();
    FamilyVerdict one{&family, {}, {}, judged_.Of(family)};
    one.counts.rows = static_cast<std::int64_t>(rows->fitted.rows.size());
    if (rows->build != nullptr) AddBuildRows(family, *rows, lists_, one.counts);
    if (one.judged.is) {
      if (const auto asked = AddShapes(family, *rows, one.counts); !asked.ok()) return asked;
    }
    if (one.counts.rows > 0) {
      query->json = false;
      const auto served = tables_.Get(family, *query, Encoding::kIdentity);
      if (!served.ok()) return served.error();
      one.sha256 = served->table->sha256;
      sums_ += SumLine(family, one.sha256);
    }
    const bool said = one.counts.rows > 0 || one.counts.asked > 0 || !rows->selected.rows.empty() ||
                      !one.judged.stored_as.empty();
    if (!said) return core::Ok();
    if (one.judged.is && one.counts.asked > 0 && one.counts.rows == 0) {
      one.judged.why += "; nothing is tuned here";
    }
    verdict_.counts.Add(one.counts);
    verdict_.families.push_back(std::move(one));
    return core::Ok();
  }

  Verdict Done() {
    for (const auto& [name, value] : question_.tables) {
      if (name == "build") verdict_.build = value;
    }
    verdict_.sums_sha256 = core::Sha256Hex(sums_);
    verdict_.lists =
        std::make_shared<const std::array<nlohmann::ordered_json, kConcerns>>(std::move(lists_));
    return std::move(verdict_);
  }

 private:
  // Whether the engine decides: a family that the question names is judged whoever reads it.
  bool EngineDecides() const { return question_.engine != nullptr && question_.family == nullptr; }

  analysis::ModelQuestion Asked() const {
    analysis::ModelQuestion asked{model_, question_.model.tp, question_.model.grid,
                                  analysis::kDefaultMaxM, question_.model.options};
    asked.options.gfx = question_.target.gfx;
    asked.options = core::ServedBy(std::move(asked.options),
                                   EngineDecides() ? question_.engine : nullptr, question_.rocm);
    return asked;
  }

  core::Status AddShapes(const core::Family& family, const FoundRows& rows, VerdictCounts& counts) {
    if (!coverage_.CanRun(family, question_.target)) return core::Ok();
    const core::Family& version = *rows.fitted.family;
    const auto shapes =
        analysis::ShapesOfModel(Asked(), definitions_.targets, version, question_.target.gfx);
    if (!shapes.ok()) return analysis::IsNoPart(shapes.error()) ? core::Ok() : shapes.error();
    const int cu_num = version.cu_num == core::kNoColumn ? 0 : question_.target.cu_num;
    const ShapeLists lists{version, rows, *shapes, question_.target.gfx, cu_num};
    const auto share =
        lists.Add(LookupTable(rows.fitted), LookupTable(rows.selected), lists_, counts);
    if (verdict_.share) verdict_.share->Add(share);
    return core::Ok();
  }

  const Definitions& definitions_;
  TunedTables& tables_;
  CoverageService& coverage_;
  const VerdictQuestion& question_;
  const core::Model& model_;
  const JudgedTables judged_;
  VerdictLists lists_ = EmptyLists();
  std::string sums_;
  Verdict verdict_;
};

}  // namespace

std::string_view Name(Concern concern) {
  return kConcernNames.at(static_cast<std::size_t>(concern));
}

std::string_view Name(Safety safety) {
  return kSafetyNames.at(static_cast<std::size_t>(safety));
}

void VerdictCounts::Add(const VerdictCounts& other) {
  rows += other.rows;
  asked += other.asked;
  baseline += other.baseline;
  waiting += other.waiting;
  for (std::size_t i = 0; i < kConcerns; ++i) of[i] += other.of[i];
}

Safety Verdict::safety() const {
  if (counts.asked == 0) return Safety::kNothingAsked;
  if (counts[Concern::kMissing] + counts[Concern::kUnmeasured] > 0) return Safety::kNotSafe;
  return build.empty() || !is_stored_known ? Safety::kNobodyChecked : Safety::kSafe;
}

core::Result<Verdict> MakeVerdict(const Definitions& definitions, TunedTables& tables,
                                  CoverageService& coverage, VerdictQuestion question) {
  const auto model = ModelOf(definitions, question.model);
  if (!model.ok()) return model.error();
  if (core::Status status = PinBuild(tables, question.revision, question.tables); !status.ok()) {
    return status.error();
  }
  Judging judging(definitions, tables, coverage, question, *model);
  if (core::Status read = judging.CheckModel(); !read.ok()) return read.error();
  for (const auto& family : definitions.families.all()) {
    if (family->env.empty()) continue;  // no part of a bundle
    if (question.family != nullptr && question.family != family.get()) continue;
    if (core::Status added = judging.Add(*family); !added.ok()) return added.error();
  }
  return judging.Done();
}

}  // namespace tunehub::server
