#include "agent/aiter/tuners/jit_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <system_error>

#include "agent/aiter/ask_python.h"
#include "core/base/sha256.h"
#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent::tuners {
namespace {

namespace fs = std::filesystem;

// Enough to tell the AITERs of one host apart.
constexpr std::size_t kDigestDigits = 16;
constexpr char kLock[] = ".lock", kBuildLock[] = "lock_";
// A module compiled for one torch does not load in another.
constexpr char kAskVersions[] =
    "import sys, importlib.metadata as m\n"
    "print(sys.implementation.cache_tag, *[d.version for d in m.distributions(name='torch')])";

// What is compiled, and what says how; not tables, nor what came of it.
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

// A copy that is there whole or not at all, and as old as the module.
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

// AITER waits for a module's build lock however dead its owner is.
void RemoveBuildLocks(const fs::path& build) {
  std::error_code error, ignored;
  for (const auto& entry : fs::directory_iterator(build, error)) {
    if (entry.path().filename().string().starts_with(kBuildLock)) {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

}  // namespace

std::string AiterDigest(const fs::path& aiter, const std::string& python) {
  std::map<std::string, std::string> digests;  // by path: in an order of their own
  for (const char* below : {"aiter", "csrc", "aiter_meta/csrc"}) AddSources(aiter, below, digests);
  std::string text = AskPython(python, kAskVersions) + "\n";
  for (const auto& [path, digest] : digests) text += fmt::format("{} {}\n", path, digest);
  return core::Sha256Hex(text);
}

std::string RocmVersion() {
  const char* const root = std::getenv("ROCM_PATH");  // NOLINT(concurrency-mt-unsafe)
  std::ifstream in(fs::path(root == nullptr ? "/opt/rocm" : root) / ".info/version");
  std::string version;
  in >> version;
  for (char& c : version) {
    if (c == '/') c = '_';  // it becomes a folder's name
  }
  return version.empty() ? kUnknownRocm : version;
}

core::Result<JitFolder> JitFolder::Open(const fs::path& kept, const fs::path& aiter,
                                        const std::string& python) {
  JitFolder folder;
  folder.path_ =
      fs::absolute(kept) /
      fmt::format("{}_rocm-{}", AiterDigest(aiter, python).substr(0, kDigestDigits), RocmVersion());
  std::error_code error;
  fs::create_directories(folder.path_, error);
  if (error) return core::Unwritable(folder.path_, error);
  const fs::path lock = folder.path_ / kLock;
  folder.lock_ = core::Fd(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!folder.lock_.ok()) return core::Unwritable(lock, errno);
  if (::flock(folder.lock_.get(), LOCK_EX | LOCK_NB) == 0) {
    RemoveBuildLocks(folder.path_ / "build");
    if (core::Status status = Seed(aiter / "aiter" / "jit", folder.path_); !status.ok()) {
      return status.error();
    }
  }
  // Waits for another that is seeding it, and for nobody else.
  if (::flock(folder.lock_.get(), LOCK_SH) != 0) {
    return core::Unwritable(lock, errno);
  }
  return folder;
}

}  // namespace tunehub::agent::tuners
