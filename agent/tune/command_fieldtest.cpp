#include <fmt/core.h>
#include <sys/utsname.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/aiter/untuned_table.h"
#include "agent/device/this_device.h"
#include "agent/search/tuning_bench.h"
#include "agent/tune/commands.h"
#include "agent/tune/scrubber.h"
#include "agent/tune/work_folder.h"
#include "build_info.h"
#include "core/base/archive.h"
#include "core/base/process.h"
#include "core/base/read_json.h"
#include "core/shapes/known_models.h"
#include "core/shapes/model_shapes.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
using Time = std::chrono::milliseconds;

constexpr int kMostMinutes = 15;
constexpr Time kDiscoverLimit{60'000}, kLeastTune{5'000};
constexpr int kSelftestShare = 3;                // selftest may take a third of the time
constexpr std::int64_t kTokens[] = {16};         // M of the shapes for AITER's scripts
constexpr std::size_t kMostFileBytes = 1 << 20;  // of a file in the archive; its end stays
constexpr std::size_t kMostFiles = 500;
constexpr char kFieldtest[] = "fieldtest", kArchive[] = "tunehub-fieldtest";
constexpr char kReadme[] =
    "Results of `tunehub-agent fieldtest`, without host names, user names, addresses and keys.\n"
    "report.json lists the steps, and those not run. Each step's folder has its output and "
    "files.\n";

struct FieldOptions {
  std::string output = std::string(kArchive) + ".tar.gz", device = kAutoDevice, aiter;
  int minutes = kMostMinutes;
};

// A shape to tune by tunehub's kernels or by AITER's script.
struct Trial {
  std::string tuner, family;
  std::string csv;      // an untuned table with one shape
  std::string why_not;  // why the trial cannot run; "": it can
};

// Runs the steps as processes of this program, so that a crash or a hang ends only its step.
class FieldTest {
 public:
  FieldTest(const FieldOptions& options, const WorkFolder& folder, std::ostream& out)
      : folder_(folder), out_(out), end_(Clock::now() + std::chrono::minutes(options.minutes)) {}

  // Returns the step's output. The step reports to no hub.
  std::string Step(const std::string& name, std::vector<std::string> arguments, Time limit) {
    const fs::path place = folder_ / name, log = place / "output.txt";
    if (const auto made = core::MakeFolder(place); !made.ok())
      return NotRun(name, made.error().detail);
    arguments.insert(arguments.begin(), OwnProgram());
    core::ChildLimits limits;
    limits.whole = std::max(limit, Time(1));
    const auto began = Clock::now();
    const auto ended = core::RunChild(
        {arguments, {{"TUNEHUB_HUB", ""}, {"TUNEHUB_KEY", ""}}, place, log}, limits,
        [](std::string_view) {}, stop_);
    const std::chrono::duration<double> took = Clock::now() - began;
    const std::string end = ended.ok() ? ended->Text() : ended.error().detail;
    good_ = good_ && ended.ok() && ended->succeeded();
    report_["steps"].push_back({{"step", name}, {"end", end}, {"seconds", took.count()}});
    out_ << fmt::format("{}: {}, {:.0f} s\n", name, end, took.count()) << std::flush;
    const auto text = core::FileBytes::Read(log);
    return text.ok() ? std::string(text->view()) : "";
  }

  std::string NotRun(const std::string& name, const std::string& why) {
    report_["not_run"].push_back({{"step", name}, {"why", why}});
    out_ << name << ": not run: " << why << std::endl;
    return "";
  }

