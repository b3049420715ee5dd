#include "agent/transfer/commands.h"
#include "agent/transfer/listing.h"

namespace tunehub::agent {
namespace {

ListFilter ByFamily() {
  return {"--family", "family", "only this family"};
}

ListFilter ByGfx() {
  return {"--gfx", "gfx", "only this architecture"};
}

}  // namespace

int RunJobs(int argc, char** argv, Console& console) {
  HubList list{"jobs",
               "Lists the hub's jobs, the newest first, shows one, or queues a parked one again.",
               "/jobs",
               {{"JOB", "id"},
                {"STATE", "state"},
                {"PURPOSE", "purpose"},
                {"FAMILY", "family"},
                {"TARGET", "target"},
                {"SHAPES", "shape_count"},
                {"MISSES", "weight"},
                {"TRIES", "tries"},
                {"AGENT", "agent"},
                {"CREATED (UTC)", "created"}},
               {{"--state", "state", "queued, running, done or parked"},
                ByFamily(),
                ByGfx(),
                {"--campaign", "campaign", "only this campaign"},
                {"--agent", "agent", "only jobs whose last agent was this"}}};
  list.id = "JOB";
  list.id_help = "show this job, its shapes and its failures";
  list.parts = {{"shapes", {{"SHAPE", ""}}},
                {"reasons", {{"AT (UTC)", "at"}, {"AGENT", "agent"}, {"REASON", "reason"}}}};
  list.action = "retry";
  list.action_help = "queue this parked job again; needs a key of scope admin";
  return RunHubList(argc, argv, console, list);
}

int RunDemand(int argc, char** argv, Console& console) {
  const HubList list{
      "demand",
      "Lists the shapes that lookups missed and that are not tuned, the most missed first.",
      "/demand",
      {{"MISSES", "count"},
       {"FAMILY", "family"},
       {"TARGET", "target"},
       {"SHAPE", "shape"},
       {"JOB", "job.id"},
       {"STATE", "job.state"},
       {"LAST MISS (UTC)", "last_seen"}},
      {ByFamily(),
       ByGfx(),
       {"--cu-num", "cu_num", "only this CU count"},
       {"--tuned", "tuned", "any: also shapes that are tuned by now", false, "no"}}};
  return RunHubList(argc, argv, console, list);
}

}  // namespace tunehub::agent
