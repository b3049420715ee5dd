// What is wrong with a hub: everything that can be looked at, without a change to anything.
#pragma once

#include "server/doctor/report.h"
#include "server/doctor/subject.h"

namespace tunehub::doctor {

// `subject`: what the settings say.
Report Look(Subject subject);

}  // namespace tunehub::doctor
