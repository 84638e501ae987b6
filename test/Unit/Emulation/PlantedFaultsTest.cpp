//===- PlantedFaultsTest.cpp - Faults planted into kernels of a GPU -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The kernels that ship, each with one mistake that a schedule could make: the
// emulator reports it, with the operation, or the results are wrong.

#include "EmulatedKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace dyn;
using namespace mlir;
using emu::Fault;

namespace {

/// The operations of a type in the function of a kernel's version.
template <typename OpT>
SmallVector<OpT> find(ModuleOp module, StringRef function = "k") {
  SmallVector<OpT> found;
  module.walk([&](LLVM::LLVMFuncOp op) {
    if (op.getSymName() == function)
      op.walk([&](OpT inner) { found.push_back(inner); });
  });
  return found;
}

/// An address `bytes` after another.
Value moveBy(OpBuilder &builder, Location loc, Value address, int32_t bytes) {
  return LLVM::GEPOp::create(builder, loc, address.getType(),
                             builder.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

/// Moves the address of the last load; the loads before it read the parameters.
void moveLastLoad(ModuleOp module) {
  auto load = find<LLVM::LoadOp>(module).back();
  OpBuilder builder(load);
  load.getAddrMutable().set(moveBy(builder, load.getLoc(), load.getAddr(), 4));
}

class PlantedFaultsTest : public testing::Test {
protected:
  float *makeInput(int64_t count) {
    auto *values = static_cast<float *>(device.allocate(4 * count));
    for (int64_t i = 0; i < count; ++i)
      values[i] = i % 7;
    device.markWritten(values, 4 * count);
    return values;
  }
  float *makeOutput(int64_t count) {
    return static_cast<float *>(device.allocate(4 * count));
  }
  /// Expects that the first report is of `fault`, at the operation `op`.
  void expectFault(Fault fault, StringRef op) {
    ASSERT_FALSE(device.getReports().empty());
    const emu::Report &report = device.getReports().front();
    EXPECT_EQ(report.fault, fault) << report.describe();
    EXPECT_TRUE(StringRef(report.op).contains(op)) << report.describe();
  }

  emu::Device device;
};

constexpr llvm::StringLiteral kElements = R"(
dlhlo.kernel @k loop {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.mul %x, %x : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}
)";

constexpr llvm::StringLiteral kRows = R"(
dlhlo.kernel @k row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.reduce sum %x axes = [1] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d0>>
}
)";

constexpr llvm::StringLiteral kWide = R"(
dlhlo.kernel @k loop {
^bb0(%x: tensor<?x64xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.mul %x, %x : tensor<?x64xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x64xf32, #dhlo.dims<d0>>
}
)";

constexpr llvm::StringLiteral kGemm = R"(
dlhlo.kernel @k contraction {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<M, K>>, %w: tensor<?x?xf32, #dhlo.dims<K, N>>):
  dhlo.dim @M in [0, ?]
  dhlo.dim @K in [0, ?]
  dhlo.dim @N in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x?xf32, #dhlo.dims<M, K>>, tensor<?x?xf32, #dhlo.dims<K, N>>) -> tensor<?x?xf32, #dhlo.dims<M, N>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<M, N>>
}
)";

/// The same for f16.
std::string makeNarrowGemm() {
  std::string text = kGemm.str();
  for (size_t at; (at = text.find("?x?xf32")) != std::string::npos;)
    text.replace(at, 7, "?x?xf16");
  return text;
}

class Elements : public PlantedFaultsTest {
protected:
  /// Runs the planted kernel on `rows` x `columns` elements.
  void run(llvm::function_ref<void(ModuleOp)> plant, int64_t rows,
           int64_t columns, StringRef text = kElements) {
    EmulatedKernel kernel(text, plant);
    SmallVector<int64_t> dims = {rows, columns};
    if (text == kWide)
      dims.pop_back();
    out = makeOutput(rows * columns);
    kernel.run(device, {makeInput(rows * columns), out}, dims);
  }
  float *out = nullptr;
};

class Rows : public PlantedFaultsTest {
protected:
  void run(llvm::function_ref<void(ModuleOp)> plant, int64_t rows,
           int64_t columns) {
    EmulatedKernel kernel(kRows, plant);
    in = makeInput(rows * columns);
    out = makeOutput(rows);
    kernel.run(device, {in, out}, {rows, columns});
  }
  float *in = nullptr, *out = nullptr;
};

class Matmul : public PlantedFaultsTest {
protected:
  /// Runs one version, of a GEMM with more steps along K than there are stages.
  void run(llvm::function_ref<void(ModuleOp)> plant, StringRef text = kGemm) {
    constexpr int64_t kM = 20, kK = 200, kN = 32;
    EmulatedKernel kernel(text, plant);
    kernel.launch("k$wide", 1, device,
                  {makeInput(kM * kK), makeInput(kK * kN), makeOutput(kM * kN)},
                  {kM, kK, kN});
  }
};