  void Run(const FieldOptions& options, Trial trial, Time limit) {
    const std::string name = fmt::format("tune-{}-{}", trial.tuner, trial.family);
    const fs::path state = folder_ / "state", input = folder_ / name / "untuned.csv";
    if (trial.why_not.empty() && stop_()) trial.why_not = "the test was stopped";
    if (trial.why_not.empty() && limit < kLeastTune) trial.why_not = "no time was left";
    if (trial.why_not.empty()) {
      auto written = core::MakeFolder(input.parent_path());
      if (written.ok()) written = core::WriteAtomically(input, trial.csv);
      if (!written.ok()) trial.why_not = written.error().detail;
    }
    if (!trial.why_not.empty()) {
      NotRun(name, trial.why_not);
      return;
    }
    std::vector<std::string> arguments = {
        "tune",      "--tuner",    trial.tuner, "--device",      options.device,
        "--family",  trial.family, "-i",        "untuned.csv",   "-o",
        "tuned.csv", "--json",     "--spool",   state / "spool", "--state",
        state};
    const std::vector<std::string> more =
        trial.tuner == kBuiltin ? std::vector<std::string>{"--profile-file", "profile.csv"}
                                : std::vector<std::string>{"--logs", "logs"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (trial.tuner == kAiter && !options.aiter.empty())
      arguments.insert(arguments.end(), {"--aiter", options.aiter});
    Step(name, arguments, limit);
  }

  Time Left() const { return std::chrono::duration_cast<Time>(end_ - Clock::now()); }
  bool good() const { return good_; }
  const Json& report() const { return report_; }

 private:
  const WorkFolder& folder_;
  std::ostream& out_;
  const Clock::time_point end_;
  const std::function<bool()> stop_ = core::CatchStopSignals();
  bool good_ = true;
  Json report_ = {{"agent", TUNEHUB_VERSION}, {"steps", Json::array()}, {"not_run", Json::array()}};
};

// One shape of the first model that uses the family.
Trial TrialByAiter(const Configuration& configuration, const std::string& name) {
  Trial trial{kAiter, name, "", "no model of this program uses the family"};
  const core::Family* const family = configuration.families.Find(name);
  core::ShapeOptions shape;
  shape.schemes = core::SchemeChoice::kOwnOrAny;
  for (const core::Model& model : core::KnownModels(configuration.models)) {
    if (family == nullptr) break;
    const auto rows = core::ModelShapes(model, 1, *family, kTokens, shape);
    if (!rows.ok() || rows->empty()) continue;
    trial.csv = UntunedCsv(*family, std::span(*rows).first(1));
    trial.why_not.clear();
    break;
  }
  return trial;
}

// `selftest` and `discover`: the commands' JSON. A step that did not end has no JSON.
std::vector<Trial> TrialsOf(const Configuration& configuration, const nlohmann::json& selftest,
                            const nlohmann::json& discover) {
  std::vector<Trial> trials;
  const auto list = nlohmann::json::array();
  const auto tested = selftest.is_object() ? selftest.value("families", list) : list;
  for (const auto& it : tested) {
    const std::string name = PlainMember(it, "family");
    const core::Family* const family = configuration.families.Find(name);
    const auto shapes = SelftestShapes(name, false);
    if (family == nullptr || shapes.empty()) continue;
    const auto rows = UntunedRows(*family, {shapes.front()});
    trials.push_back({kBuiltin, name, UntunedCsv(*family, rows), ""});
  }
  const bool seen = discover.is_object() && discover.contains("aiter");
  for (const auto& it : seen ? discover["aiter"].value("variants", list) : list) {
    const std::string family = PlainMember(it, "family"), why_not = PlainMember(it, "why_not");
    trials.push_back(why_not.empty() ? TrialByAiter(configuration, family)
                                     : Trial{kAiter, family, "", why_not});
  }
  return trials;
}

// The end of a long text, from the start of a line on, so that the cut divides no name.
std::string_view EndOf(std::string_view text) {
  if (text.size() <= kMostFileBytes) return text;
  text.remove_prefix(text.size() - kMostFileBytes);
  return text.substr(std::min(text.find('\n'), text.size() - 1) + 1);
}

// The files of the steps, without names.
std::vector<core::TarFile> FilesOf(const WorkFolder& folder, Json report) {
  const Scrubber scrubber = Scrubber::OfThisHost();
  utsname system{};  // also has the host's name, which stays here
  if (::uname(&system) == 0) report["kernel"] = {system.sysname, system.release, system.machine};
  std::vector<core::TarFile> files = {{"README.txt", kReadme},
                                      {"report.json", scrubber.Clean(report.dump(2)) + '\n'}};
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder.path(), error), end; it != end;
       it.increment(error)) {
    if (it->path() == folder / "state") it.disable_recursion_pending();
    if (it->is_regular_file(error) && !it->is_symlink(error)) paths.push_back(it->path());
  }
  std::ranges::sort(paths);
  for (const fs::path& path : paths) {
    const auto bytes = core::FileBytes::Read(path);
    if (!bytes.ok() || files.size() == kMostFiles) continue;
    const std::string_view text = bytes->view();
    files.push_back({scrubber.Clean(path.lexically_relative(folder.path()).string()),
                     scrubber.Clean(EndOf(text))});
  }
  for (core::TarFile& file : files) file.name = fmt::format("{}/{}", kArchive, file.name);
  return files;
}

