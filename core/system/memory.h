// The heap's habits: what was freed goes back to the system, so that one large answer does not stay
// in the process for ever.
#pragma once

#include <cstdint>

namespace tunehub::core {

// To be called once, before threads start: large blocks are mapped by themselves, and go back where
// they are freed.
void SettleHeap();

// Gives back what nobody uses of the heap, where it has become more.
class HeapKeeper {
 public:
  // To be called from time to time: a look walks all free blocks, which may take ten milliseconds.
  void Look();

 private:
  // What the process has beyond what is in use, after the last time: the heap cannot give it back.
  std::int64_t rest_ = 0;
};

}  // namespace tunehub::core
