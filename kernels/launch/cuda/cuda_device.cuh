// SPDX-License-Identifier: Apache-2.0
// The batched strategy's loops on a CUDA device: kernels over items, Thrust and CUB for sorts and scans, and one graph
// for a round from its solve to its end, with a conditional node for the solve's loop: the host launches it once and
// does not see its iterations.
#pragma once

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <cub/device/device_segmented_sort.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/batch/batch_view.hpp"
#include "kernels/launch/cuda/block_product.cuh"
#include "kernels/launch/cuda/device_buffer.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

template <class F>
__global__ void item_kernel(int n, const F f) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    f(i);
  }
}

// Does f(i) hold for any i that falls to this block of the grid?
template <class F>
__device__ bool any_of_block(int n, const F& f) {
  bool mine = false;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n && !mine;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    mine = f(i);
  }
  return __syncthreads_or(mine ? 1 : 0) != 0;
}

// Stores 1 in `found`, which was 0, if any f(i) holds.
template <class F>
__global__ void any_kernel(int n, const F f, int* found) {
  if (any_of_block(n, f) && threadIdx.x == 0) *found = 1;
}

// One thread, after any_kernel: the loop of a graph goes on if something was found, and the search begins anew.
static __global__ void go_on_kernel(int* found, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, *found != 0 ? 1u : 0u);
  *found = 0;
}

// Both in one, by one block.
template <class F>
__global__ void go_on_few_kernel(int n, const F f, cudaGraphConditionalHandle handle) {
  const bool any = any_of_block(n, f);
  if (threadIdx.x == 0) cudaGraphSetConditional(handle, any ? 1u : 0u);
}

// A graph in the making and its program. Whatever throws on the way, the stream is given free and nothing is left
// behind.
struct Recording {
  Recording() = default;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    cudaGraph_t dropped = nullptr;
    if (of != nullptr) cudaStreamEndCapture(of, &dropped);
    if (program != nullptr) cudaGraphExecDestroy(program);
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
  void end(cudaGraph_t* recorded) {
    const cudaStream_t stream = of;
    of = nullptr;
    cuda_check(cudaStreamEndCapture(stream, recorded), "end to record");
  }

  cudaStream_t of = nullptr;  // that is being recorded
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t program = nullptr;
};

struct TimesSize {
  int size;
  __host__ __device__ int operator()(int segment) const { return segment * size; }
};

class GpuDevice {
 public:
  // Iterations between two checks whether the solve has ended. An unneeded iteration costs about as many launches as a
  // check. Counted, not measured.
  static constexpr int iterations_a_look = 2;

  // Memory that grows; what it held is lost when it does.
  template <class T>
  class Buffer {
   public:
    T* capacity(int count) {
      const auto wanted = static_cast<std::size_t>(std::max(count, 1));
      const std::size_t held = data_.bytes() / sizeof(T);
      return data_.template capacity<T>(wanted <= held ? wanted : std::max(wanted, held + held / 2));
    }

   private:
    GrowingBuffer data_;
  };

  GpuDevice() {
    found_ = DeviceBuffer(sizeof(int));
    product_.use();
    int driver = 0;
    cuda_check(cudaDriverGetVersion(&driver), "ask for the driver's version");
    records_ = driver >= first_driver_with_loops;
  }
  GpuDevice(const GpuDevice&) = delete;
  GpuDevice& operator=(const GpuDevice&) = delete;

  auto policy() const { return thrust::cuda::par_nosync.on(stream_); }

  const char* product_name() const { return product_.name(); }
  // Whether rounds are recorded, or launched kernel by kernel, as under drivers that know no loops within graphs.
  bool records() const { return records_; }

  template <class F>
  void for_each(int n, const F& f) {
    if (n <= 0) return;
    item_kernel<<<blocks_for(n), block_size, 0, stream_>>>(n, f);
    cuda_check(cudaGetLastError(), "launch");
  }

  template <class F>
  void for_each(Items items, const F& f) {
    for_each(items.count, f);
  }

  // Returns all items. While a graph is recorded the host cannot know which are wanted; an unwanted item costs one
  // thread a test.
  template <class F>
  static Items narrowed(std::size_t, Items items, const F&) {
    return items;
  }

