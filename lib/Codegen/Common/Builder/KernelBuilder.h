//===- KernelBuilder.h - Builds the functions of a kernel -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_BUILDER_KERNELBUILDER_H
#define DYN_LIB_CODEGEN_COMMON_BUILDER_KERNELBUILDER_H

#include "dyn/Codegen/CodegenOptions.h"
#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <map>

namespace dyn {

/// The operations of a kernel's body that may set the error word, in order. The
/// index in this list is the operation's site number: a launch owns that many
/// sites from its `site_base` on.
llvm::SmallVector<mlir::Operation *> getErrorSites(dlhlo::KernelOp kernel);

/// The type of the elements of a buffer for `type`: a byte for `i1`, the
/// signless integer for unsigned ones.
mlir::Type getStorageType(mlir::Type type);

/// The type in which elements of `type` are computed: f32 for f16 and bf16, the
/// signless integer for unsigned ones, else the type itself. Between fused
/// operations 16-bit floats stay f32; they are rounded when stored and by
/// `dhlo.convert`.
mlir::Type getComputeType(mlir::Type type);

/// The arguments of a function of a kernel; absent ones are null. A geometry
/// only has `dims` and `out`.
struct KernelFrame {
  mlir::Value buffers, dims; ///< arrays of pointers and of i64
  mlir::Value begin, end;    ///< the work items, i64
  mlir::Value worker;        ///< a dyn_worker_t
  mlir::Value out;           ///< the destination of fields
};

/// Builds a function of one kernel. Integers that count or index are i64 and
/// buffers are plain pointers, without descriptors: an address is one
/// multiplication by the element's size.
///
/// Index arithmetic (`add`, `mul`, ...) folds constants and returns the same
/// value for the same operands in one block, so that address computations are
/// shared and values can be compared by identity. An operand may be a vector,
/// with a number for each lane: then so is the result, and the other operand is
/// repeated.
class KernelBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// Starts at the end of the entry block of `function`.
  KernelBuilder(dlhlo::KernelOp kernel, mlir::FunctionOpInterface function,
                const KernelFrame &frame, const SymbolicDims &dims,
                const CodegenOptions &options);

  const CodegenOptions &getOptions() const { return options; }
  const CpuInfo &getCpu() const { return options.target.cpu; }
  const SymbolicDims &getDims() const { return dims; }
  dlhlo::KernelOp getKernel() const { return kernel; }
  mlir::FunctionOpInterface getFunction() const { return function; }
  /// The body of the kernel, in tensors.
  mlir::Block &getBlock() { return kernel.getBody().front(); }
  /// The values that the kernel yields.
  mlir::OperandRange getResults() {
    return getBlock().getTerminator()->getOperands();
  }
  int64_t getNumInputs() { return getBlock().getNumArguments(); }

  //===--------------------------------------------------------------------===//
  // The frame
  //===--------------------------------------------------------------------===//

  /// Pointer to buffer i: first the operands, then the results.
  mlir::Value buffer(int64_t i);
  mlir::Value resultBuffer(int64_t i) { return buffer(getNumInputs() + i); }
  mlir::Value begin() const { return frame.begin; }
  mlir::Value end() const { return frame.end; }
  mlir::Value worker() const { return frame.worker; }
  /// Pointer to the thread's scratch from `byteOffset` on.
  mlir::Value scratch(mlir::OpFoldResult byteOffset);
  /// Stores fields of i64 consecutively.
  void storeFields(llvm::ArrayRef<mlir::OpFoldResult> fields);
  /// The seed of the call, i64.
  mlir::Value seed();
  /// Reports a data error of `op` where `condition` (i1 or a vector of it)
  /// holds.
  void fail(mlir::Operation *op, mlir::Value condition);

  //===--------------------------------------------------------------------===//
  // Sizes and index arithmetic
  //===--------------------------------------------------------------------===//

  /// The value of a size expression: a constant, or an i64 computed once at the
  /// start of the function.
  mlir::OpFoldResult size(dhlo::DimExpr expr);
  mlir::OpFoldResult size(mlir::Value tensor, int64_t axis);
  /// Number of elements of a tensor.
  mlir::OpFoldResult numElements(mlir::Value tensor);
  /// Assumes that a size is a multiple of `divisor`, a power of two: for code
  /// that is only executed if it is.
  void assumeMultipleOf(dhlo::DimExpr expr, int64_t divisor);
  /// Reports data-dependent sizes (`dhlo.bind`) that contradict their
  /// declaration or exceed the launch's upper bound. They are read as the
  /// nearest legal value.
  void checkFound();
  /// A size as an i64 value.
  mlir::Value sizeValue(dhlo::DimExpr expr) { return value(size(expr)); }

