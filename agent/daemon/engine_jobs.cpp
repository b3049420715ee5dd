#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "agent/base/command.h"
#include "agent/daemon/script_job_tuner.h"
#include "agent/engines/engine_run.h"
#include "agent/tune/commands.h"
#include "core/base/read_json.h"
#include "core/row/cell.h"
#include "core/shapes/known_models.h"
#include "core/shapes/model_shapes.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMoeFamily = "triton_fused_moe";
// The shape columns whose values follow from a model and its split.
constexpr const char* kOfModel[] = {"E", "N", "dtype", "block_n", "block_k"};
// The only values of these columns that the scripts tune.
constexpr std::pair<const char*, const char*> kFixed[] = {
    {"per_channel_quant", "0"}, {"down", "0"}, {"backend", ""}};
constexpr std::int64_t kAnyM[] = {1};

Columns ModelKey(const Columns& shape) {
  Columns key;
  for (const char* column : kOfModel) key[column] = shape.at(column);
  return key;
}

// "triton_3_4_0" -> "3.4.0"
std::string VersionOfFolder(std::string folder) {
  folder.erase(0, folder.find('_') + 1);
  std::ranges::replace(folder, '_', '.');
  return folder;
}

// Jobs of vLLM's and SGLang's fused MoE. Their scripts need a model's config.json, but a job's
// shape key has only E and N, without hidden size and top-k. So --model names the agent's models.
// The agent can do a job if one of these models uses the job's shape key with one of the given
// splits.
class MoeJobs : public EngineJobs {
 public:
  // `configuration` must outlive this object.
  MoeJobs(std::string tuner, TritonSettings settings, EngineRunOptions options,
          const Configuration& configuration, DeviceInfo device)
      : EngineJobs(OwnDevice(std::move(device), configuration.targets.devices())),
        tuner_(std::move(tuner)),
        settings_(std::move(settings)),
        options_(std::move(options)),
        configuration_(configuration) {}

  // Errors: no_script, no_triton (SGLang), bad_model; no_setup (no model's experts fit the splits).
  core::Status Open() {
    const auto family = configuration_.families.Named(kMoeFamily);
    if (!family.ok()) return family.error();
    script_ = FindEngineScript(tuner_, kMoeFamily);
    std::error_code error;
    if (!fs::is_regular_file(settings_.root / script_->path, error)) {
      return core::Error{"no_script",
                         fmt::format("--engine {} is not a checkout of {}: it has no {}",
                                     settings_.root.string(), tuner_, script_->path)};
    }
    auto read = FileRowsOf(configuration_, *script_);
    if (!read.ok()) return read.error();
    read_ = *std::move(read);
    if (tuner_ == "sglang") {
      const auto folder = TritonFolderOf(settings_.python);
      if (!folder.ok()) return folder.error();
      triton_ = VersionOfFolder(*folder);
    }
    for (const std::string& model : options_.models) {
      if (auto added = AddModel(model, **family); !added.ok()) return added;
    }
    if (!setups_.empty()) return core::Ok();
    return core::Error{"no_setup",
                       fmt::format("none of the models (--model {}) has experts that --tp {} --ep "
                                   "{} can split for {}'s script",
                                   fmt::join(options_.models, ", "), fmt::join(options_.tps, ","),
                                   fmt::join(options_.eps, ","), tuner_)};
  }

  core::Result<EngineParts> PartsOf(const TuneTask& task) override {
    EngineParts parts;
    std::map<Columns, std::vector<Columns>> by_key;
    for (const Columns& shape : task.shapes) {
      const std::string why = WhyNot(shape);
      if (!why.empty()) parts.left.Add(why);
      if (why.empty()) by_key[ModelKey(shape)].push_back(shape);
    }
    for (auto& [key, shapes] : by_key) {
      const auto setup = std::ranges::find(setups_, key, &MoeSetup::key);
      EngineWork work = setup->work;
      for (const Columns& shape : shapes) {
        work.grid.push_back(core::ParseInt(shape.at("M")).value_or(1));
      }
      std::ranges::sort(work.grid);
      work.grid.erase(std::unique(work.grid.begin(), work.grid.end()), work.grid.end());
      parts.parts.push_back({std::move(shapes), [this, work](const EngineObserver& observer) {
                               return TuneTriton(settings_, *script_, work, read_, observer);
                             }});
    }
    return parts;
  }

 private:
  // Arguments for the script, and the part of the shape key that they tune.
  struct MoeSetup {
    EngineWork work;  // without numbers of tokens
    Columns key;      // E, N, dtype, block_n, block_k
  };

