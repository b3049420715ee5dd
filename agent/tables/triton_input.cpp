#include "agent/tables/triton_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/readers/reader.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;
using buckets::BucketName;

core::Result<buckets::BucketFile> ReadBuckets(const std::string& path) {
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error();
  return buckets::BucketFile::Parse(path, bytes->view());
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

// The store of AITER's Triton GEMMs; null: the reader files have none.
const core::ReaderStore* GemmStore(const Configuration& configuration) {
  const core::Reader* reader = configuration.readers.Find("aiter");
  if (reader == nullptr) return nullptr;
  for (const core::ReaderStore& store : reader->stores) {
    if (store.body == core::BodyKind::kBuckets) return &store;
  }
  return nullptr;
}

// "gemm_afp4wfp4" -> "GEMM-AFP4WFP4"; "" where it begins as no config does.
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

// The special files beside `path`, and what a DEFAULT.json's folder calls its config.
core::Status ReadFolder(const std::string& path, const core::ReaderStore* store,
                        buckets::MergeInput& input) {
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
  if (input.name.config.empty() && store != nullptr) input.name.config = ConfigOf(*store, here);
  if (input.name.config.empty() && input.kernel.empty()) input.kernel = here;
  for (const BucketName& name : names) {
    if (name.config == input.name.config) input.siblings.push_back(name.sizes);
  }
  return core::Ok();
}

}  // namespace

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
    return core::Error{"bad_arguments",
                       "--bounds: must be given, since no reader file has buckets"};
  } else {
    const auto bounds_of = [&](const buckets::BucketFile& file) {
      return store->family->lookup.BoundsOf(input.name.config, file.bounds());
    };
    input.bounds = bounds_of(input.old_file);
    if (const auto other = bounds_of(input.new_file); other != input.bounds) {
      return core::Error{
          "other_bounds",
          fmt::format("{} is looked up by the bounds {}, {} by {}: give both the same M_BOUNDS, or "
                      "say --bounds",
                      arguments.old_file, fmt::join(input.bounds, ","), arguments.new_file,
                      fmt::join(other, ","))};
    }
  }
  const auto other = buckets::ParseBucketName(fs::path(arguments.new_file).filename().string());
  if (other.ok() && other->arch == input.name.arch && other->config == input.name.config &&
      input.name.sizes.empty()) {
    input.name.sizes = other->sizes;
  }
  return input;
}

}  // namespace tunehub::agent
