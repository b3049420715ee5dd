// Jobs of vLLM's and SGLang's fused MoE. Their scripts want a model's config.json: the key of a job
// has E and N, and no hidden size and no top-k. So an agent is told which models it serves, and a
// job is its own where one of them, split as it is told, asks for the key.
#pragma once

#include "agent/base/configuration.h"
#include "agent/daemon/engine_job_tuner.h"
#include "agent/engines/triton_tuner.h"
#include "core/shapes/model_shapes.h"

namespace tunehub::agent::daemon {

struct MoeOptions {
  std::string tuner;  // vllm, sglang
  engines::TritonSettings settings;
  std::vector<std::string> models;  // config.json, or a folder that has one
  std::vector<int> tps = {1, 2, 4, 8};
  std::vector<int> eps = {1};
};

// A way to start the script, and the key that it tunes.
struct MoeSetup {
  engines::EngineWork work;  // without numbers of tokens
  tuning::Columns key;       // E, N, dtype, block_n, block_k
};

class MoeJobs : public EngineJobs {
 public:
  // `configuration` must outlive it. Errors: no_script, no_triton (SGLang), bad_model; no_setup (no
  // model has experts that can be split so).
  static core::Result<std::unique_ptr<MoeJobs>> Open(MoeOptions options,
                                                     const Configuration& configuration,
                                                     tuning::DeviceInfo device);

  core::Result<EngineParts> PartsOf(const tuning::TuneTask& task) override;

 private:
  MoeJobs(MoeOptions options, const Configuration& configuration, tuning::DeviceInfo device)
      : EngineJobs(OwnDevice(std::move(device), configuration.targets.devices())),
        options_(std::move(options)),
        configuration_(configuration) {}
  core::Status AddModel(const std::string& name, const core::Family& family);
  // What `model` asks for where it is split as `work` says; nothing where it cannot be.
  void AddSetups(const core::Model& model, const core::Family& family,
                 const core::ShapeOptions& shapes, const engines::EngineWork& work);
  void AddSetup(const tuning::Columns& row, const engines::EngineWork& work);
  std::string WhyNot(const tuning::Columns& shape) const;

  MoeOptions options_;
  const Configuration& configuration_;
  const engines::EngineScript* script_ = nullptr;
  engines::FileRows read_;
  std::string triton_;  // "3.4.0", as SGLang's key has it
  std::vector<MoeSetup> setups_;
};

}  // namespace tunehub::agent::daemon
