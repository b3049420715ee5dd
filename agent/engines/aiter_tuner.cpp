#include "agent/engines/aiter_tuner.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <system_error>

#include "agent/aiter/untuned_table.h"
#include "agent/engines/engine_run.h"
#include "core/base/hash.h"
#include "core/base/process.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// Enough digits to distinguish several installed AITERs of one host.
constexpr std::size_t kDigestDigits = 16;
constexpr char kLock[] = ".lock", kBuildLock[] = "lock_";
// A module compiled for one torch does not load in another.
constexpr char kAskVersions[] =
    "import sys, importlib.metadata as m\n"
    "print(sys.implementation.cache_tag, *[d.version for d in m.distributions(name='torch')])";

// True for sources and build settings, but not for tables and build outputs.
bool IsSource(const fs::path& file) {
  const std::string extension = file.extension().string();
  return extension != ".so" && extension != ".co" && extension != ".pyc" && extension != ".csv";
}

void AddSources(const fs::path& root, const char* below,
                std::map<std::string, std::string>& digests) {
  std::error_code error;
  fs::recursive_directory_iterator it(root / below, fs::directory_options::skip_permission_denied,
                                      error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    const fs::path& path = it->path();
    std::error_code ignored;
    const std::string name = path.filename().string();
    const bool made = (name == "build" && path.parent_path().filename() == "jit") ||
                      name == "configs" || name == "__pycache__";
    if (it->is_directory(ignored) && made) it.disable_recursion_pending();
    if (!it->is_regular_file(ignored) || !IsSource(path)) continue;
    const auto bytes = core::FileBytes::Read(path);
    if (bytes.ok()) digests[fs::relative(path, root).string()] = core::Sha256Hex(bytes->view());
  }
}

// Returns a hexadecimal digest of the sources of the modules of `aiter`, and of the Python and
// torch that load these modules. Tables and build outputs do not count.
std::string AiterDigest(const fs::path& aiter, const std::string& python) {
  std::map<std::string, std::string> digests;  // by path, so that their order is always the same
  for (const char* below : {"aiter", "csrc", "aiter_meta/csrc"}) AddSources(aiter, below, digests);
  std::string text = AskPython(python, kAskVersions) + "\n";
  for (const auto& [path, digest] : digests) text += fmt::format("{} {}\n", path, digest);
  return core::Sha256Hex(text);
}

// Copies a module atomically, with its time.
core::Status CopyModule(const fs::path& from, const fs::path& to) {
  std::error_code error;
  const fs::path part = to.string() + ".part";
  fs::copy_file(from, part, fs::copy_options::overwrite_existing, error);
  if (!error) fs::last_write_time(part, fs::last_write_time(from), error);
  if (!error) fs::rename(part, to, error);
  if (!error) return core::Ok();
  std::error_code ignored;
  fs::remove(part, ignored);
  return core::Unwritable(to, error);
}

core::Status Seed(const fs::path& installed, const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(installed, error)) {
    std::error_code ignored;
    const fs::path& from = entry.path();
    if (from.extension() != ".so" || !entry.is_regular_file(ignored)) continue;
    const fs::path to = folder / from.filename();
    const bool has = fs::exists(to, ignored) &&
                     fs::last_write_time(to, ignored) >= fs::last_write_time(from, ignored);
    if (has) continue;
    if (core::Status status = CopyModule(from, to); !status.ok()) return status;
  }
  return core::Ok();  // no such folder: nothing is installed
}

