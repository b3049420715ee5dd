#include "server/insight/overview.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unordered_map>

#include "core/analysis/statistics.h"
#include "core/shapes/products.h"
#include "core/table/table_writer.h"
#include "server/snapshots/revision_store.h"

namespace tunehub::server {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kUsualTp = 8;  // the GPUs of one node; the page's default
constexpr auto kPause = 2s;           // the shortest interval between overviews while agents push
// pauses for 9 times the duration of an overview, so that overviews use a tenth of a core
constexpr int kRest = 9;

// Targets with products come first, in the order of devices.json. Then the other targets follow, by
// gfx.
std::vector<OverviewTarget> TargetsOf(const Definitions& definitions, DispatchTables& tables) {
  TargetPlaces found;
  for (const auto& family : definitions.families.all()) {
    if (!HasTargets(*family) || !tables.Reads(*family)) continue;
    const auto table = tables.Current(*family);
    found.insert(table->targets.begin(), table->targets.end());
  }
  const core::Devices& devices = definitions.targets.devices();
  std::vector<OverviewTarget> targets;
  for (const auto& [gfx, cu_num] : found) {
    if (cu_num == 0) continue;
    std::vector<const core::Device*> products = devices.Of(gfx, cu_num);
    std::erase_if(products, [](const core::Device* it) { return it->product.empty(); });
    targets.push_back({{gfx, cu_num}, std::move(products)});
  }
  const auto place = [&](const OverviewTarget& it) {
    const auto& all = devices.all();
    return it.products.empty() ? all.size()
                               : static_cast<std::size_t>(it.products.front() - all.data());
  };
  std::ranges::stable_sort(targets, {}, place);
  return targets;
}

OverviewModel Described(const core::Model& model, std::int64_t tp, const core::EngineReads* engine,
                        std::size_t targets) {
  core::Parallelism parallelism{tp};
  if (engine != nullptr) parallelism.engine = engine->name;
  const auto plan = core::ProductsOf(model, parallelism);
  std::string refused;
  if (!plan.ok()) {
    refused = plan.error().detail;
  } else if (const auto it = std::ranges::find(plan->findings, true, &core::SplitFinding::refused);
             it != plan->findings.end()) {
    refused = it->detail;
  } else if (!model.doubts.empty()) {
    refused = model.doubts.front();
  }
  return {model.name, model.title, model.quantization.scheme, std::move(refused),
          std::vector<OverviewCell>(targets)};
}

// Finds the cells of an overview for a key.
class OverviewCells {
 public:
  explicit OverviewCells(OverviewTable& table) : table_(table) {
    for (std::size_t i = 0; i < table.models.size(); ++i)
      models_[fmt::format("{} TP{}", table.models[i].name, table.tp)] = i;
  }

  // Visits the cells of the models that use the key and read its family on the target. `models`:
  // see analysis::SpeedupKey.
  template <typename Use>
  void Each(std::string_view family, std::string_view gfx, int cu_num,
            const std::vector<std::string>* models, Use use) {
    if (models == nullptr) return;
    const auto reads = [&](const core::Family* it) { return it->name == family; };
    for (const std::string& name : *models) {
      const auto model = models_.find(name);
      if (model == models_.end()) continue;
      std::vector<OverviewCell>& cells = table_.models[model->second].cells;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const core::Target& target = table_.targets[i].target;
        // A row without a CU count counts for each target of its gfx, as in /speedups.
        const bool is_there = target.gfx == gfx && (cu_num == 0 || target.cu_num == cu_num);
        if (is_there && std::ranges::any_of(cells[i].tables, reads)) use(cells[i]);
      }
    }
  }

 private:
  OverviewTable& table_;
  std::map<std::string, std::size_t> models_;  // "qwen3-32b TP8"
};

}  // namespace

// Demand and the changes of the last week vary without a new revision, so the answer expires.
Overview::Overview(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
                   DispatchTables& tables, Speedups& speedups)
    : definitions_(definitions),
      pool_(pool),
      snapshots_(snapshots),
      tables_(tables),
      speedups_(speedups),
      demand_(definitions, pool),
      parts_(definitions),
      made_({.fresh = 1min,
             .patience = 5s,
             .first_patience = 60s,
             .most = 16,
             .unfinished = "the overview is being computed"}),
      slower_({.fresh = 1min,
               .patience = 5s,
               .first_patience = 60s,
               .most = 1,
               .unfinished = "the slower rows are being computed"}) {}

