//===- Device.h - Devices other than the CPU ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contexts, executions and calls reach a device through these classes, which
// the folders of `devices` implement. Calls on the CPU do not need them:
// artifacts hold its code themselves.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_DEVICE_H
#define DYN_RUNTIME_CORE_DEVICE_H

#include "Artifact.h"
#include "Buffer.h"
#include "Sites.h"

#include <memory>

struct dyn_execution;

namespace dyn::rt {

/// The state of an execution on a device, kept from call to call.
class DeviceSpace {
public:
  virtual ~DeviceSpace() = default;

  /// Source of device memory for the execution's buffers. Valid as long as this
  /// object.
  virtual const MemorySource &memory() const = 0;
  /// Makes a call whose inputs are bound to the workspace, and passes it to
  /// `dyn_execution::runCall`.
  virtual dyn_status_t run(dyn_execution &execution, const Signature &signature,
                           const dyn_call_options_t &options,
                           const dyn_tensor_t *inputs) = 0;
  /// Waits for asynchronous calls, and reports their first error.
  virtual dyn_status_t wait(const Sites &sites, uint64_t &allocations) = 0;
  /// Adds what the device counts to the statistics of the execution.
  virtual void addStats(dyn_stats_t &stats) const = 0;
  virtual void resetStats() = 0;
};

/// The program of an artifact, loaded on a device. Immutable once opened, apart
/// from the memory it lends.
class DeviceProgram {
public:
  virtual ~DeviceProgram() = default;

  DeviceId id() const { return deviceId; }
  const dyn_program_t &desc() const { return *program; }
  const std::vector<Signature> &entries() const { return signatures; }
  /// The address of each constant on the device; null for those that only
  /// other ranks read.
  const void *const *constants() const { return addresses.data(); }
  /// The code that runs, for messages: ranks with the same have the same bits.
  virtual std::string codeName() const = 0;

  /// Source of device memory for executions.
  virtual MemorySource memorySource() const = 0;
  virtual dyn_memory_stats_t memoryStats() const = 0;
  /// Returns unused memory to the driver.
  virtual void trim() const = 0;

  /// Connects the device with those of the other ranks, which all call it.
  virtual dyn_status_t join(dyn_communicator &communicator) = 0;
  virtual dyn_exchange_info_t exchangeInfo() const = 0;

  virtual dyn_gemm_info_t gemmInfo() const = 0;
  virtual dyn_status_t writeGemms(const char *path) const = 0;

  /// Allocates device memory from `source`. Works on `givenStream`, or on a
  /// stream of its own if that is null.
  virtual dyn_status_t openSpace(const MemorySource &source, void *givenStream,
                                 std::unique_ptr<DeviceSpace> &out) const = 0;

protected:
  DeviceId deviceId = {DYN_DEVICE_CPU, 0};
  const dyn_program_t *program = nullptr;
  std::vector<Signature> signatures;
  std::vector<const void *> addresses;
};

/// A kind of device in this build of the runtime.
struct DeviceKind {
  dyn_device_kind_t kind;
  const char *name; ///< the constant in C, for messages
  /// Loads the artifact's program on the device that the options select.
  dyn_status_t (*open)(const dyn_artifact &artifact,
                       const dyn_context_options_t &options,
                       std::unique_ptr<DeviceProgram> &out);
};

/// The kinds, and one without a name after the last. Parts.cpp lists them.
extern const DeviceKind deviceKinds[];

/// A kind of device, or null if it is not in this build.
inline const DeviceKind *findDeviceKind(dyn_device_kind_t kind) {
  for (const DeviceKind *each = deviceKinds; each->name; ++each)
    if (each->kind == kind)
      return each;
  return nullptr;
}

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_DEVICE_H