// AITER waits for a module's build lock even if its owner is dead.
void RemoveBuildLocks(const fs::path& build) {
  std::error_code error, ignored;
  for (const auto& entry : fs::directory_iterator(build, error)) {
    if (entry.path().filename().string().starts_with(kBuildLock)) {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

// Opens or makes the folder `kept`/DIGEST_rocm-VERSION of the AITER at `aiter`. If no other process
// uses the folder, removes build locks of killed scripts. Then also copies installed modules
// (aiter/jit/*.so) that are missing or older in the folder. Makes no links, since AITER writes into
// the folder. Errors: file_unwritable, file_unreadable.
core::Result<JitFolder> OpenJitFolder(const fs::path& kept, const fs::path& aiter,
                                      const std::string& python) {
  JitFolder folder;
  folder.path =
      fs::absolute(kept) /
      fmt::format("{}_rocm-{}", AiterDigest(aiter, python).substr(0, kDigestDigits), RocmVersion());
  std::error_code error;
  fs::create_directories(folder.path, error);
  if (error) return core::Unwritable(folder.path, error);
  const fs::path lock = folder.path / kLock;
  folder.lock = core::Fd(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!folder.lock.ok()) return core::Unwritable(lock, errno);
  if (::flock(folder.lock.get(), LOCK_EX | LOCK_NB) == 0) {
    RemoveBuildLocks(folder.path / "build");
    if (core::Status status = Seed(aiter / "aiter" / "jit", folder.path); !status.ok()) {
      return status.error();
    }
  }
  // Waits only for a process that is copying modules.
  if (::flock(folder.lock.get(), LOCK_SH) != 0) {
    return core::Unwritable(lock, errno);
  }
  return folder;
}

std::string FileText(const fs::path& file) {
  auto bytes = core::FileBytes::Read(file);
  return bytes.ok() ? std::string(bytes->view()) : std::string();
}

std::string BenchCsv(const core::Family& family, const std::vector<AiterTiming>& timings) {
  core::Family report = family;  // a copy with the report's header
  report.untuned_columns.insert(report.untuned_columns.end(), {"us", "status"});
  std::vector<std::vector<std::string>> rows;
  for (const AiterTiming& timing : timings) {
    std::vector<std::string> row = UntunedCells(family, timing.keys);
    row.push_back(timing.us ? std::to_string(*timing.us) : "");
    row.push_back(timing.status);
    rows.push_back(std::move(row));
  }
  return UntunedCsv(report, rows);
}

// Contains the installed ROCm version, since PyTorch may be built for another version.
std::vector<std::string> ToolchainOf(const std::string& python) {
  std::vector<std::string> versions = PythonToolchain(python);
  const std::string rocm = RocmVersion();
  if (rocm == kUnknownRocm) return versions;
  std::erase_if(versions, [](const std::string& it) { return it.starts_with("rocm="); });
  versions.push_back("rocm=" + rocm);
  return versions;
}

}  // namespace

std::string RocmVersion() {
  const char* const root = std::getenv("ROCM_PATH");  // NOLINT(concurrency-mt-unsafe)
  std::ifstream in(fs::path(root == nullptr ? "/opt/rocm" : root) / ".info/version");
  std::string version;
  in >> version;
  for (char& c : version) {
    if (c == '/') c = '_';  // used in a folder's name
  }
  return version.empty() ? kUnknownRocm : version;
}

core::Result<AiterTuner> AiterTuner::Open(AiterOptions options, const core::Targets& targets) {
  AiterTuner tuner(std::move(options), targets);
  auto root = FindAiter(tuner.options_.root, tuner.options_.python);
  if (!root.ok()) return root.error();
  tuner.root_ = *std::move(root);
  for (const fs::path& folder : {tuner.options_.work, tuner.options_.logs}) {
    if (core::Status made = core::MakeFolder(folder); !made.ok()) return made.error();
  }
  auto home = FreshFolder(fs::absolute(tuner.options_.work), "aiter");
  if (!home.ok()) return home.error();
  tuner.options_.work = *home;
  tuner.options_.logs = fs::absolute(tuner.options_.logs);
  auto jit = OpenJitFolder(tuner.options_.jit, tuner.root_, tuner.options_.python);
  if (!jit.ok()) return jit.error();
  tuner.jit_ = *std::move(jit);
  tuner.toolchain_ = ToolchainOf(tuner.options_.python);
  auto tree = PrivateTree::Make(tuner.root_, *home, tuner.jit_.path);
  if (!tree.ok()) return tree.error();
  tuner.tree_ = *std::move(tree);
  return tuner;
}

core::Result<AiterPlan> AiterTuner::Plan(const core::Family& family,
                                         std::vector<std::vector<std::string>> shapes) const {
  const AiterVariant* const variant = VariantOf(ScriptOf(family, tree_.path()));
  if (variant == nullptr || family.tune_script.empty()) {
    return core::Error{
        "unsupported_family",
        (family.tune_script.empty() ? "AITER has no tuner for "
                                    : "tunehub does not know the options of the tuner of ") +
            family.name};
  }
  if (shapes.empty()) return core::Error{"no_shapes", "no shape was given to tune"};
  if (auto checked = CheckUntuned(family, shapes); !checked.ok()) return checked.error();
  // One folder per plan, so that a script never finds rows of another script in its output.
  auto folder = FreshFolder(options_.work, family.name);
  if (!folder.ok()) return folder.error();
  AiterPlan plan;
  plan.family = &family;
  plan.shapes = std::move(shapes);
  plan.err_ratio = options_.err_ratio.value_or(variant->err_ratio);
  plan.untuned = *folder / family.untuned_file;
  plan.tuned = *folder / family.file;
  plan.profile = *folder / ("profile_" + family.file);
  const core::Status written = core::WriteAtomically(plan.untuned, UntunedCsv(family, plan.shapes));
  if (!written.ok()) return written.error();
  auto command = CommandFor(plan, AiterStep::kTune, {}, tree_, options_);
  if (!command.ok()) return command.error();
  plan.tune = *std::move(command);
  return plan;
}

core::Result<AiterRun> AiterTuner::Run(const AiterPlan& plan, const AiterObserver& observer) const {
  AiterRun run;
  AiterProgress progress;
  AiterReportReader reader;
  const auto line = [&](std::string_view text) {
    if (ReadProgress(text, progress)) observer.progress(progress);
    reader.Add(text);
  };
  core::Status status = RunScript(plan.tune, options_, observer, line, run.report);
  if (!status.ok()) return status.error();
  status = ReadAiterTables(*plan.family, *targets_, plan.err_ratio, plan.shapes,
                           FileText(plan.tuned), FileText(plan.profile), run);
  if (!status.ok()) return status.error();
  if (run.report.outcome == ScriptOutcome::kComplete && !run.report.missing.empty()) {
    run.report.outcome = ScriptOutcome::kPartial;
  }
  for (const AiterTiming& timing : reader.timings()) {
    if (timing.of == AiterReportOf::kDefault) run.before.push_back(timing);
  }
  for (const fs::path& file : {plan.untuned, plan.tuned, plan.profile}) {
    std::error_code error;
    if (fs::exists(file, error)) run.report.files.push_back(file);
  }
  return run;
}

core::Result<AiterBench> AiterTuner::Bench(const AiterPlan& plan, AiterStep step,
                                           const fs::path& tuned_csv,
                                           const AiterObserver& observer) const {
  auto command = CommandFor(plan, step, tuned_csv, tree_, options_);
  if (!command.ok()) return command.error();
  AiterBench bench;
  AiterReportReader reader;
  const core::Status status = RunScript(
      *command, options_, observer, [&](std::string_view text) { reader.Add(text); }, bench.report);
  if (!status.ok()) return status.error();
  bench.timings = reader.timings();
  if (bench.timings.empty() && bench.report.outcome != ScriptOutcome::kEnded) {
    return core::Error{"no_report",
                       fmt::format("AITER's script ended with {} and reported no shape; see {}",
                                   bench.report.ended, command->log.string())};
  }
  std::set<std::vector<std::string>> missing(plan.shapes.begin(), plan.shapes.end());
  bench.report.shapes = missing.size();
  for (const AiterTiming& timing : bench.timings) {
    if (timing.us) missing.erase(UntunedCells(*plan.family, timing.keys));
  }
  bench.report.tuned = bench.report.shapes - missing.size();
  bench.report.missing.assign(missing.begin(), missing.end());
  bench.csv = BenchCsv(*plan.family, bench.timings);
  return bench;
}

std::string CommitOf(const fs::path& root) {
  std::string commit;
  const core::ChildCommand command{{"git", "-C", root.string(), "rev-parse", "HEAD"}, {}, {}, {}};
  core::ChildLimits limits;
  limits.whole = std::chrono::seconds(10);
  const auto ended = core::RunChild(
      command, limits, [&](std::string_view text) { commit = text; }, [] { return false; });
  return ended.ok() && ended->succeeded() ? commit : std::string();
}

}  // namespace tunehub::agent