  /// An i64 value for a constant or a value.
  mlir::Value value(mlir::OpFoldResult v);
  mlir::OpFoldResult constant(int64_t v) { return getI64IntegerAttr(v); }
  mlir::Value indexConstant(int64_t v) { return value(getI64IntegerAttr(v)); }
  /// Whether a number is a vector, with one for each lane.
  static bool isVector(mlir::OpFoldResult v);
  /// Operands of the same operation: both scalars or both vectors.
  std::pair<mlir::Value, mlir::Value> spread(mlir::Value a, mlir::Value b);
  /// 0, 1, 2, ... as i64.
  mlir::Value laneNumbers(int64_t lanes);

  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult sub(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// Quotient and remainder of nonnegative values. A divisor of 0 is read as 1:
  /// only loops that do not run divide by an empty size.
  mlir::OpFoldResult div(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult rem(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult ceilDiv(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult min(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult max(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::Value cmp(mlir::arith::CmpIPredicate predicate, mlir::OpFoldResult a,
                  mlir::OpFoldResult b);
  mlir::OpFoldResult select(mlir::Value condition, mlir::OpFoldResult a,
                            mlir::OpFoldResult b);

  //===--------------------------------------------------------------------===//
  // Loops and values
  //===--------------------------------------------------------------------===//

  /// for iv in [lower, upper) by step.
  void loop(mlir::OpFoldResult lower, mlir::OpFoldResult upper, int64_t step,
            llvm::function_ref<void(mlir::Value iv)> body);
  /// The same with loop-carried values: `body` returns the next ones.
  llvm::SmallVector<mlir::Value>
  loop(mlir::OpFoldResult lower, mlir::OpFoldResult upper, int64_t step,
       mlir::ValueRange inits,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(
           mlir::Value iv, mlir::ValueRange carried)>
           body);
  /// Covers [lower, upper) by full vectors, `body(i, kLanes)`, and the
  /// remainder by single elements, `body(i, 1)`, or, if the length is static,
  /// by shorter vectors.
  void laneLoop(mlir::OpFoldResult lower, mlir::OpFoldResult upper,
                llvm::function_ref<void(mlir::Value i, int64_t lanes)> body);
  /// As laneLoop, for a body that may process an element twice: it reads
  /// nothing that it writes. The last vector overlaps the previous one, so
  /// single elements are only needed for a range shorter than a vector.
  void coverLanes(mlir::OpFoldResult lower, mlir::OpFoldResult upper,
                  llvm::function_ref<void(mlir::Value i, int64_t lanes)> body);
  /// Whether a condition holds in some lane.
  mlir::Value any(mlir::Value condition);
  /// A full vector of booleans: whether a lane's number is at least `first`.
  mlir::Value lanesFrom(mlir::OpFoldResult first);
  /// The opposite: whether it is less than `count`.
  mlir::Value lanesBelow(mlir::OpFoldResult count);
  /// Emits code in which the lanes of full vectors from `count` on are outside
  /// of buffers: they read 0, are not stored and report no error. Needs
  /// CodegenOptions::hasMasks.
  void withLanes(mlir::OpFoldResult count, llvm::function_ref<void()> body);
  /// How many of `lanes` are inside of buffers.
  mlir::OpFoldResult lanesInside(int64_t lanes) {
    return inside && lanes == CodegenOptions::kLanes ? insideCount
                                                     : constant(lanes);
  }
  /// A conditional value; each branch is emitted into its region.
  mlir::Value ifElse(mlir::Value condition, mlir::Type type,
                     llvm::function_ref<mlir::Value()> onTrue,
                     llvm::function_ref<mlir::Value()> onFalse);
  /// The results of `onTrue` if `condition` holds, else `otherwise`.
  llvm::SmallVector<mlir::Value>
  valuesIf(mlir::Value condition, mlir::ValueRange otherwise,
           llvm::function_ref<llvm::SmallVector<mlir::Value>()> onTrue);
  void ifThen(mlir::Value condition, llvm::function_ref<void()> onTrue,
              llvm::function_ref<void()> onFalse = nullptr);

  /// `type` for one lane, else the vector of `lanes` of them.
  static mlir::Type laneType(mlir::Type type, int64_t lanes);
  /// `scalar` in every lane.
  mlir::Value splat(mlir::Value scalar, int64_t lanes);
  /// A constant of compute type `type`, in every lane. Integers are rounded.
  mlir::Value number(double v, mlir::Type type, int64_t lanes = 1);
  mlir::Value integer(const llvm::APInt &v, mlir::Type type, int64_t lanes = 1);
  /// a * b + c: fused if the machine supports it, else rounded twice.
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);

  /// Element `index` of a pointer to elements of type `storage`.
  mlir::Value address(mlir::Value pointer, mlir::OpFoldResult index,
                      mlir::Type storage);
  /// Elements `index`, `index + 1`, ... of a buffer, converted from `element`
  /// (a dhlo element type) to the compute type.
  mlir::Value load(mlir::Value buffer, mlir::OpFoldResult index,
                   mlir::Type element, int64_t lanes);
  /// Elements `index`, `index - 1`, ...
  mlir::Value loadReversed(mlir::Value buffer, mlir::OpFoldResult index,
                           mlir::Type element, int64_t lanes);
  /// Elements at a vector of indices.
  mlir::Value gather(mlir::Value buffer, mlir::Value indices,
                     mlir::Type element);
  /// Elements `index + step * lane`.
  mlir::Value loadStrided(mlir::Value buffer, mlir::OpFoldResult index,
                          mlir::OpFoldResult step, mlir::Type element,
                          int64_t lanes);
  /// Converts a computed value to the storage type of a dhlo element type.
  mlir::Value toStorage(mlir::Value computed, mlir::Type element);
  /// Rounds a computed value to the values of `element`.
  mlir::Value round(mlir::Value computed, mlir::Type element) {
    return fromStorage(toStorage(computed, element), element);
  }
  /// The opposite: converts to storage and stores.
  void store(mlir::Value value, mlir::Value buffer, mlir::OpFoldResult index,
             mlir::Type element, int64_t lanes);

private:
  /// Stored elements `index`, `index + 1`, ... of the lanes in `mask`, if
  /// given, and 0 in the others.
  mlir::Value loadStored(mlir::Value buffer, mlir::OpFoldResult index,
                         mlir::Type element, int64_t lanes, mlir::Value mask);
  /// The lanes inside of buffers, or null if all are.
  mlir::Value getMask(int64_t lanes) const {
    return lanes == CodegenOptions::kLanes ? inside : mlir::Value();
  }
  mlir::OpFoldResult arithmetic(dhlo::DimExprKind kind, mlir::OpFoldResult a,
                                mlir::OpFoldResult b);
  /// A divisor of an index, up to 64.
  int64_t getMultipleOf(mlir::OpFoldResult v);
  /// A number of bytes that the address of an element is a multiple of.
  unsigned getAlignment(mlir::Value buffer, mlir::OpFoldResult index,
                        mlir::Type storage);
  mlir::Value cached(int opcode, const void *a, const void *b,
                     llvm::function_ref<mlir::Value()> create);
  mlir::Value fromStorage(mlir::Value stored, mlir::Type element);
  mlir::Value workerField(int64_t offset, mlir::Type type);
  /// The value of a data-dependent size, i64, and the nearest legal value.
  mlir::Value getFound(dhlo::BindOp bind);
  mlir::Value getLegal(dhlo::BindOp bind, mlir::OpFoldResult most);
  mlir::Value loadField(mlir::Value pointer, int64_t offset, mlir::Type type);
  mlir::Value atHead(llvm::function_ref<mlir::Value()> create);

  dlhlo::KernelOp kernel;
  mlir::FunctionOpInterface function;
  mlir::Block *entry;
  KernelFrame frame;
  const SymbolicDims &dims;
  CodegenOptions options;
  /// Memoized arithmetic, by block, opcode and operands.
  std::map<std::tuple<mlir::Block *, int, const void *, const void *>,
           mlir::Value>
      cache;
  llvm::DenseMap<dhlo::DimExpr, mlir::OpFoldResult> sizes;
  llvm::DenseMap<mlir::Value, int64_t> multiples; ///< see getMultipleOf
  /// 16-bit stored values, and their values in compute type.
  llvm::DenseMap<mlir::Value, mlir::Value> widened;
  llvm::SmallVector<mlir::Value> buffers;
  mlir::Value scratchBase;
  /// The last operation of the function's start, where sizes are computed.
  mlir::Operation *head = nullptr;
  /// Of withLanes: which lanes are inside of buffers, if not all, and how many.
  mlir::Value inside;
  mlir::OpFoldResult insideCount;
};

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_BUILDER_KERNELBUILDER_H
