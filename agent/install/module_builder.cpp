#include "agent/install/module_builder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cctype>
#include <system_error>

#include "core/base/process.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

bool IsWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
}

// The header as one line, without comments and line continuations.
std::string Joined(std::string_view header) {
  std::string text;
  for (std::size_t at = 0; at < header.size(); ++at) {
    if (header.substr(at, 2) == "/*") {
      at = std::min(header.find("*/", at + 2), header.size() - 2) + 1;
    } else if (header.substr(at, 2) == "//") {
      at = std::min(header.find('\n', at), header.size()) - 1;
    } else if (header[at] != '\\' && std::isspace(static_cast<unsigned char>(header[at])) == 0) {
      text.push_back(header[at]);
    }
  }
  return text;
}

// Returns the text inside the braces or quotes before a function's comma: "gfx942",304,16,1280,8192
// or a name. Returns "" if `text` is not a row.
std::string KeyBefore(std::string_view text) {
  if (!text.ends_with(',')) return {};
  text.remove_suffix(1);
  const char open = text.ends_with('}') ? '{' : text.ends_with('"') ? '"' : '\0';
  if (open == '\0') return {};
  text.remove_suffix(1);
  const std::size_t begin = text.rfind(open);
  if (begin == std::string_view::npos || begin == 0 || text[begin - 1] != '{') return {};
  return std::string(text.substr(begin + 1));
}

void Keep(std::vector<std::string>& list, std::size_t& count, std::string text) {
  if (++count <= kMostKeys) list.push_back(std::move(text));
}

constexpr char kTree[] = "work";  // below the staging folder
constexpr char kKept[] = ".tunehub-before";

// Runs AITER's build as its setup.py does, without importing the package, since an import needs a
// GPU. The arguments of build_module differ between releases.
constexpr char kBuild[] =
    "import inspect, sys\n"
    "root, module = sys.argv[1:3]\n"
    "sys.path.insert(0, root + '/aiter')\n"
    "from jit import core\n"
    "known = core.get_args_of_build(module)\n"
    "if not known.get('srcs'):\n"
    "    sys.exit(module + ' is no module of this AITER')\n"
    "wanted = inspect.signature(core.build_module).parameters\n"
    "core.build_module(**{**{k: v for k, v in known.items() if k in wanted}, 'md_name': module})\n";

// Moves a module and its build folder, if there is one, to another JIT folder. Moves the library
// first, since AITER loads it. The build folder speeds up the next build, and contains the header
// with the lookup table.
core::Status Move(const fs::path& from, const fs::path& to, const std::string& library) {
  const fs::path file = library + ".so", build = fs::path("build") / library;
  std::error_code error;
  fs::create_directories(to / "build", error);
  if (!error && fs::exists(from / file, error)) fs::rename(from / file, to / file, error);
  if (!error) fs::remove_all(to / build, error);
  if (!error && fs::exists(from / build, error)) fs::rename(from / build, to / build, error);
  return error ? core::Status(core::Unwritable(to / file, error)) : core::Ok();
}

}  // namespace

LookupRows ReadLookupHeader(std::string_view header) {
  LookupRows rows;
  const std::string joined = Joined(header);
  const std::string_view text = joined;
  for (std::size_t end = text.find('<'); end != std::string_view::npos;
       end = text.find('<', end + 1)) {
    std::size_t begin = end;
    while (begin > 0 && IsWordByte(text[begin - 1])) --begin;
    std::string key = KeyBefore(text.substr(0, begin));
    if (begin < end && !key.empty()) rows[std::move(key)] = text.substr(begin, end - begin);
  }
  return rows;
}

LookupRows ReadLookupHeaders(const fs::path& folder) {
  LookupRows rows;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (!it->path().filename().string().ends_with("_lookup.h")) continue;
    const auto bytes = core::FileBytes::Read(it->path());
    if (bytes.ok()) rows.merge(ReadLookupHeader(bytes->view()));
  }
  return rows;
}

LookupChange CompareLookups(const LookupRows& before, const LookupRows& after) {
  LookupChange change;
  change.rows = after.size();
  for (const auto& [key, kernel] : after) {
    const auto old = before.find(key);
    if (old == before.end()) {
      Keep(change.added, change.rows_added, key);
    } else if (old->second != kernel) {
      Keep(change.changed, change.rows_changed,
           fmt::format("{}: {} -> {}", key, old->second, kernel));
    }
  }
  for (const auto& [key, kernel] : before) {
    if (!after.contains(key)) Keep(change.removed, change.rows_removed, key);
  }
  return change;
}

std::string SummaryOf(const LookupChange& change) {
  return fmt::format("{} rows added, {} removed, {} with another kernel; it now has {} rows",
                     change.rows_added, change.rows_removed, change.rows_changed, change.rows);
}

