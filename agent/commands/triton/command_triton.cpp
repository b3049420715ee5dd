#include "agent/commands/triton/command_triton.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "agent/base/command_line.h"
#include "agent/commands/triton/triton_report.h"
#include "core/base/excerpt.h"
#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;
using buckets::BucketName;

core::Result<buckets::BucketFile> ReadBuckets(const std::string& path) {
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error();
  return buckets::BucketFile::Parse(path, bytes->view());
}

// The special files beside `path`, and what a DEFAULT.json's folder calls its config.
core::Status ReadFolder(const std::string& path, buckets::MergeInput& input) {
  const fs::path folder = fs::absolute(path).parent_path();
  const std::string here = folder.filename().string();
  std::vector<BucketName> names;
  std::error_code error;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    auto name = buckets::ParseBucketName(it->path().filename().string());
    if (name.ok() && name->arch == input.name.arch && !name->sizes.empty()) {
      names.push_back(*std::move(name));
    }
  }
  if (error) return core::Error{"no_folder", folder.string() + ": " + error.message()};
  for (const BucketName& name : names) {
    if (input.name.config.empty() && buckets::KernelOf(name.config) == here) {
      input.name.config = name.config;
    }
  }
  if (input.name.config.empty() && input.kernel.empty()) input.kernel = here;
  for (const BucketName& name : names) {
    if (name.config == input.name.config) input.siblings.push_back(name.sizes);
  }
  return core::Ok();
}

// Of --bounds; none: AITER's.
core::Result<std::vector<std::int64_t>> ReadBounds(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> bounds;
  for (const std::string& text : texts) {
    const auto key = buckets::KeyOf("M_LEQ_" + text);
    if (key.kind != buckets::BucketKind::kAtMost) {
      return core::Error{"bad_arguments", fmt::format("--bounds: '{}' is no whole number above 0",
                                                      core::Excerpt(text))};
    }
    bounds.push_back(key.bound);
  }
  std::ranges::sort(bounds);
  return bounds;
}

// What is merged: the old file's readers, or, where the new file is one of a default's special
// files, that one's.
core::Result<buckets::MergeInput> ReadInput(const TritonMergeArguments& arguments,
                                            const std::vector<std::int64_t>& bounds) {
  const auto name = buckets::ParseBucketName(fs::path(arguments.old_file).filename().string());
  if (!name.ok()) return name.error();
  auto old_file = ReadBuckets(arguments.old_file);
  if (!old_file.ok()) return old_file.error();
  auto new_file = ReadBuckets(arguments.new_file);
  if (!new_file.ok()) return new_file.error();
  buckets::MergeInput input{
      *name, *std::move(old_file), *std::move(new_file), {}, arguments.kernel};
  if (input.name.config.empty()) input.name.config = arguments.config;
  if (!bounds.empty()) input.bounds = bounds;
  input.limits = arguments.limits;
  if (const auto read = ReadFolder(arguments.old_file, input); !read.ok()) return read.error();
  const auto other = buckets::ParseBucketName(fs::path(arguments.new_file).filename().string());
  if (other.ok() && other->arch == input.name.arch && other->config == input.name.config &&
      input.name.sizes.empty()) {
    input.name.sizes = other->sizes;
  }
  return input;
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

// Where each file goes: the one that was asked for as -o says, others beside it by their names.
core::Result<std::vector<std::string>> Places(const TritonMergeArguments& arguments,
                                              const buckets::BucketMerge& merge) {
  const fs::path output = arguments.output;
  const bool folder = fs::is_directory(output) || arguments.output.ends_with('/');
  std::vector<std::string> places;
  for (const buckets::MergedFile& file : merge.files) {
    if (file.name.config.empty() && !file.name.sizes.empty()) {
      return core::Error{"config_unknown",
                         "the special file's name begins with the config's, which neither "
                         "DEFAULT.json nor a file beside it says: pass --config"};
    }
    const fs::path at = folder ? output : output.parent_path();
    const bool named = !folder && merge.left_alone.empty();
    places.push_back((named ? output : at / file.name.File()).string());
  }
  return places;
}

}  // namespace

int MergeTriton(const TritonMergeArguments& arguments, Console& console) {
  const auto bounds = ReadBounds(arguments.bounds);
  if (!bounds.ok()) return Fail(console, "triton merge", bounds.error());
  const auto input = ReadInput(arguments, *bounds);
  if (!input.ok()) return Fail(console, "triton merge", input.error());
  const auto runs = ReadRuns(arguments.runs);
  if (!runs.ok()) return Fail(console, "triton merge", runs.error());
  const auto merge = buckets::MergeBuckets(*input, *runs);
  if (!merge.ok()) return Fail(console, "triton merge", merge.error());
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
  cli::CommandLine line(
      "AITER's Triton configs, whose buckets of M are changed by what was measured.",
      "tunehub-agent triton");
  cli::CommandLine& merge =
      line.AddCommand("merge", "of two files, one that harms no measured shape");
  cli::CommandLine& runs =
      line.AddCommand("template", "the measured runs' format, as a CSV to fill");
  merge.Add("OLD", arguments.old_file, "the file as it is, by its upstream name").Required();
  merge.Add("NEW", arguments.new_file, "the file as somebody would have it").Required();
  merge.Add("--measured", arguments.runs, "CSVs of times with either config (see template)")
      .Required();
  merge.Add("-o,--output", arguments.output, "the merged file, or a folder").Required();
  merge.Add("--kernel", arguments.kernel,
            "the CSVs' name of it; default: the config's, lower case");
  merge.Add("--config", arguments.config, "the config's name where OLD is a DEFAULT.json");
  merge
      .Add("--bounds", arguments.bounds,
           "what the kernel's own lookup tries; default: AITER's list")
      .Delimiter(',');
  merge.Add("--ratio", arguments.limits.ratio, "slower: above this times the old time ...")
      .Range(1.0, 100.0)
      .ShowDefault();
  merge.Add("--slack-us", arguments.limits.slack_us, "... plus this").Range(0.0, 1e6).ShowDefault();
  merge.Add("--ignore-below-us", arguments.limits.ignore_below_us, "old times that say nothing")
      .Range(0.0, 1e6)
      .ShowDefault();
  merge.Add("--spread", arguments.limits.spread, "runs of one shape agree within it")
      .Range(0.0, 10.0)
      .ShowDefault();
  merge.AddFlag("--json", arguments.json, "report as JSON");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if (merge.IsTyped()) return MergeTriton(arguments, console);
  if (runs.IsTyped()) console.out << buckets::RunsTemplate();
  return kGood;
}

}  // namespace tunehub::agent
