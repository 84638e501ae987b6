//===- CudaProgram.h - An artifact's program on a device ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_CUDAPROGRAM_H
#define DYN_RUNTIME_DEVICES_CUDA_CUDAPROGRAM_H

#include "Device.h"
#include "DeviceMemory.h"
#include "DeviceRanks.h"
#include "DeviceResidency.h"
#include "Gemms.h"

namespace dyn::rt {

/// The program of an artifact for CUDA, loaded on one device: its functions,
/// and its constants in device memory, or a part of them. Immutable once open,
/// except for the memory.
class CudaProgram final : public DeviceProgram {
public:
  ~CudaProgram() override;

  /// Loads it on the device, with the driver library and the memory limit that
  /// the options name.
  static dyn_status_t open(const dyn_artifact &artifact,
                           const dyn_context_options_t &options,
                           std::unique_ptr<DeviceProgram> &program);

  const Driver &driver() const { return *cuda; }
  /// The function of each version of a kernel.
  const dyn_cuda_function_t *functions(uint32_t kernel) const {
    return &versions[firstVersion[kernel]];
  }
  /// Words of the parameters of the kernel that has the most.
  size_t mostWords() const { return words; }
  /// The GEMM library, if there is one.
  Gemms &gemms() const { return *library; }
  /// The devices of other ranks, if a library connects them.
  DeviceRanks &ranks() const { return *otherRanks; }
  /// Keeps a part of the constants in memory; null if all are there.
  DeviceResidency *residency() const { return residing.get(); }
  /// Host memory that the device can access.
  const MemorySource &pinned() const { return pinnedMemory; }

  std::string codeName() const override;
  dyn_status_t join(dyn_communicator &communicator) override;
  dyn_exchange_info_t exchangeInfo() const override {
    return otherRanks->info();
  }
  MemorySource memorySource() const override { return deviceMemory.source(); }
  dyn_memory_stats_t memoryStats() const override;
  void trim() const override { deviceMemory.trim(); }
  dyn_gemm_info_t gemmInfo() const override { return library->info(); }
  dyn_status_t writeGemms(const char *path) const override {
    return library->writeTable(path);
  }
  dyn_status_t openSpace(const MemorySource &source, void *givenStream,
                         std::unique_ptr<DeviceSpace> &out) const override;

  /// Makes the device the thread's current one while it lives.
  struct Current : Driver::Current {
    explicit Current(const CudaProgram &program)
        : Driver::Current(*program.cuda, program.context) {}
  };

private:
  dyn_status_t openDevice(int32_t ordinal);
  dyn_status_t loadImage(const char *path);
  dyn_status_t findFunctions();
  /// Makes the constants available that this rank reads.
  dyn_status_t openConstants(const dyn_artifact &artifact,
                             const dyn_context_options_t &options);
  dyn_status_t copyConstants(const Constants &area, uint64_t bytes,
                             const std::vector<bool> &isRead);

  const Driver *cuda = nullptr;
  int device = 0;
  char name[64] = "";
  int capability[2] = {};
  dyn_cuda_context_t context = nullptr;
  dyn_cuda_module_t module = nullptr;
  std::vector<dyn_cuda_function_t> versions; ///< of all kernels
  std::vector<size_t> firstVersion;
  size_t words = 0;
  mutable DeviceMemory deviceMemory;
  std::unique_ptr<DeviceResidency> residing;
  MemorySource pinnedMemory;
  std::unique_ptr<Gemms> library;
  std::unique_ptr<DeviceRanks> otherRanks;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_CUDAPROGRAM_H
