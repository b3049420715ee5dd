#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "core/base/hash.h"
#include "core/base/read_json.h"
#include "core/shapes/known_models.h"
#include "core/shapes/products.h"
#include "server/insight/coverage.h"
#include "server/insight/trends.h"
#include "server/snapshots/revision_store.h"

namespace tunehub::server {

core::Result<RegistryState> RegistryStates::At(const core::Pin& revision) {
  RegistryState state;
  for (const auto& family : definitions_.families.all()) {
    const std::int16_t id = definitions_.Id(*family);
    const auto head = RevisionStore(pool_).ReadPastHead(id, revision);
    if (!head.ok()) return head.error();
    const core::Pin& of = head->family_revision;
    Table now;
    if (tables_ != nullptr && tables_->Reads(*family)) now = tables_->Current(*family);
    if (now != nullptr && !now->snapshot->is_behind() &&
        now->snapshot->revision.number == of.number &&
        (of.number == 0 || now->snapshot->revision == of)) {
      state.push_back(std::move(now));
      continue;
    }
    auto read = Read(*family, revision, of, now);
    if (!read.ok()) return read.error();
    state.push_back(*std::move(read));
  }
  return state;
}

core::Result<RegistryStates::Table> RegistryStates::Read(const core::Family& family,
                                                         const core::Pin& revision,
                                                         const core::Pin& family_revision,
                                                         const Table& now) {
  const std::int16_t id = definitions_.Id(family);
  Table& known = read_[id];
  if (known != nullptr && known->snapshot->revision == family_revision) return known;
  auto past = RevisionStore(pool_).ReadPast(id, revision);
  if (!past.ok()) return past.error();
  auto snapshot = std::make_shared<FamilySnapshot>();
  snapshot->family = &family;
  snapshot->id = id;
  snapshot->revision = family_revision;
  try {
    versions_.Learn(id);
    snapshot->rows = RowsOfPast(family, id, std::move(past->rows), versions_, definitions_.targets);
  } catch (const std::runtime_error& error) {
    return core::Error{"unread_lines", error.what()};
  }
  if (now != nullptr) {
    SharedRows shared(*now->snapshot);
    for (auto& row : snapshot->rows) row = shared.Find(row);
  }
  known = MakeDispatchTable(std::move(snapshot));
  return known;
}

namespace {

constexpr char kEngines[] = "engines.json";
constexpr int kSplits[] = {8, 4, 2, 1};  // GPUs within a node

int SplitOf(const core::Model& model) {
  for (const int tp : kSplits) {
    const auto plan = core::ProductsOf(model, {tp});
    if (plan.ok() && plan->Refusal() == nullptr) return tp;
  }
  return 0;
}

}  // namespace

ModelFiles ParseModelFiles(std::string text) {
  ModelFiles files{std::move(text), "", {}, nullptr};
  files.sha256 = core::Sha256Hex(files.text);
  const nlohmann::json all = core::SureJson(files.text);
  for (const auto& [name, file] : all.items()) {
    if (name == kEngines) {
      auto engines = core::ParseEngineReads(name, file.get<std::string>());
      if (!engines.ok() || engines->empty()) continue;  // the server does not start with this file
      files.engine = std::make_shared<const core::EngineReads>(std::move(engines->front()));
      continue;
    }
    auto models = core::ParseModelFile(name, file.get<std::string>());
    if (!models.ok()) continue;  // a request that names the model gets the error
    for (core::Model& model : *models) {
      const int tp = SplitOf(model);
      if (tp > 0) files.models.push_back({std::move(model), tp});
    }
  }
  return files;
}

ModelFiles ReadModelFiles(const std::filesystem::path& folder) {
  const core::TextFolder models = folder, configs = folder.parent_path();
  nlohmann::json all = nlohmann::json::object();
  for (const std::string& name : core::ModelNames(models))
    all[name] = models.Read(name + ".json").value_or("");
  if (auto engines = configs.Read(kEngines)) all[kEngines] = *std::move(engines);
  return ParseModelFiles(all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

namespace {

PointModel PointOf(const SplitModel& model, const core::Target& target,
                   const analysis::BucketShare& share) {
  const analysis::Counts& counts = share.totals();
  const auto of = [&](analysis::State state) {
    return counts.of.at(static_cast<std::size_t>(state));
  };
  const int buckets = static_cast<int>(share.buckets());
  return {model.model.name,
          target.gfx,
          target.cu_num,
          static_cast<int>(model.tp),
          buckets,
          share.covered() * buckets,
          counts.shapes(),
          counts.covered(),
          of(analysis::State::kBaseline),
          of(analysis::State::kUnmeasured),
          of(analysis::State::kMissing)};
}

}  // namespace

void PointMaker::AddModels(const ModelFiles& models, const RegistryState& state, PointRows& point) {
  TargetPlaces targets;
  for (const auto& table : state) {
    if (HasTargets(table->table.family()))
      targets.insert(table->targets.begin(), table->targets.end());
  }
  std::erase_if(targets, [](const auto& it) { return it.second == 0; });
  const auto read = [&]() -> const SplitModels& { return models.models; };
  for (const auto& [gfx, cu_num] : targets) {
    const core::Target target{gfx, cu_num};
    std::vector<analysis::BucketShare> shares(models.models.size());
    for (const auto& table : state) {
      if (!HasTargets(table->table.family()) ||
          !CanRun(definitions_.targets, *table->snapshot, target)) {
        continue;
      }
      for (const ModelPart& part : *parts_.Of(*table, target, {{models.engine.get()}}, read))
        shares[part.place].Add(part.share);
    }
    for (std::size_t i = 0; i < shares.size(); ++i) {
      PointModel of = PointOf(models.models[i], target, shares[i]);
      if (of.is_there()) point.models.push_back(std::move(of));
    }
  }
}

PointRows PointMaker::Make(const ModelFiles& models, const RegistryState& state) {
  const std::lock_guard lock(mutex_);
  if (models_ != models.sha256) parts_.Forget();
  models_ = models.sha256;
  PointRows point;
  AddModels(models, state, point);
  for (const auto& table : state) {
    const FamilySnapshot& of = *table->snapshot;
    if (of.revision.number == 0) continue;
    Figures& known = figures_[of.id];
    if (known.revision != of.revision) {
      known.rows = PointStore(pool_).ReadFamilies(of.id, of.revision.number,
                                                  of.family->engine != core::kNoColumn);
      known.revision = of.revision;
    }
    point.families.insert(point.families.end(), known.rows.begin(), known.rows.end());
  }
  std::ranges::sort(point.models, {}, &PointModel::place);
  std::ranges::sort(point.families, {}, &PointFamily::place);
  return point;
}

}  // namespace tunehub::server