  template <class F>
  bool any(int n, const F& f) {
    cuda_check(cudaMemsetAsync(found_.as<int>(), 0, sizeof(int), stream_), "clear");
    look_for_any(n, f);
    int found = 0;
    read(&found, found_.as<int>(), 1);
    return found != 0;
  }

  // Runs f, which only launches kernels, as one graph. Code is loaded at its first launch, so the first runs, until one
  // with all loops at work (`whole`), are not recorded.
  template <class F>
  void record(const F& f, bool whole) {
    if (!loaded_ || !records_) {
      f();
      loaded_ = whole;
      return;
    }
    Recording recording;
    cuda_check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "begin to record");
    recording.of = stream_;
    recording_ = true;
    try {
      f();
    } catch (...) {
      recording_ = false;
      throw;
    }
    recording_ = false;
    recording.end(&recording.graph);
    cuda_check(cudaGraphInstantiate(&recording.program, recording.graph, 0), "make a program of a graph");
    cuda_check(cudaGraphLaunch(recording.program, stream_), "launch a graph");
    cuda_check(cudaStreamSynchronize(stream_), "run a graph");
  }

  // While a graph is recorded: a conditional node of it, whose body is recorded from a stream of its own.
  template <class Body, class F>
  void repeat(const Body& body, int n, const F& goes_on) {
    if (!recording_) {
      if (records_) {
        cudaFuncAttributes loaded{};  // a recording must not be the first to use them
        cuda_check(cudaFuncGetAttributes(&loaded, go_on_kernel), "load a kernel");
        cuda_check(cudaFuncGetAttributes(&loaded, go_on_few_kernel<F>), "load a kernel");
      }
      do body();
      while (any(n, goes_on));
      return;
    }
    cuda_check(cudaMemsetAsync(found_.as<int>(), 0, sizeof(int), stream_), "record");
    cudaGraphConditionalHandle handle{};
    const cudaGraph_t loop = add_loop(handle);
    Recording recording;  // of the loop; its graph belongs to the one around it
    cuda_check(
        cudaStreamBeginCaptureToGraph(inner_.handle, loop, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal),
        "begin to record a loop");
    recording.of = inner_.handle;
    const OtherStream within(*this, inner_.handle);
    body();
    if (n <= few) {
      go_on_few_kernel<<<1, block_size, 0, stream_>>>(n, goes_on, handle);
    } else {
      look_for_any(n, goes_on);
      go_on_kernel<<<1, 1, 0, stream_>>>(found_.as<int>(), handle);
    }
    cuda_check(cudaGetLastError(), "record");
    recording.end(nullptr);
  }

  int scan(int* x, int n) {
    cuda_check(cudaMemsetAsync(x + n, 0, sizeof(int), stream_), "clear");
    check_items(thrust::reduce(policy(), x, x + n, std::int64_t{0}));
    thrust::exclusive_scan(policy(), x, x + n + 1, x);
    int total = 0;
    read(&total, x + n, 1);
    return total;
  }

  void sort(std::uint64_t* keys, int n) { thrust::sort(policy(), keys, keys + n); }

  void sort_within(int segments, int size, std::uint64_t* keys, int* values) {
    const int n = segments * size;
    std::uint64_t* const keys_out = sorted_keys_.capacity(n);
    int* const values_out = sorted_values_.capacity(n);
    const auto begin = thrust::make_transform_iterator(thrust::make_counting_iterator(0), TimesSize{size});
    std::size_t bytes = 0;
    cuda_check(cub::DeviceSegmentedSort::StableSortPairs(nullptr, bytes, keys, keys_out, values, values_out, n,
                                                         segments, begin, begin + 1, stream_),
               "sort");
    cuda_check(
        cub::DeviceSegmentedSort::StableSortPairs(scratch_.capacity(static_cast<int>(bytes)), bytes, keys, keys_out,
                                                  values, values_out, n, segments, begin, begin + 1, stream_),
        "sort");
    copy(keys, keys_out, static_cast<std::size_t>(n));
    copy(values, values_out, static_cast<std::size_t>(n));
  }

  void group(const int* group_of, int n, int groups, int* first, int* order) {
    int* const keys = sorted_values_.capacity(n);
    copy(keys, group_of, static_cast<std::size_t>(n));
    thrust::sequence(policy(), order, order + n);
    thrust::stable_sort_by_key(policy(), keys, keys + n, order);
    thrust::lower_bound(policy(), keys, keys + n, thrust::make_counting_iterator(0),
                        thrust::make_counting_iterator(groups + 1), first);
  }

  template <int Height, int Width, class Wanted>
  void multiply(const BlockMatrix& a, Items rows, int columns, const Real* x, const Real* add, Real* y,
                const Wanted& wanted) {
    product_.template multiply<Height, Width>(*this, stream_, a, rows.count, columns, x, add, y, wanted);
  }

  template <class T>
  void read(T* to, const T* from, std::size_t count) {
    cuda_check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToHost, stream_), "copy from the device");
    cuda_check(cudaStreamSynchronize(stream_), "wait for the device");
  }
  template <class T>
  void write(T* to, const T* from, std::size_t count) {
    cuda_check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyHostToDevice, stream_), "copy to the device");
    cuda_check(cudaStreamSynchronize(stream_), "wait for the device");
  }
  template <class T>
  void copy(T* to, const T* from, std::size_t count) {
    cuda_check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice, stream_), "copy on the device");
  }

 private:
  static constexpr int first_driver_with_loops = 12030;
  static constexpr int block_size = 128;
  static constexpr int few = 8 * block_size;  // so many are looked at by one block, in one launch instead of two

  // Of no items: one block that finds nothing.
  template <class F>
  void look_for_any(int n, const F& f) {
    any_kernel<<<std::max(1u, blocks_for(n)), block_size, 0, stream_>>>(n, f, found_.as<int>());
    cuda_check(cudaGetLastError(), "launch");
  }

  static unsigned blocks_for(int n) { return static_cast<unsigned>((n + block_size - 1) / block_size); }

  // First to come and last to go: all else works in it.
  struct Stream {
    Stream() { cuda_check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "make a stream"); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { cudaStreamDestroy(handle); }
    cudaStream_t handle = nullptr;
  };

  // All goes to another stream while this lives.
  struct OtherStream {
    OtherStream(GpuDevice& its, cudaStream_t other) : device(its), before(its.stream_) { device.stream_ = other; }
    OtherStream(const OtherStream&) = delete;
    OtherStream& operator=(const OtherStream&) = delete;
    ~OtherStream() { device.stream_ = before; }
    GpuDevice& device;
    cudaStream_t before;
  };

  // A conditional node in the graph that is being recorded, after all that is in it; returns the graph of its body.
  cudaGraph_t add_loop(cudaGraphConditionalHandle& handle) {
    cudaStreamCaptureStatus status{};
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t* before = nullptr;
    std::size_t count = 0;
    cudaGraphNodeParams loop{};
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
    cuda_check(cudaStreamGetCaptureInfo(stream_, &status, nullptr, &graph, &before, nullptr, &count),
               "look at a graph");
#else
    cuda_check(cudaStreamGetCaptureInfo_v2(stream_, &status, nullptr, &graph, &before, &count), "look at a graph");
#endif
    cuda_check(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault), "make a loop");
    loop.conditional.handle = handle;
#if CUDART_VERSION >= 13000
    cuda_check(cudaGraphAddNode(&node, graph, before, nullptr, count, &loop), "add a loop");
    cuda_check(cudaStreamUpdateCaptureDependencies(stream_, &node, nullptr, 1, cudaStreamSetCaptureDependencies),
               "go on after a loop");
#else
    cuda_check(cudaGraphAddNode(&node, graph, before, count, &loop), "add a loop");
    cuda_check(cudaStreamUpdateCaptureDependencies(stream_, &node, 1, cudaStreamSetCaptureDependencies),
               "go on after a loop");
#endif
    return loop.conditional.phGraph_out[0];
  }

  Stream owner_, inner_;
  cudaStream_t stream_ = owner_.handle;
  bool loaded_ = false;
  bool records_ = true;
  bool recording_ = false;
  DeviceBuffer found_;
  Buffer<std::uint64_t> sorted_keys_;
  Buffer<int> sorted_values_;
  Buffer<unsigned char> scratch_;
  BlockProduct product_;
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
