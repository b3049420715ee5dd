// What `tune`, `bench` and `pretune` do once they know their shapes: open spool, hub and device,
// tune, report.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/device/this_device.h"
#include "agent/search/tune_options.h"
#include "agent/search/tune_shapes.h"

namespace tunehub::agent {

// What a command works with.
struct Bench {
  Configuration configuration;
  DeviceInfo device;
  std::vector<DeviceInfo> beside;  // further GPUs of the same target, by --mp
  std::string no_gpu;              // why it is the CPU; "": it is the GPU, or nobody asked for it
  Spool spool;
  std::unique_ptr<HubClient> hub;  // null: none was named
};

// By another tuner than the built-in one it may be a host whose GPU the kernel driver does not
// list: its scripts will say so. Errors: no_configs, no_device (also where --mp wants more GPUs
// than there are), other_target, file_unwritable, bad_hub.
core::Result<Bench> OpenBench(const TuneOptions& options);

struct TuneInput {
  const core::Family* family = nullptr;
  std::vector<Columns> shapes;
  std::vector<TunedRow> tuned;  // kAfter: what is to be measured
  Purpose purpose = Purpose::kTune;
  std::string label;
};

// The exit code of the command `name`: 0 all done, 1 not all, 2 an error.
int TuneAndReport(const std::string& name, TuneOptions options, const TuneInput& input,
                  Bench& bench, Console& console);

}  // namespace tunehub::agent
