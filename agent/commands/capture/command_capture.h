// tunehub-agent capture [FILE|-]...: the shapes that AITER's log says it found no tuned row for,
// as untuned tables (-o) or, with --hub, as demand at the hub.
#pragma once

#include "agent/base/command.h"
#include "agent/commands/capture/capture.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"

namespace tunehub::agent {

// Writes tables, or only reports.
int CaptureToFiles(const Configuration& configuration, const CaptureOptions& options,
                   Console& console);

// Posts demand, and writes tables too where asked to.
int CaptureToHub(const Configuration& configuration, const CaptureOptions& options, HubClient& hub,
                 const RetryPolicy& retry, const Pauses& pauses, Console& console);

// Where --hub is among the arguments the other one runs: it alone has the options of a request.
int RunCapture(int argc, char** argv, Console& console);
int RunCaptureToHub(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
