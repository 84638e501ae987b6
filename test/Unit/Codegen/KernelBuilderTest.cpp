//===- KernelBuilderTest.cpp - Arithmetic and loops of kernels ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Builder/KernelBuilder.h"

#include "dyn/RegisterAll.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"
#include <map>

using namespace mlir;
using namespace dyn;

namespace {
constexpr llvm::StringLiteral kKernel = R"(
  dlhlo.kernel @k loop {
  ^bb0(%x: tensor<?x3xf32, #dhlo.dims<d0>>):
    dhlo.dim @d0 in [0, ?]
    %0 = dhlo.abs %x : tensor<?x3xf32, #dhlo.dims<d0>>
    dlhlo.yield %0 : tensor<?x3xf32, #dhlo.dims<d0>>
  }
)";

using Known = llvm::DenseMap<Value, Attribute>;

/// The value of index arithmetic, given those of arguments.
Attribute fold(Value value, const Known &known) {
  if (Attribute attr = known.lookup(value))
    return attr;
  Operation *op = value.getDefiningOp();
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    operands.push_back(fold(operand, known));
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.empty())
    llvm::report_fatal_error("index arithmetic that does not fold");
  if (auto same = dyn_cast<Value>(results.front()))
    return fold(same, known);
  return cast<Attribute>(results.front());
}

int64_t evaluate(Value value, const Known &known) {
  return cast<IntegerAttr>(fold(value, known)).getInt();
}

class KernelBuilderTest : public testing::Test {
protected:
  KernelBuilderTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = parseSourceString<ModuleOp>(kKernel, &context);
    kernel = *module->getOps<dlhlo::KernelOp>().begin();
    dims.emplace(kernel);
    start();
  }

  /// Begins an empty body with a builder of its own.
  void start() {
    OpBuilder builder(kernel);
    Type pointer = LLVM::LLVMPointerType::get(&context);
    Type i64 = builder.getI64Type();
    function = func::FuncOp::create(
        builder, kernel.getLoc(), "body",
        builder.getFunctionType({pointer, pointer, i64, i64, pointer}, {}));
    function.addEntryBlock();
    KernelFrame frame;
    frame.buffers = function.getArgument(0);
    frame.dims = function.getArgument(1);
    frame.begin = function.getArgument(2);
    frame.end = function.getArgument(3);
    frame.worker = function.getArgument(4);
    b.emplace(kernel, function, frame, *dims, options);
  }

  /// Checks and erases the body.
  void finish() {
    func::ReturnOp::create(*b);
    EXPECT_TRUE(succeeded(verify(function)));
    function.erase();
  }

  std::optional<int64_t> known(OpFoldResult value) {
    return getConstantIntValue(value);
  }

  using Emit = void (KernelBuilder::*)(
      OpFoldResult, OpFoldResult, llvm::function_ref<void(Value, int64_t)>);

  /// How often code of `emit` for the range [0, length) visits each element.
  std::map<int64_t, int> visit(Emit emit, int64_t length, bool isStatic) {
    start();
    struct Visit {
      Value index;
      int64_t lanes;
      scf::ForOp loop;
    };
    SmallVector<Visit> visits;
    OpFoldResult upper = b->end();
    if (isStatic)
      upper = b->constant(length);
    ((*b).*emit)(b->constant(0), upper, [&](Value i, int64_t lanes) {
      Operation *parent = b->getInsertionBlock()->getParentOp();
      visits.push_back({i, lanes, dyn_cast<scf::ForOp>(parent)});
    });
    std::map<int64_t, int> counts;
    Known values = {{b->end(), b->getI64IntegerAttr(length)}};
    for (const Visit &visit : visits) {
      auto count = [&] {
        int64_t first = evaluate(visit.index, values);
        for (int64_t lane = 0; lane != visit.lanes; ++lane)
          ++counts[first + lane];
      };
      if (!visit.loop) {
        count();
        continue;
      }
      scf::ForOp loop = visit.loop;
      int64_t end = evaluate(loop.getUpperBound(), values);
      int64_t step = evaluate(loop.getStep(), values);
      for (int64_t i = evaluate(loop.getLowerBound(), values); i < end;
           i += step) {
        values[loop.getInductionVar()] = b->getI64IntegerAttr(i);
        count();
      }
    }
    finish();
    return counts;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  dlhlo::KernelOp kernel;
  std::optional<SymbolicDims> dims;
  CodegenOptions options;
  func::FuncOp function;
  std::optional<KernelBuilder> b;
};
} // namespace

