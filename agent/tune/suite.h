// A suite: AITER's Triton benches on shapes, in two environments.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/hub/outbox.h"
#include "agent/search/tune_command.h"
#include "core/analysis/environment.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/family/families.h"

namespace tunehub::agent {

struct SuiteCase {
  std::string kernel, script;           // the script's path within AITER
  std::array<std::int64_t, 4> shape{};  // B, M, N, K
  std::string key;                      // "batched_gemm_bf16,16,64,512,128"
};

// `name` is one of `suites`, or a path: it ends with .json or holds a '/'. Errors: unknown_suite,
// bad_suite (with the member and its value), those of core::FileBytes.
core::Result<std::vector<SuiteCase>> LoadSuite(const core::TextFolder& suites,
                                               const std::string& name);

// An environment, and what was measured there.
struct SuiteSide {
  std::string name;                               // of the file of its facts, without .json
  std::filesystem::path file;                     // of its times, which `compare` reads
  analysis::Environment facts;                    // also what its interpreter says
  std::string python;                             // the interpreter, from any folder
  std::map<std::string, std::string> variables;   // facts in capitals, and PYTHONPATH
  std::map<std::string, std::vector<double>> us;  // of whole cases, by SuiteCase::key

  core::Status Save() const;
};

// Of the facts in `environment` and those of `host`, with the times that `folder` has of them
// already. Errors: bad_environment (also: no fact `python`), no_python (it does not run),
// other_version (a fact is not what the interpreter or `host` says), other_facts (the times are of
// others), bad_header, those of core::FileBytes and ReadShapeRows.
core::Result<SuiteSide> OpenSuiteSide(const core::Families& families,
                                      const std::string& environment,
                                      const std::filesystem::path& folder,
                                      const std::filesystem::path& aiter,
                                      analysis::Environment host);

// The run of a side's times, in the spool: the same one for the same times. Precondition: its facts
// say gfx and cu_num. Returns the run's key. Errors: unknown_family, bad_provenance, spool_full,
// file_unwritable.
core::Result<std::string> SpoolSuiteSide(const core::Families& families, const SuiteSide& side,
                                         Outbox& outbox);

// `bench --suite`, and what became slower.
struct SuiteOptions {
  std::string suite, timing;
  std::vector<std::string> environments;
  bool fail_on_regress = false;
};

void AddSuiteOptions(cli::CommandLine& line, SuiteOptions& suite);

// `options.given` is filled. Options that a suite does not heed are refused.
int BenchSuite(const SuiteOptions& suite, const TuneOptions& options, Console& console);

}  // namespace tunehub::agent