  core::Status AddModel(const std::string& name, const core::Family& family) {
    std::error_code error;
    const fs::path path =
        fs::is_directory(name, error) ? fs::path(name) / "config.json" : fs::path(name);
    const bool is_file = fs::exists(path, error);
    const std::string asked = is_file ? fs::absolute(path).lexically_normal().string() : name;
    const auto model = core::LoadModel(configuration_.models, asked);
    if (!model.ok()) return model.error();
    core::ShapeOptions shapes;
    shapes.engine = tuner_;
    shapes.device = "any";
    shapes.schemes = core::SchemeChoice::kOwn;
    for (const int tp : options_.tps) {
      for (const int ep : options_.eps) {
        const EngineWork work{path.string(), "", tp, ep == 1 ? 0 : ep, {}};
        if (!CheckEngineWork(*script_, work).ok()) continue;
        shapes.ep = ep;
        AddSetups(*model, family, shapes, work);
      }
    }
    return core::Ok();
  }

  // Adds the shape keys of `model` with the split of `work`, if this split is possible.
  void AddSetups(const core::Model& model, const core::Family& family,
                 const core::ShapeOptions& shapes, const EngineWork& work) {
    const auto rows = core::ModelShapes(model, work.tp, family, kAnyM, shapes);
    if (!rows.ok()) return;
    for (const core::Shape& cells : *rows) {
      Columns row;
      for (std::size_t i = 0; i < cells.size(); ++i) row[family.untuned_columns[i]] = cells[i];
      // The scripts read the blocks from a quantised model's config.
      const bool made_up = row["block_n"] != "0" && !model.quantization.given;
      if (row["engine"] == tuner_ && !made_up) AddSetup(row, work);
    }
  }

  void AddSetup(const Columns& row, const EngineWork& work) {
    MoeSetup setup{work, ModelKey(row)};
    const std::string& dtype = row.at("dtype");
    setup.work.dtype = dtype.empty() ? "auto" : dtype;
    if (std::ranges::count(setups_, setup.key, &MoeSetup::key) == 0) {
      setups_.push_back(std::move(setup));
    }
  }

  std::string WhyNot(const Columns& shape) const {
    if (shape.at("engine") != tuner_) return "the shape is for " + shape.at("engine");
    if (shape.at("triton") != triton_) {
      return fmt::format("the shape is for Triton {}, but python3 has Triton {}",
                         shape.at("triton"), triton_);
    }
    for (const auto& [column, value] : kFixed) {
      if (shape.at(column) == value) continue;
      return fmt::format("{}'s script cannot tune {}={}", tuner_, column, shape.at(column));
    }
    if (shape.at("M").empty()) return "the shape has no M, so there is nothing to tune";
    const Columns key = ModelKey(shape);
    if (std::ranges::count(setups_, key, &MoeSetup::key) == 0) {
      return fmt::format(
          "no --model of this agent has the shape {}; the script needs that model's hidden size "
          "and top-k",
          TextOf(key));
    }
    return device().WhyOther(shape.at("device"));
  }

  std::string tuner_;  // vllm, sglang
  TritonSettings settings_;
  EngineRunOptions options_;
  const Configuration& configuration_;
  const EngineScript* script_ = nullptr;
  FileRows read_;
  std::string triton_;  // "3.4.0", as in SGLang's shape key
  std::vector<MoeSetup> setups_;
};

constexpr const char* kValidators = "validators";

core::TunableShape TunableShapeOf(const Columns& shape) {
  return {shape.at("op"), shape.at("params")};
}

// The device must be free within a second. An engine's script may use this part of the second to
// end.
constexpr std::chrono::milliseconds kEngineGrace{500};

constexpr const char* kOfScripts[] = {"--engine", "--model", "--tp", "--ep"};

}  // namespace

std::string TunableJobs::WhyNever(const Columns& shape) const {
  const core::TunableShape asked = TunableShapeOf(shape);
  if (core::IsPattern(asked)) return asked.params + " is a pattern, which cannot be timed";
  if (const std::string why = core::WhyNotAsked(asked); !why.empty()) return why;
  return device().WhyOther(shape.at("device"));
}

std::string TunableJobs::WhyNot(const Columns& shape) const {
  const std::string& validators = shape.at(kValidators);
  if (!validators.empty() && validators != validators_) {
    return fmt::format("the shape is for the validators {}, but {}", validators,
                       validators_.empty() ? "PyTorch here has not reported its validators"
                                           : "PyTorch here has " + validators_);
  }
  return WhyNever(shape);
}