void Overview::AddParts(const SplitModels& models, OverviewTable& table) {
  const auto read = [&]() -> const SplitModels& { return models; };
  const ServedSplit split{{table.engine}, table.tp};
  for (const auto& family : definitions_.families.all()) {
    if (!HasTargets(*family) || !snapshots_.Reads(*family)) continue;
    const auto rows = tables_.Current(*family);
    for (std::size_t i = 0; i < table.targets.size(); ++i) {
      const core::Target& target = table.targets[i].target;
      if (!CanRun(definitions_.targets, *rows->snapshot, target)) continue;
      const auto parts = parts_.Of(*rows, target, split, read, demand_.Of(*family, target));
      for (const ModelPart& part : *parts) {
        OverviewModel& model = table.models[part.place];
        if (!model.refused.empty()) continue;
        OverviewCell& cell = model.cells[i];
        cell.share.Add(part.share);
        cell.untuned.Add(part.untuned);
        cell.tables.push_back(family.get());
      }
    }
  }
}

void Overview::AddSpeedups(OverviewTable& table) {
  OverviewCells cells(table);
  const SpeedupAnswer answer = speedups_.Get({.families = snapshots_.Timed()});
  for (const analysis::SpeedupKey* key : answer.keys) {
    if (!key->has_default()) continue;
    cells.Each(key->family, key->gfx, key->cu_num, key->models, [&](OverviewCell& cell) {
      ++cell.measured;
      cell.log_speedups += std::log(key->default_us / key->tuned_us);
    });
  }
}

SlowedRows Overview::FindSlower() {
  std::map<std::int16_t, std::unordered_map<core::Hash128, double, core::Hash128Hasher>> earlier;
  for (const auto& it : RevisionStore(pool_).ListEarlierTimes(kOverviewDays)) {
    earlier[it.family].emplace(it.key, it.us);
  }
  SlowedRows slower;
  for (const auto& family : definitions_.families.all()) {
    const auto replaced = earlier.find(definitions_.Id(*family));
    if (replaced == earlier.end() || !snapshots_.Reads(*family)) continue;
    const auto snapshot = snapshots_.Current(*family);  // owns the rows during the loop
    for (const auto& row : snapshot->rows) {
      const auto then = replaced->second.find(row->key);
      if (then == replaced->second.end() || !row->by_default() ||
          row->standing != core::Standing::kMeasured ||
          analysis::ChangeOfTimes(then->second, row->us, {}) != analysis::Change::kSlower) {
        continue;
      }
      slower[family.get()].push_back(row);
    }
  }
  return slower;
}

std::shared_ptr<const SlowedRows> Overview::Slower() {
  const auto state = [&] { return snapshots_.Current()->State(); };
  return slower_.Get(kOverviewDays, snapshots_.stale(), state, [&] { return FindSlower(); });
}

void Overview::AddSlower(OverviewTable& table) {
  OverviewCells cells(table);
  std::string scratch;
  const auto slower = Slower();
  for (const auto& [family, rows] : *slower) {
    for (const auto& row : rows) {
      const auto models = speedups_.ModelsOf(*family, row->gfx);
      cells.Each(family->name, row->gfx, row->cu_num,
                 models->Asking(*family, core::SplitLine(row->line, scratch)),
                 [](OverviewCell& cell) { ++cell.slower; });
    }
  }
}

OverviewTable Overview::Make(std::int64_t tp, const core::EngineReads* engine) {
  const auto set = snapshots_.Current();
  const SplitModels models = KnownModelsAt(definitions_, tp);
  OverviewTable table{set->revision, tp, engine, TargetsOf(definitions_, tables_), {}};
  for (const SplitModel& it : models)
    table.models.push_back(Described(it.model, tp, engine, table.targets.size()));
  AddParts(models, table);
  AddSpeedups(table);
  AddSlower(table);
  return table;
}

std::shared_ptr<const OverviewTable> Overview::Get(std::int64_t tp,
                                                   const core::EngineReads* engine) {
  const auto state = [&] { return snapshots_.Current()->State(); };
  // If the database does not respond, returns the last overview, and the route marks it as stale.
  return made_.Get({tp, engine}, snapshots_.stale(), state, [&] { return Make(tp, engine); });
}

bool Overview::HasNewest(std::int64_t tp) {
  const auto last = made_.Last({tp, definitions_.UsualEngine()});
  return last != nullptr && last->revision == snapshots_.Current()->revision;
}

void OverviewAhead::Start() {
  thread_.Wake();
  thread_.Start([this] {
    while (thread_.Await()) {
      const auto begun = std::chrono::steady_clock::now();
      try {
        overview_.Get(kUsualTp);
      } catch (const std::exception& error) {
        spdlog::debug("cannot compute the overview in advance: {}", error.what());
      }
      const auto took = std::chrono::steady_clock::now() - begun;
      if (!thread_.Pause(std::max<std::chrono::nanoseconds>(kPause, kRest * took))) return;
    }
  });
}

}  // namespace tunehub::server
