// tunehub-agent capture [FILE|-]...: the shapes that AITER's log says it found no tuned row for,
// as untuned tables (-o) or, with --hub, as demand at the hub.
#pragma once

#include "agent/base/command.h"
#include "agent/capture/capture.h"
#include "agent/hub/http_client.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"

namespace tunehub::agent {

// Writes tables, or only reports.
int CaptureToFiles(const Configuration& configuration, const CaptureOptions& options,
                   Console& console);

// Posts demand, and writes tables too where asked to.
int CaptureToHub(const Configuration& configuration, const CaptureOptions& options, HubClient& hub,
                 const RetryPolicy& retry, const Pauses& pauses, Console& console);

// Posts demand to the hub, or compares its table.
int CaptureWithHub(const Configuration& configuration, CaptureOptions options,
                   const OnlineOptions& online, Console& console);

int RunCapture(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
