// capture and explain: what a log says, to files, to a hub and to a person.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/capture/capture.h"
#include "agent/capture/explanation.h"
#include "agent/hub/hub_client.h"
#include "core/lookup/table.h"

namespace tunehub::agent {

// tunehub-agent capture [FILE|-]...: the shapes that AITER's log says it found no tuned row for,
// as untuned tables (-o) or, with --hub, as demand at the hub.
// Writes tables, or only reports.
int CaptureToFiles(const Configuration& configuration, const CaptureOptions& options,
                   Console& console);

// Posts demand, and writes tables too where asked to.
int CaptureToHub(const Configuration& configuration, const CaptureOptions& options, HubClient& hub,
                 const RetryPolicy& retry, const Pauses& pauses, Console& console);

// Of --hits: the rows that a log's lines are compared with.
struct HitTables {
  // Families that are reported also where no line is of them.
  std::vector<const core::Family*> families;
  // The table of a family; null: the lines alone are reported.
  std::function<core::Result<lookup::LoadedTable>(const core::Family&)> read;
};

// Of files, those of one family merged as AITER would. Errors: those of reading them and of telling
// their family; no_hit_lines (the family's lookups say nothing in a log).
core::Result<HitTables> TablesOfFiles(const Configuration& configuration,
                                      const CaptureOptions& options);
// What the hub serves for the options' target.
HitTables TablesOfHub(const Configuration& configuration, const CaptureOptions& options,
                      HubClient& hub, const RetryPolicy& retry, const Pauses& pauses);

// Ends with kFinding where lines could not be read, or found what the table does not have.
int CaptureHits(const Configuration& configuration, const CaptureOptions& options,
                const HitTables& tables, Console& console);
int RunCapture(int argc, char** argv, Console& console);

// tunehub-agent explain LOG...: what a log's misses are, whether tuned rows are there for them, and
// what to type next.
struct ExplainOptions {
  CaptureOptions log;               // logs, family, gfx, cu_num, output, json, device_root
  std::vector<std::string> tables;  // files and folders that rows are looked for in
  std::string aiter;                // a tree: its build judges rows, and has them if nothing else
  std::string hub;                  // the address, for the next steps; "": none
  bool all = false;                 // every shape
};

// kFinding where misses were found, kFailed where rows could not be looked for: what the log says
// is said all the same. `source` may be null.
int Explain(const Configuration& configuration, const ExplainOptions& options, RowSource* source,
            Console& console);
int RunExplain(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
