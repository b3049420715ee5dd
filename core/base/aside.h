// Work in which several threads wait for one: what waits need not keep a worker's place meanwhile.
#pragma once

namespace tunehub::core {

// What a pool of workers gives each of its threads: a place among the few that work at a time.
class Workplace {
 public:
  virtual void Leave() = 0;
  virtual void Return() = 0;  // waits until a place is free

 protected:
  ~Workplace() = default;
};

// Of the calling thread; null: it works without one.
inline thread_local Workplace* own_workplace = nullptr;

// Leaves the calling thread's place to others for as long as this lives. Its end may wait: no lock
// is to be held then.
class Aside {
 public:
  Aside() {
    if (own_workplace != nullptr) own_workplace->Leave();
  }
  ~Aside() {
    if (own_workplace != nullptr) own_workplace->Return();
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
};

}  // namespace tunehub::core
