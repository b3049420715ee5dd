// The commands capture and explain.
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

// tunehub-agent capture [FILE|-]...: reads the shapes without a tuned row from AITER's log. Writes
// untuned tables (-o), or only prints a report.
int CaptureToFiles(const Configuration& configuration, const CaptureOptions& options,
                   Console& console);

// Posts demand, and with -o also writes tables.
int CaptureToHub(const Configuration& configuration, const CaptureOptions& options, HubClient& hub,
                 const RetryPolicy& retry, const Pauses& pauses, Console& console);

// For --hits: the tables that are compared with a log's lines.
struct HitTables {
  // The families to report, even if no line names them.
  std::vector<const core::Family*> families;
  // Reads the table of a family. Null: report the lines only.
  std::function<core::Result<lookup::LoadedTable>(const core::Family&)> read;
};

// Reads the tables from files, and merges the tables of one family as AITER does. Errors: those of
// reading the files and of finding their families; no_hit_lines (the family's lookups log no hits).
core::Result<HitTables> TablesOfFiles(const Configuration& configuration,
                                      const CaptureOptions& options);
// Reads the tables from the hub, for the options' target.
HitTables TablesOfHub(const Configuration& configuration, const CaptureOptions& options,
                      HubClient& hub, const RetryPolicy& retry, const Pauses& pauses);

// Returns kFinding if lines could not be read, or if the log names a found row that the table
// lacks.
int CaptureHits(const Configuration& configuration, const CaptureOptions& options,
                const HitTables& tables, Console& console);
int RunCapture(int argc, char** argv, Console& console);

// tunehub-agent explain LOG...: lists a log's misses, the tuned rows for them, and the next
// commands.
struct ExplainOptions {
  CaptureOptions log;               // logs, family, gfx, cu_num, output, json, device_root
  std::vector<std::string> tables;  // files and folders with rows
  // an AITER tree. Its build decides which rows are effective. If there is no other source of rows,
  // its tables are the source.
  std::string aiter;
  std::string hub;   // the address, for the next commands; "": none
  bool all = false;  // every shape
};

// Prints the log's misses, even if rows cannot be looked up. Returns kFinding if there were misses,
// kFailed if rows could not be looked up. `source` may be null.
int Explain(const Configuration& configuration, const ExplainOptions& options, RowSource* source,
            Console& console);
int RunExplain(int argc, char** argv, Console& console);

}  // namespace tunehub::agent