TEST_F(Elements, StoreOffByOneThread) {
  run(
      [](ModuleOp module) {
        for (auto store : find<LLVM::StoreOp>(module)) {
          OpBuilder builder(store);
          store.getAddrMutable().set(
              moveBy(builder, store.getLoc(), store.getAddr(), 16));
        }
      },
      3, 5);
  expectFault(Fault::OutOfBounds, "llvm.store");
}

TEST_F(Elements, LoadOffByOneElement) {
  run(moveLastLoad, 3, 5);
  expectFault(Fault::OutOfBounds, "llvm.load");
}

TEST_F(Elements, BoundOffByOne) {
  run(
      [](ModuleOp module) {
        for (auto cmp : find<arith::CmpIOp>(module))
          if (cmp.getPredicate() == arith::CmpIPredicate::slt)
            cmp.setPredicate(arith::CmpIPredicate::sle);
      },
      3, 64, kWide);
  expectFault(Fault::OutOfBounds, "llvm.load");
}

TEST_F(Elements, DroppedTail) {
  run(
      [](ModuleOp module) {
        for (auto loop : find<scf::ForOp>(module))
          loop.erase();
      },
      3, 5);
  EXPECT_TRUE(device.getReports().empty());
  float host[15];
  device.read(host, out, sizeof(host));
  expectFault(Fault::Uninitialized, "");
}

TEST_F(Elements, WideAccessAtAnOddAddress) {
  run(moveLastLoad, 3, 64, kWide);
  expectFault(Fault::Misaligned, "llvm.load");
}

TEST_F(Elements, EachBlockTakesTheFirst) {
  run(
      [](ModuleOp module) {
        for (auto block : find<NVVM::BlockIdXOp>(module)) {
          OpBuilder builder(block);
          block.replaceAllUsesWith(
              arith::ConstantIntOp::create(builder, block.getLoc(), 0, 32)
                  .getResult());
        }
      },
      40, 64, kWide);
  expectFault(Fault::Race, "llvm.store");
}

TEST_F(Rows, WrongShuffleLane) {
  run(
      [](ModuleOp module) {
        auto shuffle = find<NVVM::ShflOp>(module, "k$warp").front();
        OpBuilder builder(shuffle);
        shuffle.getOffsetMutable().set(
            arith::ConstantIntOp::create(builder, shuffle.getLoc(), 8, 32));
      },
      1, 100);
  // All lanes take part, so only the number is wrong.
  EXPECT_TRUE(device.getReports().empty());
  EXPECT_NE(out[0], std::accumulate(in, in + 100, 0.0f));
}

TEST_F(Rows, LanesThatAreNotAsked) {
  run(
      [](ModuleOp module) {
        auto shuffle = find<NVVM::ShflOp>(module, "k$warp").front();
        OpBuilder builder(shuffle);
        shuffle.getThreadMaskMutable().set(arith::ConstantIntOp::create(
            builder, shuffle.getLoc(), 0xffff, 32));
      },
      1, 100);
  expectFault(Fault::Divergence, "nvvm.shfl.sync");
}

TEST_F(Rows, MissingBarrier) {
  run(
      [](ModuleOp module) {
        find<NVVM::Barrier0Op>(module, "k$warps").front().erase();
      },
      1, 1999);
  // The first warp reads the partial results of warps that have not begun.
  expectFault(Fault::Uninitialized, "llvm.load");
}

TEST_F(Rows, BarriersInBranches) {
  run(
      [](ModuleOp module) {
        auto barrier = find<NVVM::Barrier0Op>(module, "k$warps").front();
        OpBuilder builder(barrier);
        Location loc = barrier.getLoc();
        Value thread =
            NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
        Value half = arith::ConstantIntOp::create(builder, loc, 128, 32);
        Value isLow = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, thread, half);
        auto branch =
            scf::IfOp::create(builder, loc, isLow, /*withElseRegion=*/true);
        for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
          builder.setInsertionPointToStart(block);
          builder.clone(*barrier);
        }
        barrier.erase();
      },
      1, 1999);
  expectFault(Fault::BarrierMismatch, "nvvm.barrier0");
}

TEST_F(Matmul, MissingBarrier) {
  run([](ModuleOp module) {
    find<NVVM::Barrier0Op>(module, "k$wide").front().erase();
  });
  expectFault(Fault::Uninitialized, "llvm.load");
}

