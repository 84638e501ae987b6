//===- CudaCall.h - A call on a device ------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_CUDACALL_H
#define DYN_RUNTIME_DEVICES_CUDA_CUDACALL_H

#include "Call.h"
#include "CudaSpace.h"
#include "ResidentReads.h"

namespace dyn::rt {

/// A call whose kernels run on a device. All of its work is queued on the
/// stream of its execution: one copy of the inputs that lie in host memory, the
/// kernels, one copy of the outputs that are requested there, in the layout of
/// CudaSpace. The call waits for the stream where the entry reads a value,
/// and at its end if it is not asynchronous. Paths that run beside their router
/// are on a second stream (SideStream.h).
class CudaCall final : public dyn_call {
public:
  CudaCall(const dyn_context &context, Workspace &space, CudaSpace &device,
           const Signature &signature, const dyn_call_options_t &options,
           const dyn_tensor_t *inputs)
      : dyn_call(context, space, signature, options), device(device),
        program(device.program), cuda(program.driver()), inputs(inputs),
        current(program) {}
  ~CudaCall() override;

  dyn_status_t launch(const dyn_launch_t &wanted) noexcept override;
  dyn_status_t launchMany(uint32_t count,
                          const dyn_launch_t *wanted) noexcept override;
  dyn_status_t read(void *to, const void *from,
                    int64_t bytes) noexcept override;
  dyn_status_t write(void *to, const void *from,
                     int64_t bytes) noexcept override;
  /// Beside a limit of memory, waits for the offsets: the host has to know what
  /// launches read.
  dyn_status_t fetch(const int64_t *offsets, uint32_t count,
                     const dyn_range_t *ranges, bool isSure) noexcept override;
  /// Errors of kernels are seen by the next read, or at the end.
  dyn_status_t check() noexcept override { return status; }
  /// Rows are copied, and counted when the call waits next.
  dyn_status_t guessed(uint32_t router, const int64_t *routes,
                       const int64_t *guess,
                       const int64_t *rest) noexcept override;
  dyn_status_t probe(uint32_t router, const int64_t *offsets,
                     const int64_t *seats, const int64_t *order, int64_t cells,
                     int64_t choices) noexcept override;

private:
  void *allocateOutput(uint32_t index) override;
  dyn_status_t begin() override;
  dyn_status_t end() override;
  dyn_status_t beginExchange(const RowExchange &wanted,
                             const ExchangeTerms &terms,
                             int64_t &number) override;
  dyn_status_t copyInputs();
  dyn_status_t bringOutputs();
  dyn_status_t giveOutputs(uint32_t count);
  /// Memory for `bytes` bytes of routes that are copied to the host; null if
  /// there is none.
  ProbedRoutes *addProbed(int64_t bytes) noexcept;
  dyn_status_t recordProbed();
  /// Beside a limit of memory each launch waits for what it reads.
  bool canRunBeside() const override { return !reads; }
  dyn_status_t beginGuess(uint32_t router) override;
  void countGuesses();
  bool isMeasured() const { return profile || options.trace; }
  /// Counts a launch and computes its grid; without blocks there is nothing to
  /// do.
  dyn_status_t prepare(const dyn_launch_t &wanted, dyn_grid_t &grid);
  /// Runs a launch, and measures it if requested.
  dyn_status_t run(const dyn_launch_t &wanted, const dyn_grid_t &grid);
  /// Runs chains on two streams.
  dyn_status_t runBeside(uint32_t count, const dyn_launch_t *wanted,
                         const dyn_grid_t *grids, uint32_t main);
  /// The chain that stays on the call's stream while others run beside it; 0
  /// if all do.
  uint32_t findMainChain(uint32_t count, const dyn_launch_t *wanted,
                         const dyn_grid_t *grids) const;
  /// Queues a launch: in the GEMM library, if the kernel is a GEMM that the
  /// library computes, else as the kernel.
  dyn_status_t queue(const dyn_launch_t &wanted, const dyn_grid_t &grid,
                     dyn_cuda_stream_t stream);
  /// Queues work on `stream` that reads `count` buffers, some of which may be
  /// constants.
  template <typename Fn>
  dyn_status_t queueReading(const void *const *buffers, uint32_t count,
                            const char *reader, dyn_cuda_stream_t stream,
                            Fn &&queue);
  dyn_status_t queueGemm(const dyn_launch_t &wanted, bool &isDone);
  dyn_status_t queueLaunch(const dyn_launch_t &wanted, const dyn_grid_t &grid,
                           dyn_cuda_stream_t stream);
  dyn_status_t queueToDevice(void *to, const void *from, int64_t bytes,
                             const char *what);
  dyn_status_t queueToHost(void *to, const void *from, int64_t bytes);
  /// Waits for all queued work.
  dyn_status_t synchronize();
  /// Checks the copy of the error word in host memory.
  dyn_status_t checkErrorWord();
  /// Copies the error word, waits for all queued work, and checks the word.
  dyn_status_t waitForWord();
  /// Address at which kernels record errors.
  void *errorWord() const;
  bool canFail() const { return program.desc().site_count != 0; }
  bool isOnHost(uint32_t input) const {
    return inputs[input].device == DYN_DEVICE_CPU;
  }
  int64_t getInputBytes(uint32_t input) const;
  /// Whether outputs are requested in host memory.
  bool bringsOutputs() const {
    return options.output_device != DYN_DEVICE_CUDA;
  }

  CudaSpace &device;
  const CudaProgram &program;
  const Driver &cuda;
  const dyn_tensor_t *inputs;
  CudaProgram::Current current;
  int64_t head = 0;       ///< offset of the head in the block
  int64_t outputsEnd = 0; ///< of the block, so far
  size_t numProbed = 0;
  /// Whether chains have run beside each other since the last count of guesses.
  bool ranBeside = false;
  /// The constants that it reads, if not all are in memory.
  std::optional<ResidentReads> reads;
  /// The offsets that were read last, until other work is queued.
  const int64_t *offsetsAt = nullptr;
  std::vector<int64_t> offsets;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_CUDACALL_H
