// If a connection fails because memory is full, the listener must still accept the next one.
#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/api/transport_fixture.h"

namespace {

// Allocations of at least this size fail, except on the test's thread. 0: no allocation fails.
std::atomic<std::size_t> refused_size{0};
std::atomic<int> refusals{0};
thread_local bool is_test_thread = false;

}  // namespace

// Not inline, because the compiler would then warn that new and free() do not match.
[[gnu::noinline]] void* operator new(std::size_t size) {
  const std::size_t refused = refused_size.load(std::memory_order_relaxed);
  if (refused != 0 && size >= refused && !is_test_thread) {
    ++refusals;
    throw std::bad_alloc();
  }
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tunehub::http {
namespace {

TEST_F(TransportPlainTest, what_one_connection_lacks_ends_no_listening) {
  is_test_thread = true;
  options_.reactors = 1;
  Start();
  EXPECT_EQ(Answer(Get("/fast")), "200 fast /fast");
  refused_size = 512;  // an HTTP session is larger
  {
    test::RawHttp unlucky(port());
    EXPECT_FALSE(unlucky.Exchange(Get("/fast")));
  }
  refused_size = 0;
  EXPECT_GE(refusals, 1);
  EXPECT_EQ(Answer(Get("/fast")), "200 fast /fast");
}

}  // namespace
}  // namespace tunehub::http