fs::path JitFolderOf(const fs::path& root) {
  if (std::string named = core::Environment("AITER_JIT_DIR"); !named.empty()) return named;
  fs::path own = root / "aiter" / "jit";
  if (::access(own.c_str(), W_OK) == 0) return own;
  return fs::path(core::Environment("HOME")) / ".aiter" / "jit";
}

bool RebuildsAll() {
  return core::Environment("AITER_REBUILD") == "1";
}

core::Result<ModuleBuilder> ModuleBuilder::Open(BuilderOptions options) {
  std::error_code error;
  const fs::path core = options.root / "aiter" / "jit" / "core.py";
  if (!fs::is_regular_file(core, error)) {
    return core::Error{"no_jit", core.string() + ": missing, so AITER cannot build modules"};
  }
  ModuleBuilder builder(std::move(options));
  builder.jit_ = fs::absolute(JitFolderOf(builder.options_.root));
  fs::create_directories(builder.jit_, error);
  if (error) return core::Unwritable(builder.jit_, error);
  builder.lock_ = core::Fd(::open(builder.jit_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!builder.lock_.ok()) return core::Unwritable(builder.jit_, errno);
  if (::flock(builder.lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    return core::Error{"busy",
                       builder.jit_.string() + ": another process is building modules here"};
  }
  // The staging folder is in the same file system, so that results can be renamed into place. A
  // killed build may have left files there.
  const fs::path staging = builder.jit_ / ".tunehub-build";
  fs::remove_all(staging, error);
  if (!error) fs::create_directories(staging / kTree, error);
  if (error) return core::Unwritable(staging, error);
  builder.staging_ = staging;
  auto tree = PrivateTree::Make(fs::absolute(builder.options_.root), staging / kTree, staging);
  if (!tree.ok()) return tree.error();
  builder.tree_ = *std::move(tree);
  if (builder.options_.log.empty()) builder.options_.log = builder.jit_ / "tunehub-build.log";
  return builder;
}

ModuleBuilder::~ModuleBuilder() {
  std::error_code ignored;
  tree_ = PrivateTree();
  if (lock_.ok() && !staging_.empty()) fs::remove_all(staging_, ignored);
}

core::Status ModuleBuilder::SetTable(const std::string& file, const std::string& variable,
                                     std::string_view bytes) {
  const fs::path path = tree_.path() / "aiter" / "configs" / file;
  if (core::Status status = core::WriteAtomically(path, bytes); !status.ok()) return status;
  variables_[variable] = path.string();
  return core::Ok();
}

core::Status ModuleBuilder::LeaveOut(const std::string& file) {
  const fs::path path = tree_.path() / "aiter" / "configs" / file;
  std::error_code error;
  fs::remove(path, error);
  return error ? core::Status(core::Unwritable(path, error)) : core::Ok();
}

BuiltModule ModuleBuilder::Build(const std::string& library,
                                 const std::function<bool()>& stop) const {
  BuiltModule module;
  module.library = library;
  core::ChildCommand command;
  command.arguments = {options_.python, "-c", kBuild, tree_.path().string(), library};
  command.environment = tree_.Environment();
  command.environment.insert(variables_.begin(), variables_.end());
  command.environment["AITER_REBUILD"] = "0";  // the staging folder has no old library to remove
  if (!options_.gpu_archs.empty()) command.environment["GPU_ARCHS"] = options_.gpu_archs;
  command.log = options_.log;
  std::string last;
  const auto keep = [&](std::string_view line) {
    if (!line.empty()) last = line;
  };
  const auto ended = core::RunChild(command, {}, keep, stop);
  std::error_code error;
  if (!ended.ok()) {
    module.why = ended.error().detail;
  } else if (!ended->succeeded()) {
    module.why = ended->Text() + (last.empty() ? "" : ": " + last);
  } else if (!fs::is_regular_file(staging_ / (library + ".so"), error)) {
    module.why = fmt::format("the build made no {}.so: {}", library, last);
  } else {
    module.built = true;
    module.lookup = CompareLookups(ReadLookupHeaders(jit_ / "build" / library),
                                   ReadLookupHeaders(staging_ / "build" / library));
  }
  return module;
}

core::Status ModuleBuilder::PutInPlace(const std::string& library, bool keep) const {
  const fs::path kept = jit_ / kKept;
  std::error_code error;
  if (keep && !fs::exists(kept / (library + ".so"), error)) {
    if (core::Status status = Move(jit_, kept, library); !status.ok()) return status;
  }
  return Move(staging_, jit_, library);
}

core::Result<std::size_t> PutModulesBack(const fs::path& jit) {
  std::size_t count = 0;
  std::vector<std::string> libraries;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(jit / kKept, error)) {
    if (entry.path().extension() == ".so") libraries.push_back(entry.path().stem().string());
  }
  for (const std::string& library : libraries) {
    if (core::Status status = Move(jit / kKept, jit, library); !status.ok()) return status.error();
    ++count;
  }
  fs::remove_all(jit / kKept, error);
  return count;
}

}  // namespace tunehub::agent