TEST_F(Matmul, OverwrittenStage) {
  run([](ModuleOp module) {
    // Copies go to a stage that others may still read.
    auto barrier = find<NVVM::Barrier0Op>(module, "k$wide").front();
    for (auto commit : find<NVVM::CpAsyncCommitGroupOp>(module, "k$wide"))
      if (commit->getBlock() == barrier->getBlock())
        barrier->moveAfter(commit);
  });
  expectFault(Fault::Race, "llvm.load");
}

TEST_F(Matmul, UnwrittenTile) {
  run([](ModuleOp module) {
    // The first copies fill the first stage of A.
    find<NVVM::CpAsyncOp>(module, "k$wide").front().erase();
  });
  expectFault(Fault::Uninitialized, "llvm.load");
}

TEST_F(Matmul, DroppedWait) {
  run([](ModuleOp module) {
    find<NVVM::CpAsyncWaitGroupOp>(module, "k$wide").front().erase();
  });
  expectFault(Fault::Race, "llvm.load");
}

TEST_F(Matmul, WaitForTooFewGroups) {
  run([](ModuleOp module) {
    auto wait = find<NVVM::CpAsyncWaitGroupOp>(module, "k$wide").front();
    wait.setN(wait.getN() + 1);
  });
  expectFault(Fault::Race, "llvm.load");
}

TEST_F(Matmul, DroppedGroup) {
  run([](ModuleOp module) {
    find<NVVM::CpAsyncCommitGroupOp>(module, "k$wide").front().erase();
  });
  expectFault(Fault::Race, "llvm.load");
}

TEST_F(Matmul, SourceOverwrittenUnderWay) {
  run([](ModuleOp module) {
    auto copy = find<NVVM::CpAsyncOp>(module, "k$wide").front();
    OpBuilder builder(copy->getContext());
    builder.setInsertionPointAfter(copy);
    Value source =
        copy.getSrc().getDefiningOp<LLVM::AddrSpaceCastOp>().getArg();
    Value zero = arith::ConstantIntOp::create(builder, copy.getLoc(), 0, 32);
    LLVM::StoreOp::create(builder, copy.getLoc(), zero, source);
  });
  expectFault(Fault::Race, "llvm.store");
}

/// Moves the generic address that an operation uses after a cast.
void moveCast(Value address, int32_t bytes) {
  auto cast = address.getDefiningOp<LLVM::AddrSpaceCastOp>();
  OpBuilder builder(cast);
  cast.getArgMutable().set(
      moveBy(builder, cast.getLoc(), cast.getArg(), bytes));
}

TEST_F(Matmul, CopyFromAnOddAddress) {
  run([](ModuleOp module) {
    // The last copies are of B, 16 bytes at once.
    moveCast(find<NVVM::CpAsyncOp>(module, "k$wide").back().getSrc(), 4);
  });
  expectFault(Fault::Misaligned, "nvvm.cp.async");
}

TEST_F(Matmul, CopyOutOfSharedMemory) {
  run([](ModuleOp module) {
    moveCast(find<NVVM::CpAsyncOp>(module, "k$wide").front().getDst(), 1 << 20);
  });
  expectFault(Fault::OutOfBounds, "nvvm.cp.async");
}

/// Moves the addresses of the first matrices.
void moveMatrices(ModuleOp module, int32_t bytes) {
  moveCast(find<NVVM::LdMatrixOp>(module, "k$wide").front().getPtr(), bytes);
}

TEST_F(Matmul, MatricesAtAnOddAddress) {
  run([](ModuleOp module) { moveMatrices(module, 8); }, makeNarrowGemm());
  expectFault(Fault::Misaligned, "nvvm.ldmatrix");
}

TEST_F(Matmul, MatricesOutOfSharedMemory) {
  run([](ModuleOp module) { moveMatrices(module, 1 << 20); }, makeNarrowGemm());
  expectFault(Fault::OutOfBounds, "nvvm.ldmatrix");
}

TEST_F(Matmul, MatricesUnderWay) {
  run(
      [](ModuleOp module) {
        find<NVVM::CpAsyncWaitGroupOp>(module, "k$wide").front().erase();
      },
      makeNarrowGemm());
  expectFault(Fault::Race, "nvvm.ldmatrix");
}

TEST_F(Matmul, MatricesOfHalfAWarp) {
  run(
      [](ModuleOp module) {
        auto load = find<NVVM::LdMatrixOp>(module, "k$wide").front();
        OpBuilder builder(load);
        Location loc = load.getLoc();
        Value thread =
            NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
        Value half = arith::ConstantIntOp::create(builder, loc, 16, 32);
        Value isLow = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, thread, half);
        auto branch =
            scf::IfOp::create(builder, loc, isLow, /*withElseRegion=*/false);
        builder.setInsertionPointToStart(branch.thenBlock());
        builder.clone(*load);
      },
      makeNarrowGemm());
  expectFault(Fault::Divergence, "nvvm.ldmatrix");
}

} // namespace
