#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/tables/commands.h"
#include "core/analysis/bucket_merge.h"
#include "core/base/file.h"
#include "core/base/read_json.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/readers/file_name.h"
#include "core/readers/reader.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;
core::Result<buckets::BucketFile> ReadBuckets(const std::string& path) {
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error();
  return buckets::BucketFile::Parse(path, bytes->view());
}

// From --bounds; empty: AITER's bounds.
core::Result<std::vector<std::int64_t>> ReadBounds(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> bounds;
  for (const std::string& text : texts) {
    const auto key = buckets::KeyOf("M_LEQ_" + text);
    if (key.kind != buckets::BucketKind::kAtMost) {
      return core::Error{
          "bad_arguments",
          fmt::format("--bounds: '{}': expected a whole number above 0", core::Excerpt(text))};
    }
    bounds.push_back(key.bound);
  }
  std::ranges::sort(bounds);
  return bounds;
}

// The store of AITER's Triton GEMMs; null if the reader files have none.
const core::ReaderStore* GemmStore(const Configuration& configuration) {
  const core::Reader* reader = configuration.readers.Find("aiter");
  if (reader == nullptr) return nullptr;
  for (const core::ReaderStore& store : reader->stores) {
    if (store.body == core::BodyKind::kBuckets) return &store;
  }
  return nullptr;
}

// "gemm_afp4wfp4" -> "GEMM-AFP4WFP4"; "" if no op of the store begins like this.
std::string ConfigOf(const core::ReaderStore& store, const std::string& folder) {
  for (const std::string& prefix : store.op_prefixes) {
    if (!folder.starts_with(buckets::KernelOf(prefix))) continue;
    std::string config = prefix;
    for (const char c : folder.substr(prefix.size())) {
      config += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return config;
  }
  return "";
}

// Reads the folder of `path`: its special files, and for a DEFAULT.json the name of its config.
core::Status ReadFolder(const std::string& path, const core::ReaderStore* store,
                        buckets::MergeInput& input) {
  const fs::path folder = fs::absolute(path).parent_path();
  const std::string here = folder.filename().string();
  std::vector<buckets::BucketName> names;
  std::error_code error;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    auto name = buckets::ParseBucketName(it->path().filename().string());
    if (name.ok() && name->arch == input.name.arch && !name->sizes.empty()) {
      names.push_back(*std::move(name));
    }
  }
  if (error) return core::Error{"no_folder", folder.string() + ": " + error.message()};
  for (const buckets::BucketName& name : names) {
    if (input.name.config.empty() && buckets::KernelOf(name.config) == here) {
      input.name.config = name.config;
    }
  }
  if (input.name.config.empty() && store != nullptr) input.name.config = ConfigOf(*store, here);
  if (input.name.config.empty() && input.kernel.empty()) input.kernel = here;
  for (const buckets::BucketName& name : names) {
    if (name.config == input.name.config) input.siblings.push_back(name.sizes);
  }
  return core::Ok();
}

// The merged file is for all shapes that read the old file. If NEW has the name of a special file,
// it is only for the shapes that read that file. Errors: those of ParseBucketName,
// BucketFile::Parse and core::FileBytes, no_folder, bad_arguments (--bounds).
core::Result<buckets::MergeInput> ReadTritonInput(const Configuration& configuration,
                                                  const TritonMergeArguments& arguments) {
  const core::ReaderStore* store = GemmStore(configuration);
  const auto bounds = ReadBounds(arguments.bounds);
  if (!bounds.ok()) return bounds.error();
  const auto name = buckets::ParseBucketName(fs::path(arguments.old_file).filename().string());
  if (!name.ok()) return name.error();
  auto old_file = ReadBuckets(arguments.old_file);
  if (!old_file.ok()) return old_file.error();
  auto new_file = ReadBuckets(arguments.new_file);
  if (!new_file.ok()) return new_file.error();
  buckets::MergeInput input{
      *name, *std::move(old_file), *std::move(new_file), {}, arguments.kernel};
  if (input.name.config.empty()) input.name.config = arguments.config;
  input.limits = arguments.limits;
  const auto read = ReadFolder(arguments.old_file, store, input);
  if (!read.ok()) return read.error();
  if (!bounds->empty()) {
    input.bounds = *bounds;
  } else if (store == nullptr) {
    return core::Error{
        "bad_arguments",
        "--bounds: pass the bounds, because this configuration describes no file with buckets"};
  } else {
    const auto bounds_of = [&](const buckets::BucketFile& file) {
      return store->family->lookup.BoundsOf(input.name.config, file.bounds());
    };
    input.bounds = bounds_of(input.old_file);
    if (const auto other = bounds_of(input.new_file); other != input.bounds) {
      return core::Error{"other_bounds",
                         fmt::format("the lookup of {} uses the bounds {}, but the lookup of {} "
                                     "uses {}: give both files the same M_BOUNDS, or pass --bounds",
                                     arguments.old_file, fmt::join(input.bounds, ","),
                                     arguments.new_file, fmt::join(other, ","))};
    }
  }
  const auto other = buckets::ParseBucketName(fs::path(arguments.new_file).filename().string());
  if (other.ok() && other->arch == input.name.arch && other->config == input.name.config &&
      input.name.sizes.empty()) {
    input.name.sizes = other->sizes;
  }
  return input;
}