TEST_F(KernelBuilderTest, NeutralOperandsFold) {
  OpFoldResult x = b->begin(), zero = b->constant(0), one = b->constant(1);
  EXPECT_EQ(b->add(x, zero), x);
  EXPECT_EQ(b->add(zero, x), x);
  EXPECT_EQ(b->sub(x, zero), x);
  EXPECT_EQ(known(b->sub(x, x)), 0);
  EXPECT_EQ(b->mul(one, x), x);
  EXPECT_EQ(known(b->mul(x, zero)), 0);
  EXPECT_EQ(b->div(x, one), x);
  EXPECT_EQ(known(b->rem(x, one)), 0);
  EXPECT_EQ(b->min(x, x), x);
  EXPECT_EQ(b->max(x, x), x);
  EXPECT_EQ(known(b->ceilDiv(b->constant(17), b->constant(16))), 2);
  finish();
}

TEST_F(KernelBuilderTest, ZeroDividesAsOne) {
  OpFoldResult x = b->begin(), zero = b->constant(0);
  EXPECT_EQ(b->div(x, zero), x);
  EXPECT_EQ(known(b->rem(x, zero)), 0);
  // So does a divisor that turns out to be zero.
  Value quotient = b->value(b->div(x, b->end()));
  Value remainder = b->value(b->rem(x, b->end()));
  Known values = {{b->begin(), b->getI64IntegerAttr(7)},
                  {b->end(), b->getI64IntegerAttr(0)}};
  EXPECT_EQ(evaluate(quotient, values), 7);
  EXPECT_EQ(evaluate(remainder, values), 0);
  finish();
}

TEST_F(KernelBuilderTest, EqualArithmeticIsOneValue) {
  OpFoldResult x = b->begin(), y = b->end();
  OpFoldResult sum = b->add(x, y);
  EXPECT_EQ(b->add(x, y), sum);
  EXPECT_NE(b->sub(x, y), sum);
  OpFoldResult inner;
  b->loop(b->constant(0), y, 1, [&](Value) {
    EXPECT_EQ(b->add(x, y), sum);
    inner = b->mul(x, y);
    EXPECT_EQ(b->mul(x, y), inner);
  });
  // A value of the loop's body does not dominate the code after the loop.
  EXPECT_NE(b->mul(x, y), inner);
  finish();
}

TEST_F(KernelBuilderTest, SizesAreComputedAtTheHead) {
  dhlo::DimExpr d0 = dhlo::getSymbolDim(StringAttr::get(&context, "d0"));
  OpFoldResult size;
  b->loop(b->constant(0), b->end(), 1,
          [&](Value) { size = b->size(dhlo::add(dhlo::mul(d0, 3), 1)); });
  Operation *op = cast<Value>(size).getDefiningOp();
  EXPECT_EQ(op->getBlock(), &function.getBody().front());
  EXPECT_EQ(b->size(dhlo::add(dhlo::mul(d0, 3), 1)), size);
  EXPECT_EQ(known(b->size(dhlo::getConstDim(&context, 5))), 5);
  finish();
}

TEST_F(KernelBuilderTest, LaneLoopVisitsEachElementOnce) {
  function.erase();
  for (bool isStatic : {false, true})
    for (int64_t length = 0; length != 50; ++length) {
      SCOPED_TRACE(length);
      std::map<int64_t, int> counts =
          visit(&KernelBuilder::laneLoop, length, isStatic);
      EXPECT_EQ(counts.size(), size_t(length));
      for (auto [element, count] : counts) {
        EXPECT_TRUE(element >= 0 && element < length) << element;
        EXPECT_EQ(count, 1) << element;
      }
    }
}

TEST_F(KernelBuilderTest, LaneLoopOfANegativeLengthIsEmpty) {
  function.erase();
  EXPECT_TRUE(visit(&KernelBuilder::laneLoop, -3, false).empty());
  EXPECT_TRUE(visit(&KernelBuilder::laneLoop, -3, true).empty());
}

TEST_F(KernelBuilderTest, CoverLanesStaysInside) {
  function.erase();
  for (bool isStatic : {false, true})
    for (int64_t length = 0; length != 50; ++length) {
      SCOPED_TRACE(length);
      std::map<int64_t, int> counts =
          visit(&KernelBuilder::coverLanes, length, isStatic);
      EXPECT_EQ(counts.size(), size_t(length));
      for (auto [element, count] : counts)
        EXPECT_TRUE(element >= 0 && element < length) << element;
    }
}
