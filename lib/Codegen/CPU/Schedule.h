//===- Schedule.h - The execution of a kind of kernel ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_CPU_SCHEDULE_H
#define DYN_LIB_CODEGEN_CPU_SCHEDULE_H

#include "Codegen/Common/Builder/KernelBuilder.h"

#include <memory>

namespace dyn {

/// The partition of a launch's work; see dyn_geometry_t in artifact.h. The work
/// itself is that of `getKernelCost`.
struct Geometry {
  mlir::OpFoldResult items, grain, scratchBytes;
  /// Bytes of each result that a work item writes, and those of a result, if
  /// items write all results in order; null if not.
  mlir::OpFoldResult itemBytes, resultBytes;

  /// Each work item writes the next `elements` elements of each result. Without
  /// effect if elements of results differ in size.
  void setInOrder(KernelBuilder &b, mlir::OpFoldResult elements);
};

/// Emits the functions of the kernels of one kind. One object serves one
/// kernel: `match` may store its findings.
class Schedule {
public:
  virtual ~Schedule();
  /// Analyses the kernel. Emits a diagnostic at an operation that the schedule
  /// does not support and fails.
  virtual mlir::LogicalResult match(dlhlo::KernelOp kernel,
                                    const SymbolicDims &dims,
                                    const CodegenOptions &options) = 0;
  /// Emits the computation of the geometry. Work items must be independent: any
  /// split of [0, items) gives the same bits.
  virtual Geometry emitGeometry(KernelBuilder &b) = 0;
  /// Emits the code of work items [b.begin(), b.end()).
  virtual mlir::LogicalResult emitBody(KernelBuilder &b) = 0;
};

/// Passes a kernel on to a schedule for its form.
class DelegatingSchedule : public Schedule {
public:
  mlir::LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                            const CodegenOptions &options) final;
  Geometry emitGeometry(KernelBuilder &b) final;
  mlir::LogicalResult emitBody(KernelBuilder &b) final;

protected:
  /// The schedule of `kernel`. Null after emitting a diagnostic.
  virtual std::unique_ptr<Schedule> choose(dlhlo::KernelOp kernel,
                                           const SymbolicDims &dims) = 0;

private:
  std::unique_ptr<Schedule> chosen;
};

std::unique_ptr<Schedule> createLoopSchedule();
std::unique_ptr<Schedule> createRowSchedule();
std::unique_ptr<Schedule> createColumnSchedule();
std::unique_ptr<Schedule> createTransposeSchedule();
std::unique_ptr<Schedule> createSingleSchedule();
std::unique_ptr<Schedule> createContractionSchedule();
std::unique_ptr<Schedule> createConvolutionSchedule();
std::unique_ptr<Schedule> createAttentionSchedule();
/// For any contraction or convolution, element by element. `reason` is why no
/// other schedule computes it, a clause that outlives the schedule.
std::unique_ptr<Schedule>
createElementwiseContractionSchedule(llvm::StringRef reason);

/// Fails with a diagnostic at an operation of `kernel` whose elements are not
/// computed by ElementEmitter.
mlir::LogicalResult checkElements(dlhlo::KernelOp kernel);

/// Whether some schedule supports a dhlo operation on operands of these types,
/// in whichever fusion it is.
bool hasCpuSchedule(mlir::Operation *op);

/// The schedule of a kind.
std::unique_ptr<Schedule> createSchedule(dlhlo::FusionKind kind);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_SCHEDULE_H
