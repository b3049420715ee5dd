#include "onednn.h"

#include <omp.h>

#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "kernels/check.h"
#include "kernels/format.h"

namespace tunehub::bench {

using dnnl::memory;
using kernels::Operands;
using kernels::Problem;

struct OneDnn::State {
  OneDnnType type = OneDnnType::kInt8;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::matmul primitive;
  std::string implementation;
  memory source, output;
  std::vector<memory> weights;
  std::size_t next = 0;

  void Call() {
    next = (next + 1) % weights.size();
    primitive.execute(
        stream,
        {{DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, weights[next]}, {DNNL_ARG_DST, output}});
    stream.wait();
  }
};

namespace {

memory::data_type InputType(OneDnnType type) {
  switch (type) {
    case OneDnnType::kInt8:
      return memory::data_type::s8;
    case OneDnnType::kBf16:
      return memory::data_type::bf16;
    case OneDnnType::kF32:
      break;
  }
  return memory::data_type::f32;
}

// Copies `count` elements into `to`, widened where oneDNN computes in float32.
void Fill(OneDnnType type, const kernels::Buffer& from, std::size_t count, void* to) {
  if (type != OneDnnType::kF32) {
    std::memcpy(to, from.data(), from.size());
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    static_cast<float*>(to)[i] = kernels::FromBf16(from.as<std::uint16_t>()[i]);
  }
}

}  // namespace

std::unique_ptr<OneDnn> OneDnn::Make(OneDnnType type, const Problem& problem,
                                     const Operands& operands, std::size_t sets, int threads) {
  try {
    auto made = std::unique_ptr<OneDnn>(new OneDnn(std::make_unique<State>()));
    omp_set_num_threads(threads);
    made->Prepare(type, problem, operands, sets);
    return made;
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

OneDnn::OneDnn(std::unique_ptr<State> state) : state_(std::move(state)) {}

void OneDnn::Prepare(OneDnnType type, const Problem& problem, const Operands& operands,
                     std::size_t sets) {
  auto& state = *state_;
  state.type = type;
  const memory::dim m = problem.m, n = problem.n, k = problem.k;
  const auto input = InputType(type);
  using tag = memory::format_tag;
  dnnl::primitive_attr attributes;
  if (type == OneDnnType::kInt8) {
    const float* const scales = operands.w_scale.as<float>();
    attributes.set_output_scales(1 << 1, std::vector<float>(scales, scales + n));
  }
  const auto output = type == OneDnnType::kBf16 ? memory::data_type::bf16 : memory::data_type::f32;
  const dnnl::matmul::primitive_desc chosen(
      dnnl::matmul::desc({{m, k}, input, tag::ab}, {{k, n}, input, tag::any},
                         {{m, n}, output, tag::ab}),
      attributes, state.engine);
  state.implementation = chosen.impl_info_str();
  state.primitive = dnnl::matmul(chosen);
  state.source = memory(chosen.src_desc(), state.engine);
  Fill(type, operands.a, static_cast<std::size_t>(m * k), state.source.get_data_handle());
  state.output = memory(chosen.dst_desc(), state.engine);
  // W is n x k, row-major: as a k x n matrix its columns lie one after the other.
  memory plain({{k, n}, input, tag::ba}, state.engine);
  Fill(type, operands.w, static_cast<std::size_t>(n * k), plain.get_data_handle());
  for (std::size_t i = 0; i < sets; ++i) {
    state.weights.emplace_back(chosen.weights_desc(), state.engine);
    dnnl::reorder(plain, state.weights.back()).execute(state.stream, plain, state.weights.back());
    state.stream.wait();
  }
}

OneDnn::~OneDnn() = default;

const std::string& OneDnn::implementation() const {
  return state_->implementation;
}

kernels::TimedCall OneDnn::launch() {
  return [this](int) { state_->Call(); };
}

double OneDnn::ErrorOfFirstRow(const Problem& problem, const Operands& operands) {
  auto& state = *state_;
  state.Call();
  std::vector<float> output;
  std::vector<double> reference;
  const auto value = [&](const kernels::Buffer& from, std::size_t at) -> double {
    return state.type == OneDnnType::kInt8 ? from.as<std::int8_t>()[at]
                                           : kernels::FromBf16(from.as<std::uint16_t>()[at]);
  };
  const auto n = static_cast<std::size_t>(problem.n), k = static_cast<std::size_t>(problem.k);
  for (std::size_t column = 0; column < n; ++column) {
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i)
      sum += value(operands.a, i) * value(operands.w, column * k + i);
    if (state.type == OneDnnType::kInt8) sum *= operands.w_scale.as<float>()[column];
    reference.push_back(sum);
    output.push_back(
        state.type == OneDnnType::kBf16
            ? kernels::FromBf16(static_cast<std::uint16_t*>(state.output.get_data_handle())[column])
            : static_cast<float*>(state.output.get_data_handle())[column]);
  }
  return kernels::Compare(output, reference).err_ratio;
}

}  // namespace tunehub::bench
