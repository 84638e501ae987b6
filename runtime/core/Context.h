//===- Context.h - An artifact made ready for a device --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_CONTEXT_H
#define DYN_RUNTIME_CORE_CONTEXT_H

#include "Artifact.h"
#include "Buffer.h"
#include "Communicator.h"
#include "Device.h"
#include "GuessSwitch.h"
#include "Pool.h"
#include "Residency.h"

namespace dyn::rt {
/// A kernel with its instruction set chosen.
struct KernelCode {
  dyn_geometry_fn geometry;
  dyn_kernel_fn body;
};

/// The name of a kernel in statistics.
struct KernelName {
  const char *name, *kind;
};
} // namespace dyn::rt

/// See runtime.h. Immutable once initialized, except for what it counts.
struct dyn_context final : dyn::rt::Object<dyn_context> {
  dyn_status_t initialize(dyn_artifact &artifact,
                          const dyn_context_options_t &options);

  dyn_artifact &artifact() const { return *loaded; }
  dyn_isa_t isa() const { return chosenIsa; }
  dyn_pool *pool() const { return threads.get(); }
  /// Source of memory for intermediate results.
  const dyn::rt::MemorySource &memory() const { return source; }
  /// The device's stream that the host passed, or null.
  void *stream() const { return givenStream; }
  /// Bytes from which on launches use non-temporal stores for their results.
  uint64_t streamFrom() const { return streamBytes; }

  /// The program on a device other than the CPU, or null.
  const dyn::rt::DeviceProgram *device() const { return program.get(); }
  /// The device that runs the program.
  dyn::rt::DeviceId deviceId() const {
    return program ? program->id() : dyn::rt::DeviceId{DYN_DEVICE_CPU, 0};
  }
  /// The kernels of the CPU.
  const std::vector<dyn::rt::KernelCode> &kernels() const { return code; }

  // The entries of the program that runs.
  const std::vector<dyn::rt::Signature> &entries() const {
    return program ? program->entries() : loaded->entries();
  }
  const void *const *constants() const {
    return program    ? program->constants()
           : residing ? residing->pointers()
                      : loaded->constants().pointers();
  }
  /// Spares the first call page faults: for the code, and for constants, as far
  /// as calls of another artifact have read those that both share.
  void populateLike(const dyn_artifact &other) const;
  /// Keeps a part of the constants in memory; null if all may be there.
  dyn::rt::Residency *residency() const { return residing.get(); }
  /// The guesses of each router; null if there are no routers.
  dyn::rt::GuessSwitch *guesses() const { return switches.get(); }
  dyn::rt::GuessMode guessMode() const { return guessing; }
  /// Null without other ranks.
  dyn_communicator *communicator() const { return peers.get(); }
  uint32_t kernelCount() const {
    return program ? program->desc().kernel_count : loaded->desc().kernel_count;
  }
  dyn::rt::KernelName kernelName(uint32_t kernel) const;
  dyn::rt::Sites sites() const;

private:
  dyn_status_t open(const dyn_context_options_t &options);
  dyn_status_t chooseIsa(const char *wanted);
  dyn_status_t openCpu(const dyn_context_options_t &options);
  dyn_status_t openDevice(const dyn::rt::DeviceKind &kind,
                          const dyn_context_options_t &options);
  dyn_status_t limitMemory(uint64_t given);
  dyn_status_t chooseDriver(const dyn_driver_t *given);

  // The order matters: the artifact is unloaded last.
  dyn::rt::Ref<dyn_artifact> loaded;
  dyn::rt::Ref<dyn_pool> threads;
  dyn::rt::Ref<dyn_communicator> peers;
  dyn::rt::MemorySource source;
  dyn_isa_t chosenIsa = DYN_ISA_X86_64_V2;
  std::vector<dyn::rt::KernelCode> code;
  std::unique_ptr<dyn::rt::DeviceProgram> program;
  std::unique_ptr<dyn::rt::Residency> residing;
  std::unique_ptr<dyn::rt::GuessSwitch[]> switches;
  dyn::rt::GuessMode guessing = dyn::rt::GuessMode::Adapt;
  void *givenStream = nullptr;
  uint64_t streamBytes = UINT64_MAX;
};

#endif // DYN_RUNTIME_CORE_CONTEXT_H
