//===- Context.h - An artifact made ready for a device -------------------===//
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
#include "Pool.h"

namespace dyn::rt {
/// A kernel with its instruction set chosen.
struct KernelCode {
  dyn_geometry_fn geometry;
  dyn_kernel_fn body;
};
} // namespace dyn::rt

/// See runtime.h. Immutable once initialized.
struct dyn_context final : dyn::rt::Object<dyn_context> {
  dyn_status_t initialize(dyn_artifact &artifact,
                          const dyn_context_options_t &options);

  dyn_artifact &artifact() const { return *loaded; }
  dyn_isa_t isa() const { return chosenIsa; }
  const std::vector<dyn::rt::KernelCode> &kernels() const { return code; }
  dyn_pool *pool() const { return threads.get(); }
  const dyn::rt::MemorySource &memory() const { return source; }

private:
  dyn_status_t chooseIsa(const char *wanted);
  dyn_status_t chooseDriver(const dyn_driver_t *given);

  // The order matters: the artifact is unloaded last.
  dyn::rt::Ref<dyn_artifact> loaded;
  dyn::rt::Ref<dyn_pool> threads;
  dyn::rt::Ref<dyn_communicator> peers;
  dyn::rt::MemorySource source;
  dyn_isa_t chosenIsa = DYN_ISA_X86_64_V2;
  std::vector<dyn::rt::KernelCode> code;
};

#endif // DYN_RUNTIME_CORE_CONTEXT_H