void PrintSide(std::ostream& out, const char* side, const analysis::Environment& environment) {
  if (environment.empty()) return;
  out << side << ':';
  for (const auto& [name, value] : environment) out << ' ' << name << '=' << value;
  out << '\n';
}

// Prints each written file (`places`, in the order of merge.files), and for each bucket its source
// and the reason.
void PrintTritonText(std::ostream& out, const buckets::MergeInput& input,
                     const buckets::BucketMerge& merge, const std::vector<std::string>& places,
                     const buckets::BucketRuns& runs) {
  PrintSide(out, "old", runs.old_environment);
  PrintSide(out, "new", runs.new_environment);
  if (!merge.left_alone.empty()) {
    out << input.name.File() << ": unchanged, because " << merge.left_alone << '\n';
  }
  for (std::size_t i = 0; i < merge.files.size(); ++i) {
    const buckets::MergedFile& file = merge.files[i];
    out << places[i] << ": " << file.taken() << " of " << file.choices.size()
        << " buckets from the new file\n";
    std::size_t width = 0;
    for (const auto& choice : file.choices) width = std::max(width, choice.name.size());
    for (const auto& choice : file.choices) {
      out << fmt::format("  {:<{}}  {}  {}\n", choice.name, width, choice.from_new ? "new" : "old",
                         choice.why);
    }
  }
  if (merge.files.empty()) out << "no file was written\n";
  for (const std::string& remark : merge.remarks) out << remark << '\n';
}

void PrintTritonJson(std::ostream& out, const buckets::MergeInput& input,
                     const buckets::BucketMerge& merge, const std::vector<std::string>& places,
                     const buckets::BucketRuns& runs) {
  auto files = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < merge.files.size(); ++i) {
    auto buckets = nlohmann::ordered_json::array();
    for (const auto& choice : merge.files[i].choices) {
      buckets.push_back({{"bucket", choice.name},
                         {"from", choice.from_new ? "new" : "old"},
                         {"reason", Name(choice.reason)},
                         {"why", choice.why}});
    }
    files.push_back({{"file", places[i]},
                     {"name", merge.files[i].name.File()},
                     {"taken", merge.files[i].taken()},
                     {"buckets", std::move(buckets)}});
  }
  const nlohmann::ordered_json report = {{"old", input.name.File()},
                                         {"left_alone", merge.left_alone},
                                         {"files", std::move(files)},
                                         {"times", merge.times},
                                         {"shapes", merge.shapes},
                                         {"old_environment", runs.old_environment},
                                         {"new_environment", runs.new_environment},
                                         {"remarks", merge.remarks}};
  out << report.dump(2) << '\n';
}

core::Result<buckets::BucketRuns> ReadRuns(const std::vector<std::string>& files) {
  buckets::BucketRuns runs;
  for (const std::string& file : files) {
    const auto bytes = core::FileBytes::Read(file);
    if (!bytes.ok()) return bytes.error();
    if (const auto added = buckets::AddRuns(file, bytes->view(), runs); !added.ok()) {
      return added.error();
    }
  }
  return runs;
}

// Returns the path of each written file: -o for the requested file. The other files go into the
// same folder, with their own names.
core::Result<std::vector<std::string>> Places(const TritonMergeArguments& arguments,
                                              const buckets::BucketMerge& merge) {
  const fs::path output = arguments.output;
  std::error_code error;
  const bool folder = fs::is_directory(output, error) || arguments.output.ends_with('/');
  std::vector<std::string> places;
  for (const buckets::MergedFile& file : merge.files) {
    if (file.name.config.empty() && !file.name.sizes.empty()) {
      return core::Error{"config_unknown",
                         "the special file's name contains the config's name, which DEFAULT.json "
                         "and the files beside it do not give: pass --config"};
    }
    const fs::path at = folder ? output : output.parent_path();
    const bool named = !folder && merge.left_alone.empty();
    places.push_back((named ? output : at / file.name.File()).string());
  }
  return places;
}

// A DEFAULT.json lies below a folder that has the architecture's name.
bool IsOfGfx950(const buckets::MergeInput& input, const std::string& path) {
  constexpr std::string_view kGfx950 = "gfx950";
  if (!input.name.arch.empty()) return input.name.arch == kGfx950;
  const fs::path whole = fs::absolute(path);
  return std::find(whole.begin(), whole.end(), fs::path(kGfx950)) != whole.end();
}

