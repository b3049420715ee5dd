// The queue's records. Services answer them as the store has them; these are their names for
// whoever asks a service.
#pragma once

#include "server/store/queue/queue_records.h"

namespace tunehub::service {

using store::AgentContent;
using store::AgentPage;
using store::AgentRecord;
using store::DemandFilter;
using store::DemandPage;
using store::DemandRecord;
using store::JobFilter;
using store::JobRecord;
using store::kMeasure;
using store::kTune;
using store::Lease;
using store::QueueOfTarget;
using store::QueueState;

}  // namespace tunehub::service
