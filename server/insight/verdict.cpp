#include "server/insight/verdict.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/analysis/model_coverage.h"
#include "core/base/hash.h"
#include "core/builds/manifest.h"
#include "core/shapes/model.h"
#include "core/shapes/products.h"
#include "core/table/table_writer.h"
#include "server/answers/shapes.h"
#include "server/tables/row_pages.h"
#include "server/tables/table_narrowing.h"

namespace tunehub::server {
namespace {

using ListJson = nlohmann::ordered_json;

// Adds one table's entries to the lists.
struct Listing {
  FamilyVerdict& verdict;
  VerdictLists& lists;

  void Add(Concern concern, const ListJson& item) {
    ListJson line = {{"family", verdict.family->name}};
    line.update(item);
    lists.at(static_cast<std::size_t>(concern)).push_back(std::move(line));
    ++verdict.counts[concern];
  }
};

bool IsOfRebuild(const ListJson& item) {
  return item.at("state") == core::Name(core::RowState::kRaisesUntilRebuild);
}

// Lists the rows that the build cannot run without a change, from the notes of FitRows.
// Precondition: `rows` are for a build.
void AddBuildRows(const FoundRows& rows, Listing& listing) {
  const ListJson& notes = rows.fitted.notes.members->at("build");
  for (ListJson item : notes.at("after_rebuild")) {
    item["state"] = core::Name(core::RowState::kAfterRebuild);
    item["in_table"] = true;
    listing.Add(Concern::kNeedsRebuild, item);
  }
  for (const ListJson& item : notes.at("substituted")) {
    listing.Add(Concern::kSubstituted, item);
    if (!IsOfRebuild(item)) continue;
    // The replaced row needs the rebuild.
    listing.Add(Concern::kNeedsRebuild, {{"row", item.at("instead_of")},
                                         {"state", item.at("state")},
                                         {"why", item.at("why")},
                                         {"in_table", false}});
  }
  for (const ListJson& item : notes.at("unfilled")) {
    listing.Add(Concern::kLeftOut, item);
    if (!IsOfRebuild(item)) continue;
    ListJson waiting = item;
    waiting["in_table"] = false;
    listing.Add(Concern::kNeedsRebuild, waiting);
  }
}

const char* WhyMissing(bool is_left_out) {
  return is_left_out ? "the row was left out, because this build cannot run it (see the rows that "
                       "are left out)"
                     : "neither this shape nor another M that the lookup would use is tuned, so "
                       "AITER runs its default";
}

// Explains that a row has another CU count, or other values in columns that the lookup does not
// compare. Returns "" if the row is the shape's own.
std::string WhyBorrowed(const core::Family& family, int cu_num, const core::FamilyShape& shape,
                        const lookup::LookupAnswer& answer, const TunedRow& row) {
  if (answer.without_cu_num) {
    return fmt::format("the row is for {} CUs, but the target has {}", row.cu_num, cu_num);
  }
  std::string why, scratch;
  const core::Cells cells = core::SplitLine(row.line, scratch);
  for (const std::size_t column : lookup::NotCompared(family, shape, row.line)) {
    if (shape.cells[column].empty()) continue;
    why += fmt::format(
        "{}the row is for {} {}, but the model needs {}, and the lookup does not compare this "
        "column",
        why.empty() ? "" : "; ", family.columns[column].name, cells[column], shape.cells[column]);
  }
  return why;
}

// Judges the model's shapes in one table.
analysis::BucketShare AddAskedShapes(const FoundRows& rows,
                                     const std::vector<core::ShapeDemand>& shapes,
                                     const core::Target& target, Listing& listing) {
  const core::Family& family = *rows.fitted.family;
  VerdictCounts& counts = listing.verdict.counts;
  const int cu_num = family.CuNumOf(target.cu_num);
  const lookup::Table table = LookupTable(rows.fitted), all = LookupTable(rows.selected);
  const RowsByLine by_line(rows.fitted.rows);
  std::optional<core::BuildFit> fit;
  if (rows.build != nullptr) fit.emplace(family, rows.build->manifest);
  std::string scratch;
  const analysis::Coverage covered = analysis::Cover(table, target.gfx, cu_num, shapes);
  counts.asked += static_cast<std::int64_t>(covered.shapes.size());
  for (const analysis::AnsweredShape& it : covered.shapes) {
    const core::FamilyShape& shape = shapes[it.index].shape;
    ListJson item = {{"shape", ShapeJson(family, shape)}};
    if (!it.answer.found()) {
      item["why"] = WhyMissing(all.Find(shape, target.gfx, cu_num).found());
      listing.Add(Concern::kMissing, item);
      continue;
    }
    const TunedRow& row = by_line.Of(table.rows()[it.answer.row]);
    item["row"] = RowJson(family, row);
    if (it.state == analysis::State::kUnmeasured) {
      item["why"] = "nobody has measured the row, so its time is not reliable";
      listing.Add(Concern::kUnmeasured, item);
    }
    if (it.state == analysis::State::kBaseline) ++counts.baseline;
    const bool waits = fit && fit->Judge(core::SplitLine(row.line, scratch)).state ==
                                  core::RowState::kAfterRebuild;
    if (waits) ++counts.waiting;
    if (auto why = WhyBorrowed(family, cu_num, shape, it.answer, row); !why.empty()) {
      item["why"] = std::move(why);
      listing.Add(Concern::kBorrowed, item);
    }
  }
  return covered.share;
}

// Collects the verdict, table by table.
class Judging {
 public:
  Judging(const Definitions& definitions, TunedTables& tables, CoverageService& coverage,
          const VerdictQuestion& question, const core::Model& model)
      : definitions_(definitions),
        tables_(tables),
        coverage_(coverage),
        question_(question),
        model_(model),
        scheme_(question.model.options.dtype) {
    const auto plan = core::ProductsOf(model, {.tp = question.model.tp, .scheme = scheme_});
    if (scheme_.empty()) scheme_ = model.quantization.scheme;
    if (plan.ok()) products_ = plan->products;  // AddShapes refuses models that cannot be split
    verdict_.lists.fill(ListJson::array());
    verdict_.notes = core::NotesOf(model);
    verdict_.is_stored_known = model.doubts.empty();
    if (EngineDecides() && verdict_.is_stored_known) verdict_.share.emplace();
  }