// Upstream removes kpack from gfx950's files, because only gfx942 has this option.
void WarnOfKpack(buckets::BucketMerge& merge) {
  for (const buckets::MergedFile& file : merge.files) {
    std::string names;
    for (const buckets::Bucket& bucket : file.file.buckets()) {
      const auto config = core::ReadJson(bucket.config);
      if (!config.is_object() || config.value("kpack", nlohmann::json()) != 1) continue;
      names += (names.empty() ? "" : ", ") + bucket.name;
    }
    if (names.empty()) continue;
    merge.remarks.push_back(
        fmt::format("warning: {} has kpack 1 in {}, which upstream removes from gfx950's files",
                    file.name.File(), names));
  }
}

// A newer AITER ignores a flat file if there is also a nested folder for the same operation beside
// it.
void WarnOfLayout(const Configuration& configuration, const std::string& path,
                  buckets::BucketMerge& merge) {
  const core::Reader* const reader = configuration.readers.Find("aiter");
  if (reader == nullptr) return;
  const fs::path whole = fs::absolute(path), root = whole.parent_path().parent_path();
  const std::string name = whole.lexically_relative(root).generic_string();  // "gemm/gfx950-..."
  const auto next = core::SucceedingPath(*reader, reader->stores.front(), name);
  if (!next.ok() || next->empty()) return;
  const std::string folder = fs::path(*next).parent_path().generic_string();
  std::error_code error;
  if (!fs::is_directory(root / folder, error)) return;
  merge.remarks.push_back(
      fmt::format("warning: beside {} lies {}. AITER reads the latter first, and newer AITER reads "
                  "only the latter",
                  name, folder));
}

}  // namespace

int MergeTriton(const Configuration& configuration, const TritonMergeArguments& arguments,
                Console& console) {
  const auto input = ReadTritonInput(configuration, arguments);
  if (!input.ok()) return Fail(console, "triton merge", input.error());
  const auto runs = ReadRuns(arguments.runs);
  if (!runs.ok()) return Fail(console, "triton merge", runs.error());
  auto merge = buckets::MergeBuckets(*input, *runs);
  if (!merge.ok()) return Fail(console, "triton merge", merge.error());
  if (IsOfGfx950(*input, arguments.old_file)) WarnOfKpack(*merge);
  WarnOfLayout(configuration, arguments.old_file, *merge);
  const auto places = Places(arguments, *merge);
  if (!places.ok()) return Fail(console, "triton merge", places.error());
  for (std::size_t i = 0; i < places->size(); ++i) {
    const auto written = core::WriteAtomically((*places)[i], merge->files[i].file.Text());
    if (!written.ok()) return Fail(console, "triton merge", written.error());
  }
  (arguments.json ? PrintTritonJson : PrintTritonText)(console.out, *input, *merge, *places, *runs);
  std::size_t taken = 0;
  for (const buckets::MergedFile& file : merge->files) taken += file.taken();
  return taken > 0 ? kGood : kFinding;
}

int RunTriton(int argc, char** argv, Console& console) {
  TritonMergeArguments arguments;
  std::string configs;
  cli::CommandLine line(
      "Merges AITER's Triton configs: measured times choose the config of each bucket of M.",
      "tunehub-agent triton");
  cli::CommandLine& merge =
      line.AddCommand("merge", "merge two files so that no measured shape gets slower");
  cli::CommandLine& runs = line.AddCommand("template", "print an empty CSV for measured times");
  merge.Add("OLD", arguments.old_file, "the current file, under its upstream name").Required();
  merge.Add("NEW", arguments.new_file, "the changed file").Required();
  merge
      .Add("--measured", arguments.runs,
           "CSVs of times with the old and with the new config (see template)")
      .Required();
  merge.Add("-o,--output", arguments.output, "the merged file, or a folder").Required();
  merge.Add("--kernel", arguments.kernel,
            "the kernel's name in the CSVs; default: the config's in lower case");
  merge.Add("--config", arguments.config, "the config's name, if OLD is a DEFAULT.json");
  merge
      .Add("--bounds", arguments.bounds,
           "the bounds of M that the kernel's lookup tries; default: the known bounds")
      .Delimiter(',');
  AddCompareLimits(merge, arguments.limits, "old", "runs of one shape");
  merge.Add("--configs", configs, "folder with families/, whose triton_gemm.json has the bounds");
  merge.AddFlag("--json", arguments.json, "report as JSON");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if (runs.IsTyped()) {
    console.out << buckets::RunsTemplate();
    return kGood;
  }
  const auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "triton", configuration.error());
  return MergeTriton(*configuration, arguments, console);
}

}  // namespace tunehub::agent
