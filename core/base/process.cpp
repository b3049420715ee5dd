#include "core/base/process.h"

#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <system_error>
#include <thread>

#include "core/base/encoding.h"
#include "core/base/hash.h"

namespace tunehub::core {
namespace {

// By default, glibc raises this threshold up to 32 MB as the program frees larger blocks.
constexpr int kMappedFrom = 1024 * 1024;
// Each arena keeps its own freed memory. By default, glibc makes eight arenas per processor.
constexpr int kMostArenas = 8;
constexpr std::int64_t kWorthwhile = 16 * 1024 * 1024;

// Returns the resident anonymous memory minus the bytes that the heap has handed out. If statm is
// unreadable, it counts as 0.
std::int64_t Unused() {
  std::ifstream in("/proc/self/statm");
  std::int64_t size = 0, resident = 0, of_files = 0;
  in >> size >> resident >> of_files;
  const struct mallinfo2 heap = mallinfo2();
  return (resident - of_files) * sysconf(_SC_PAGESIZE) -
         static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
}

// Fields of /proc/self/stat after the program's name, which may contain any character. proc(5)
// numbers the first of them 3.
struct Stat {
  double user_ticks = 0, kernel_ticks = 0, start_ticks = 0;
  std::size_t threads = 0, virtual_bytes = 0, resident_pages = 0;
};

std::optional<Stat> ReadStat() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  Stat stat;
  std::string skipped;
  const auto skip = [&](int count) {
    for (int i = 0; i < count; ++i) fields >> skipped;
  };
  skip(11);
  fields >> stat.user_ticks >> stat.kernel_ticks;
  skip(4);
  fields >> stat.threads;
  skip(1);
  fields >> stat.start_ticks >> stat.virtual_bytes >> stat.resident_pages;
  return fields ? std::optional(stat) : std::nullopt;
}

// Does not count the descriptor that reads the folder.
std::size_t CountOpenFiles() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (error) return 0;
  const auto count = std::distance(begin(files), end(files));
  return count > 0 ? static_cast<std::size_t>(count) - 1 : 0;
}

double SecondsOf(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

constexpr std::string_view kOwner{"GNU\0", 4};  // a note counts the final zero

std::size_t Padded(std::size_t bytes) {
  return (bytes + 3) / 4 * 4;
}

std::string FindBuildId(std::string_view notes) {
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const std::size_t name = Padded(note.n_namesz), content = Padded(note.n_descsz);
    if (name + content > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(0, note.n_namesz) == kOwner) {
      return Hex(notes.substr(name, note.n_descsz));
    }
    notes.remove_prefix(name + content);
  }
  return "";
}

// Callback of dl_iterate_phdr. The program itself comes first. Returning 1 skips its libraries.
int ReadProgram(dl_phdr_info* program, std::size_t, void* id) {
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = program->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives the address as a number
    const auto* const begin = reinterpret_cast<const char*>(program->dlpi_addr + part.p_vaddr);
    const std::string found = FindBuildId({begin, part.p_memsz});
    if (found.empty()) continue;
    *static_cast<std::string*>(id) = found;
    break;
  }
  return 1;
}

}  // namespace

void SettleHeap() {
  // NOLINTBEGIN(concurrency-mt-unsafe): called before other threads start
  mallopt(M_MMAP_THRESHOLD, kMappedFrom);
  mallopt(M_ARENA_MAX, kMostArenas);
  // NOLINTEND(concurrency-mt-unsafe)
}

void HeapKeeper::Look() {
  const std::int64_t unused = Unused();
  rest_ = std::min(rest_, unused);
  if (unused < std::max<std::int64_t>(rest_, 0) + kWorthwhile) return;
  malloc_trim(0);
  rest_ = Unused();
}

std::optional<ProcessUsage> ReadProcessUsage() {
  const auto stat = ReadStat();
  if (!stat) return std::nullopt;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  ProcessUsage usage;
  usage.cpu_seconds = (stat->user_ticks + stat->kernel_ticks) / ticks;
  // Computed once, so that the start does not move with the clock.
  static const double booted = SecondsOf(CLOCK_REALTIME) - SecondsOf(CLOCK_BOOTTIME);
  usage.started_seconds = booted + stat->start_ticks / ticks;
  usage.resident_bytes = stat->resident_pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  usage.virtual_bytes = stat->virtual_bytes;
  usage.threads = stat->threads;
  usage.open_files = CountOpenFiles();
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) usage.most_files = files.rlim_cur;
  return usage;
}

std::string BuildId() {
  std::string id;
  dl_iterate_phdr(ReadProgram, &id);
  return id;
}

std::function<bool()> CatchStopSignals(SecondSignal second) {
  sigset_t stops;
  ::sigemptyset(&stops);
  for (const int it : {SIGTERM, SIGINT}) {
    ::signal(it, SIG_DFL);  // a shell starts background jobs with SIGINT ignored
    ::sigaddset(&stops, it);
  }
  ::pthread_sigmask(SIG_BLOCK, &stops, nullptr);
  auto stopped = std::make_shared<std::atomic<bool>>(false);
  std::thread([stops, stopped, second] {
    int signal = 0;
    ::sigwait(&stops, &signal);
    *stopped = true;
    if (second == SecondSignal::kEndsProcess) ::pthread_sigmask(SIG_UNBLOCK, &stops, nullptr);
    for (;;) ::pause();
  }).detach();
  return [stopped] { return stopped->load(); };
}

std::string RandomBytes(std::size_t bytes) {
  std::string out(bytes, '\0');
  if (::getrandom(out.data(), out.size(), 0) != static_cast<ssize_t>(bytes)) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  return out;
}

std::string RandomUuid() {
  Hash128 id;
  std::ranges::copy(RandomBytes(id.bytes.size()), id.bytes.begin());
  id.bytes[6] = static_cast<unsigned char>((id.bytes[6] & 0x0F) | 0x40);  // version 4
  id.bytes[8] = static_cast<unsigned char>((id.bytes[8] & 0x3F) | 0x80);  // RFC 9562 variant
  return id.Uuid();
}

}  // namespace tunehub::core
