//===- ShareWork.h - Work distributed over the threads of a block ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_GPU_SHAREWORK_H
#define DYN_LIB_CODEGEN_GPU_SHAREWORK_H

#include "GpuSchedule.h"
#include "GpuThread.h"

namespace dyn {

/// Distributes `count` pieces of work over the threads of the block,
/// consecutive ones to adjacent threads.
inline void shareWork(KernelBuilder &b, int64_t count,
                      llvm::function_ref<void(mlir::OpFoldResult)> body) {
  mlir::OpFoldResult thread = GpuThread(b).getThread();
  for (int64_t done = 0; done < count; done += kBlockThreads) {
    mlir::OpFoldResult number = b.add(thread, b.constant(done));
    if (done + kBlockThreads <= count)
      body(number);
    else
      b.ifThen(
          b.cmp(mlir::arith::CmpIPredicate::slt, number, b.constant(count)),
          [&] { body(number); });
  }
}

} // namespace dyn

#endif // DYN_LIB_CODEGEN_GPU_SHAREWORK_H