EnginePart TunableJobs::PartOf(std::vector<Columns> shapes) const {
  std::set<core::TunableShape> asked;
  for (const Columns& shape : shapes) asked.insert(TunableShapeOf(shape));
  return {std::move(shapes),
          [this, list = std::vector<core::TunableShape>(asked.begin(), asked.end())](
              const EngineObserver& observer) { return TuneTunable(settings_, list, observer); }};
}

std::optional<EnginePart> TunableJobs::FirstRun(const TuneTask& task) {
  first_.reset();
  if (!validators_.empty()) return std::nullopt;
  const auto first = std::ranges::find_if(task.shapes, [&](const Columns& shape) {
    return !shape.at(kValidators).empty() && WhyNever(shape).empty();
  });
  if (first == task.shapes.end()) return std::nullopt;
  first_ = *first;
  return PartOf({*first});
}

core::Result<EngineParts> TunableJobs::PartsOf(const TuneTask& task) {
  EngineParts parts;
  std::vector<Columns> shapes;
  for (const Columns& shape : task.shapes) {
    const std::string why = WhyNot(shape);
    if (!why.empty()) parts.left.Add(why);
    // Validators come with rows. So if the validators are known, FirstRun has tuned `first_`.
    if (why.empty()) (shape == first_ ? parts.tuned : shapes).push_back(shape);
  }
  if (!shapes.empty()) parts.parts.push_back(PartOf(std::move(shapes)));
  return parts;
}

void TunableJobs::Learn(const EngineRun& run) {
  const auto body = core::ReadJson(run.rows);
  if (!body.is_object() || body.at("rows").empty()) return;
  validators_ = body.at("rows").front().value(kValidators, "");
}

void AddEngineRunOptions(cli::CommandLine& line, TuneOptions& tune, EngineRunOptions& options) {
  line.Add("--engine", tune.engine, "vllm, sglang: the checkout that has their scripts");
  line.Add("--model", options.models,
           "vllm, sglang: a config.json or its folder; the agent hands back a job if no given "
           "model has the job's shapes");
  line.Add("--tp", options.tps, "vllm, sglang: tensor parallelism of the models, default 1,2,4,8")
      .Delimiter(',')
      .Range(1, 1024);
  line.Add("--ep", options.eps, "vllm, sglang: expert parallelism of the models, default 1")
      .Delimiter(',')
      .Range(1, 1024);
}

core::Status CheckEngineRun(const TuneOptions& tune, const EngineRunOptions& options) {
  const auto bad = [&](const std::string& what, const std::string& why) {
    return core::Error{"bad_arguments", what + " with --tuner " + tune.tuner + ": " + why};
  };
  const bool scripts = tune.tuner == kVllm || tune.tuner == kSglang;
  for (const char* option : kOfScripts) {
    if (!scripts && tune.IsGiven(option))
      return bad(option, "this option needs --tuner vllm or sglang");
  }
  if (!tune.ByEngine()) return core::Ok();
  if (auto heeds = CheckEngineHeeds(tune); !heeds.ok()) return heeds;
  if (!scripts) return core::Ok();
  if (tune.engine.empty()) {
    return bad("no checkout",
               "pass --engine DIR, a checkout, because the package has no tune scripts");
  }
  if (options.models.empty()) {
    return bad("no --model",
               "pass the config.json of each model whose jobs this agent tunes, because a job's "
               "shape has no hidden size and no top-k");
  }
  return core::Ok();
}

core::Result<std::unique_ptr<JobTuner>> OpenEngineTuner(const TuneOptions& tune,
                                                        const EngineRunOptions& options,
                                                        const Bench& bench,
                                                        const std::filesystem::path& state) {
  EngineSettings settings = EngineSettingsOf(tune, true);
  settings.work = state / "engines";
  settings.grace = kEngineGrace;
  // Each further GPU has its own daemon.
  settings.environment["ROCR_VISIBLE_DEVICES"] = std::to_string(std::max(bench.device.gpu, 0));
  const core::Devices& devices = bench.configuration.targets.devices();
  std::unique_ptr<EngineJobs> jobs;
  if (tune.tuner == kTunableOp) {
    TunableSettings tunable{settings, {}, {}};
    if (tune.IsGiven("--iters")) tunable.iters = tune.search.rounds;
    jobs = std::make_unique<TunableJobs>(std::move(tunable), devices, bench.device);
  } else {
    auto moe = std::make_unique<MoeJobs>(tune.tuner, TritonSettings{settings, tune.engine}, options,
                                         bench.configuration, bench.device);
    if (auto opened = moe->Open(); !opened.ok()) return opened.error();
    jobs = std::move(moe);
  }
  return std::unique_ptr<JobTuner>(std::make_unique<EngineJobTuner>(std::move(jobs)));
}

}  // namespace tunehub::agent
