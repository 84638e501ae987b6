//===- GpuSchedule.h - Schedules of kernels on a GPU ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_GPU_GPUSCHEDULE_H
#define DYN_LIB_CODEGEN_GPU_GPUSCHEDULE_H

#include "Codegen/Common/Builder/KernelBuilder.h"

#include <memory>

namespace dyn {

class RowPlan;

inline constexpr int64_t kWarp = GpuInfo::kWarp,
                         kBlockThreads = GpuInfo::kBlockThreads;

/// Emits the functions of the kernels of one kind, for one thread. One object
/// serves one kernel: `match` may store what it finds.
class GpuSchedule {
public:
  virtual ~GpuSchedule() = default;
  /// Analyses the kernel. Fails with a diagnostic at an operation that the
  /// schedule cannot handle.
  virtual mlir::LogicalResult match(dlhlo::KernelOp kernel,
                                    const SymbolicDims &dims) = 0;
  /// Suffixes of the kernel's name for its functions; characters that PTX
  /// allows.
  virtual llvm::SmallVector<llvm::StringRef> getVersions() { return {""}; }
  /// The minimum number of blocks per multiprocessor, for a kernel that ptxas
  /// would otherwise make spill: by default it goes down to 32 registers to fit
  /// as many threads as possible. 0 for the default.
  virtual int32_t getLeastBlocks() { return 0; }
  /// Emits the choice of a version for a call: the index of its function.
  virtual mlir::OpFoldResult emitVersion(KernelBuilder &b) {
    return b.constant(0);
  }
  /// Emits the number of blocks of a version. It grows with sizes: a host that
  /// knows only the upper bound of a size launches enough blocks.
  virtual mlir::OpFoldResult emitBlocks(KernelBuilder &b, int64_t version) = 0;
  /// Emits the code of a thread.
  virtual void emitBody(KernelBuilder &b, int64_t version) = 0;
};

/// Fails with a diagnostic at the first operation of a kernel that neither
/// ElementEmitter nor the schedule itself (`isOwn`) computes.
mlir::LogicalResult
checkOperations(dlhlo::KernelOp kernel,
                llvm::function_ref<bool(mlir::Operation *)> isOwn = nullptr);

/// The loop indices of a linear index; the first one is unbounded.
llvm::SmallVector<mlir::OpFoldResult>
delinearize(KernelBuilder &b, mlir::OpFoldResult number,
            llvm::ArrayRef<dhlo::DimExpr> extents);

std::unique_ptr<GpuSchedule> createGpuLoopSchedule();
/// `gpu` outlives the schedule.
std::unique_ptr<GpuSchedule> createGpuRowSchedule(RowPlan plan,
                                                  const GpuInfo &gpu);
std::unique_ptr<GpuSchedule> createGpuGemmSchedule();
/// sort and top_k.
std::unique_ptr<GpuSchedule> createGpuSortSchedule(mlir::Operation *op);
std::unique_ptr<GpuSchedule> createGpuCumulativeSchedule(dhlo::CumulativeOp op);
/// scatter_nd and scatter_elements.
std::unique_ptr<GpuSchedule> createGpuScatterSchedule(mlir::Operation *op);
std::unique_ptr<GpuSchedule> createGpuNonzeroSchedule(dlhlo::FindNonzeroOp op);
std::unique_ptr<GpuSchedule> createGpuGroupSchedule(dhlo::GroupOp op);
std::unique_ptr<GpuSchedule> createGpuSuppressSchedule(dhlo::SuppressOp op);
std::unique_ptr<GpuSchedule> createGpuLstmSchedule(dhlo::LstmOp op);

/// Whether some schedule supports a dhlo operation on operands of these types,
/// in whichever fusion it is.
bool hasGpuSchedule(mlir::Operation *op);

/// The schedule of a kernel. Null after emitting a diagnostic if there is none.
std::unique_ptr<GpuSchedule> createGpuSchedule(dlhlo::KernelOp kernel,
                                               const SymbolicDims &dims,
                                               const GpuInfo &gpu);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_GPU_GPUSCHEDULE_H