int TryAll(const FieldOptions& options, const Configuration& configuration,
           const WorkFolder& folder, Console& console) {
  FieldTest test(options, folder, console.out);
  std::vector<std::string> arguments = {"discover", "--json", "--quiet"};
  if (!options.aiter.empty()) arguments.insert(arguments.end(), {"--aiter", options.aiter});
  const auto discover = test.Step("discover", arguments, std::min(kDiscoverLimit, test.Left()));
  arguments = {"selftest", "--json", "--quiet", "--device", options.device};
  const auto selftest = test.Step("selftest", arguments, test.Left() / kSelftestShare);
  const auto trials = TrialsOf(configuration, core::ReadJson(selftest), core::ReadJson(discover));
  auto left = std::ranges::count_if(trials, &std::string::empty, &Trial::why_not);
  for (const Trial& trial : trials) {
    test.Run(options, trial, test.Left() / std::max<std::ptrdiff_t>(left, 1));
    if (trial.why_not.empty()) --left;
  }
  const auto files = FilesOf(folder, test.report());
  const auto written = core::WriteAtomically(options.output, core::WriteTarGz(files));
  if (!written.ok()) return Fail(console, kFieldtest, written.error());
  console.out << options.output << " holds:\n";
  for (const core::TarFile& file : files)
    console.out << fmt::format("  {:>8} bytes  {}\n", file.bytes.size(), file.name);
  console.out << "It has no host names, user names, addresses and keys. Nothing was sent. Look "
                 "through it, then attach it to an issue of tunehub's repository.\n";
  return test.good() ? kGood : kFinding;
}

}  // namespace

int RunFieldtest(int argc, char** argv, Console& console) {
  FieldOptions options;
  cli::CommandLine line(
      "Tries what can run on this device in a limited time: discover, selftest, and a small shape "
      "for each variant. Packs the results into an archive, without names and keys. Sends nothing.",
      "tunehub-agent fieldtest");
  line.Add("-o,--output", options.output, "the archive to write").ShowDefault();
  line.Add("--minutes", options.minutes, "the time limit; what does not fit is listed as not run")
      .Range(1, kMostMinutes)
      .ShowDefault();
  line.Add("--device", options.device, "gpu, gpu:INDEX, cpu, or auto")
      .Suggest({"auto", "cpu", "gpu"})
      .ShowDefault();
  line.Add("--aiter", options.aiter, "AITER's checkout; default: as in `discover`");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  const auto configuration = LoadConfiguration("");
  if (!configuration.ok()) return Fail(console, kFieldtest, configuration.error());
  if (!options.aiter.empty()) options.aiter = fs::absolute(options.aiter).string();
  const WorkFolder folder(fs::temp_directory_path() / (kArchive + ("-" + core::RandomUuid())));
  auto ready = core::TryWriting(options.output);
  if (ready.ok()) ready = folder.Make();
  return ready.ok() ? TryAll(options, *configuration, folder, console)
                    : Fail(console, kFieldtest, ready.error());
}

}  // namespace tunehub::agent
