#include "agent/daemon/moe_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>

#include "agent/engines/engine_environment.h"
#include "agent/engines/found_rows.h"
#include "core/row/cell.h"
#include "core/shapes/known_models.h"

namespace tunehub::agent::daemon {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMoeFamily = "triton_fused_moe";
// What of a key a model and its split decide.
constexpr const char* kOfModel[] = {"E", "N", "dtype", "block_n", "block_k"};
// What no script tunes but as it stands here.
constexpr std::pair<const char*, const char*> kFixed[] = {
    {"per_channel_quant", "0"}, {"down", "0"}, {"backend", ""}};
constexpr std::int64_t kAnyM[] = {1};

tuning::Columns ModelKey(const tuning::Columns& shape) {
  tuning::Columns key;
  for (const char* column : kOfModel) key[column] = shape.at(column);
  return key;
}

// "triton_3_4_0" -> "3.4.0"
std::string VersionOfFolder(std::string folder) {
  folder.erase(0, folder.find('_') + 1);
  std::ranges::replace(folder, '_', '.');
  return folder;
}

}  // namespace

core::Status MoeJobs::AddModel(const std::string& name, const core::Family& family) {
  std::error_code error;
  const fs::path path =
      fs::is_directory(name, error) ? fs::path(name) / "config.json" : fs::path(name);
  const bool is_file = fs::exists(path, error);
  const std::string asked = is_file ? fs::absolute(path).lexically_normal().string() : name;
  const auto model = core::LoadModel(configuration_.models, asked);
  if (!model.ok()) return model.error();
  core::ShapeOptions shapes;
  shapes.engine = options_.tuner;
  shapes.device = "any";
  shapes.schemes = core::SchemeChoice::kOwn;
  for (const int tp : options_.tps) {
    for (const int ep : options_.eps) {
      const engines::EngineWork work{path.string(), "", tp, ep == 1 ? 0 : ep, {}};
      if (!engines::CheckEngineWork(*script_, work).ok()) continue;
      shapes.ep = ep;
      AddSetups(*model, family, shapes, work);
    }
  }
  return core::Ok();
}

void MoeJobs::AddSetups(const core::Model& model, const core::Family& family,
                        const core::ShapeOptions& shapes, const engines::EngineWork& work) {
  const auto rows = core::ModelShapes(model, work.tp, family, kAnyM, shapes);
  if (!rows.ok()) return;
  for (const core::Shape& cells : *rows) {
    tuning::Columns row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[family.untuned_columns[i]] = cells[i];
    // The scripts read the blocks from a quantised model's config.
    const bool made_up = row["block_n"] != "0" && !model.quantization.given;
    if (row["engine"] == options_.tuner && !made_up) AddSetup(row, work);
  }
}

void MoeJobs::AddSetup(const tuning::Columns& row, const engines::EngineWork& work) {
  MoeSetup setup{work, ModelKey(row)};
  const std::string& dtype = row.at("dtype");
  setup.work.dtype = dtype.empty() ? "auto" : dtype;
  const bool known =
      std::ranges::any_of(setups_, [&](const MoeSetup& it) { return it.key == setup.key; });
  if (!known) setups_.push_back(std::move(setup));
}

core::Result<std::unique_ptr<MoeJobs>> MoeJobs::Open(MoeOptions options,
                                                     const Configuration& configuration,
                                                     tuning::DeviceInfo device) {
  std::unique_ptr<MoeJobs> jobs(new MoeJobs(std::move(options), configuration, std::move(device)));
  const auto family = configuration.families.Named(kMoeFamily);
  if (!family.ok()) return family.error();
  const MoeOptions& opened = jobs->options_;
  jobs->script_ = engines::FindEngineScript(opened.tuner, kMoeFamily);
  const fs::path script = opened.settings.root / jobs->script_->path;
  std::error_code error;
  if (!fs::is_regular_file(script, error)) {
    return core::Error{
        "no_script", fmt::format("--engine {}: no checkout of {}, which has {}",
                                 opened.settings.root.string(), opened.tuner, jobs->script_->path)};
  }
  auto read = engines::FileRowsOf(configuration, *jobs->script_);
  if (!read.ok()) return read.error();
  jobs->read_ = *std::move(read);
  if (opened.tuner == "sglang") {
    const auto folder = engines::TritonFolderOf(opened.settings.python);
    if (!folder.ok()) return folder.error();
    jobs->triton_ = VersionOfFolder(*folder);
  }
  for (const std::string& model : opened.models) {
    if (auto added = jobs->AddModel(model, **family); !added.ok()) return added.error();
  }
  if (jobs->setups_.empty()) {
    return core::Error{"no_setup",
                       fmt::format("no --model ({}) has experts that --tp {} --ep {} "
                                   "can split for {}'s script",
                                   fmt::join(opened.models, ", "), fmt::join(opened.tps, ","),
                                   fmt::join(opened.eps, ","), opened.tuner)};
  }
  return jobs;
}

std::string MoeJobs::WhyNot(const tuning::Columns& shape) const {
  if (shape.at("engine") != options_.tuner) return "it is " + shape.at("engine") + "'s";
  if (shape.at("triton") != triton_) {
    return fmt::format("it is for Triton {}, and python3 has {}", shape.at("triton"), triton_);
  }
  for (const auto& [column, value] : kFixed) {
    if (shape.at(column) == value) continue;
    return fmt::format("{}'s script has no {}={}", options_.tuner, column, shape.at(column));
  }
  if (shape.at("M").empty()) return "an empty file is nothing to tune";
  const tuning::Columns key = ModelKey(shape);
  const bool known =
      std::ranges::any_of(setups_, [&](const MoeSetup& it) { return it.key == key; });
  if (!known) {
    return fmt::format(
        "no --model of this agent asks for {}, so that nobody tells the script the "
        "hidden size and the top-k",
        tuning::TextOf(key));
  }
  return device().WhyOther(shape.at("device"));
}

core::Result<EngineParts> MoeJobs::PartsOf(const tuning::TuneTask& task) {
  EngineParts parts;
  std::map<tuning::Columns, std::vector<tuning::Columns>> by_key;
  for (const tuning::Columns& shape : task.shapes) {
    const std::string why = WhyNot(shape);
    if (!why.empty()) parts.left.Add(why);
    if (why.empty()) by_key[ModelKey(shape)].push_back(shape);
  }
  for (auto& [key, shapes] : by_key) {
    const auto setup = std::ranges::find(setups_, key, &MoeSetup::key);
    engines::EngineWork work = setup->work;
    for (const tuning::Columns& shape : shapes) {
      work.grid.push_back(core::ParseInt(shape.at("M")).value_or(1));
    }
    std::ranges::sort(work.grid);
    work.grid.erase(std::unique(work.grid.begin(), work.grid.end()), work.grid.end());
    parts.parts.push_back(
        {std::move(shapes), [this, work](const engines::EngineObserver& observer) {
           return engines::TuneTriton(options_.settings, *script_, work, read_, observer);
         }});
  }
  return parts;
}

}  // namespace tunehub::agent::daemon
