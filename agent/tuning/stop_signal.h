// SIGTERM and SIGINT as a question: has somebody asked this process to end?
#pragma once

namespace tunehub::agent::tuning {

// From here on both signals only set what StopRequested answers; a second one ends the process.
void CatchStopSignals();
bool StopRequested();

}  // namespace tunehub::agent::tuning
