#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/hash.h"

namespace tunehub::core {
namespace {

constexpr char kOfNothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr char kOfAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char kOfTwoBlocks[] = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";

TEST(Sha256, gives_the_digests_of_fips180) {
  EXPECT_EQ(Sha256Hex(""), kOfNothing);
  EXPECT_EQ(Sha256Hex("abc"), kOfAbc);
  EXPECT_EQ(Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), kOfTwoBlocks);
}

TEST(Sha256, bytes_and_hex_say_the_same) {
  const auto bytes = Sha256("abc");
  EXPECT_EQ(bytes.front(), 0xBA);
  EXPECT_EQ(bytes.back(), 0xAD);
}

TEST(Sha256, threads_do_not_share_state) {
  const std::vector<std::pair<const char*, const char*>> inputs = {{"", kOfNothing},
                                                                   {"abc", kOfAbc}};
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (const auto& [input, digest] : inputs) {
    threads.emplace_back([&wrong, input = input, digest = digest] {
      for (int n = 0; n < 20000; ++n) wrong += Sha256Hex(input) == digest ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tunehub::core
