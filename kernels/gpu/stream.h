// A stream of launches, timed by the device's events, and blocks of the device's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "kernels/gpu/driver.h"
#include "kernels/gpu/kernel_set.h"
#include "kernels/gpu/modules.h"
#include "kernels/problem.h"

namespace tunehub::kernels::gpu {

// Recorded launches. One call of the driver runs them again.
class Graph {
 public:
  Graph(const Driver& driver, hipGraphExec_t graph) : driver_(driver), graph_(graph) {}
  ~Graph() { static_cast<void>(driver_.destroy_made_graph(graph_)); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  hipGraphExec_t get() const { return graph_; }

 private:
  const Driver& driver_;
  hipGraphExec_t graph_;
};

class Stream {
 public:
  // `driver` must outlive the stream. Errors: the driver's errors.
  static core::Result<std::unique_ptr<Stream>> Make(const Driver& driver);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  hipStream_t get() const { return stream_; }

  // Puts the launches into the stream without waiting for them.
  core::Status Put(Modules& modules, const Launches& launches);
  // Runs the launches and waits for them.
  core::Status RunOnce(Modules& modules, const Launches& launches);
  core::Status Wait();

  // Records the launches that `work` puts into the stream. `work` must load no code, because a
  // capture cannot. Uploads the graph at once, because otherwise its first run would take longer.
  core::Result<std::unique_ptr<Graph>> Capture(
      const std::function<core::Status(hipStream_t)>& work);
  // Records `count` launches of a problem; number i is turn[i % size].
  core::Result<std::unique_ptr<Graph>> Capture(Modules& modules,
                                               const std::vector<const Launches*>& turn, int count);
  // The time of one run of the graph, in microseconds.
  core::Result<double> Time(const Graph& graph);
  // Returns the time of the launches, without the work that `before` puts into the stream.
  core::Result<double> Time(Modules& modules, const Launches& launches,
                            const std::function<int(hipStream_t)>& before);

 private:
  explicit Stream(const Driver& driver) : driver_(driver) {}
  core::Result<double> Between();

  const Driver& driver_;
  hipStream_t stream_ = nullptr;
  hipEvent_t begin_ = nullptr, end_ = nullptr;
};

class Memory {
 public:
  Memory() = default;
  // Errors: out_of_memory; the driver's errors.
  static core::Result<Memory> Make(const Driver& driver, std::size_t bytes);

  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  Memory(Memory&& other) noexcept
      : driver_(other.driver_),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Memory();

  core::Status Write(const void* from, std::size_t bytes);
  core::Status Read(void* to, std::size_t bytes) const;
  core::Status CopyFrom(const Memory& other);
  // Sets every byte.
  core::Status Fill(unsigned char value);

  void* data() const { return data_; }  // the device's address; null: empty
  std::size_t size() const { return bytes_; }

 private:
  const Driver* driver_ = nullptr;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Does the same as ValuesOfRows for an output on the device. Errors: the driver's errors.
core::Result<std::vector<float>> ReadRows(const Problem& problem, const Memory& output,
                                          const std::vector<std::int64_t>& rows);

}  // namespace tunehub::kernels::gpu