  // Call this first. Refuses a model that cannot be split over the request's number of GPUs, even
  // if the engine reads no table.
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
    query->json = true;  // then the notes list each row that waits for a rebuild
    auto rows = tables_.Rows(family, *query);
    if (!rows.ok()) return rows.error();
    FamilyVerdict one{&family, {}, {}, JudgedOf(family)};
    one.counts.rows = static_cast<std::int64_t>(rows->fitted.rows.size());
    Listing listing{one, verdict_.lists};
    if (rows->build != nullptr) AddBuildRows(*rows, listing);
    if (one.judged.is) {
      if (const auto asked = AddShapes(family, *rows, listing); !asked.ok()) return asked;
    }
    if (one.counts.rows > 0) {
      query->json = false;
      const auto served = tables_.Get(family, *query, Encoding::kIdentity);
      if (!served.ok()) return served.error();
      one.sha256 = served->table->sha256;
    }
    const bool said = one.counts.rows > 0 || one.counts.asked > 0 || !rows->selected.rows.empty() ||
                      !one.judged.stored_as.empty();
    if (!said) return core::Ok();
    if (one.judged.is && one.counts.asked > 0 && one.counts.rows == 0) {
      one.judged.why += "; this table has no tuned row";
    }
    verdict_.counts.Add(one.counts);
    verdict_.families.push_back(std::move(one));
    return core::Ok();
  }

  Verdict Done() {
    for (const auto& [name, value] : question_.tables) {
      if (name == "build") verdict_.build = value;
    }
    return std::move(verdict_);
  }

 private:
  // True if the verdict judges only the families whose tables the engine reads. A named family is
  // always judged.
  bool EngineDecides() const { return question_.engine != nullptr && question_.family == nullptr; }

  analysis::ModelQuestion Asked() const {
    analysis::ModelQuestion asked{model_, question_.model.tp, question_.model.grid,
                                  analysis::kDefaultMaxM, question_.model.options};
    asked.options.gfx = question_.target.gfx;
    asked.options = core::ServedBy(std::move(asked.options),
                                   EngineDecides() ? question_.engine : nullptr, question_.rocm);
    return asked;
  }

  // A named family is always judged. Without an engine, every family is judged.
  Judged JudgedOf(const core::Family& family) const {
    if (question_.family != nullptr) return {true, "the request names this table", {}};
    if (question_.engine == nullptr)
      return {true, "the request names no engine, so every table is judged", {}};
    const core::EngineReads& engine = *question_.engine;
    const std::string& gfx = question_.target.gfx;
    for (const core::ModelProduct& it : products_) {
      const core::ReadRule* const rule = engine.RuleFor(it.kind, it.scheme, gfx, question_.rocm);
      if (rule == nullptr || rule->family != family.name) continue;
      return {true,
              fmt::format("{} reads this table for {} matrix products stored as {}", engine.title,
                          core::Name(it.kind), it.scheme),
              {}};
    }
    std::vector<std::string> schemes = engine.SchemesOf(family.name, gfx, question_.rocm);
    std::string why =
        schemes.empty()
            ? fmt::format("{} does not read this table for this model", engine.title)
            : fmt::format(
                  "{} reads this table for models stored as {}, but this model is stored as {}",
                  engine.title, fmt::join(schemes, " or "), scheme_);
    return {false, std::move(why), std::move(schemes)};
  }

  core::Status AddShapes(const core::Family& family, const FoundRows& rows, Listing& listing) {
    if (!coverage_.CanRun(family, question_.target)) return core::Ok();
    const auto shapes = analysis::ShapesOfModel(Asked(), definitions_.targets, *rows.fitted.family,
                                                question_.target.gfx);
    if (!shapes.ok()) return analysis::IsNoPart(shapes.error()) ? core::Ok() : shapes.error();
    const auto share = AddAskedShapes(rows, *shapes, question_.target, listing);
    if (verdict_.share) verdict_.share->Add(share);
    return core::Ok();
  }

  const Definitions& definitions_;
  TunedTables& tables_;
  CoverageService& coverage_;
  const VerdictQuestion& question_;
  const core::Model& model_;
  std::string scheme_;
  std::vector<core::ModelProduct> products_;
  Verdict verdict_;
};

}  // namespace

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
    if (family->env.empty()) continue;  // a bundle has no table of it
    if (question.family != nullptr && question.family != family.get()) continue;
    if (core::Status added = judging.Add(*family); !added.ok()) return added.error();
  }
  return judging.Done();
}

}  // namespace tunehub::server
