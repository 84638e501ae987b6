//===- TileRegisters.cpp - GEMM on tile registers (AMX) -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Gemm/TileRegisters.h"

#include "Codegen/CPU/Gemm/MicroKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;

namespace {

/// Bytes of a row of a register, and of a full one.
constexpr int64_t kRowBytes = 64, kRegisterBytes = tiles::kRows * kRowBytes;
/// Bytes of a group of A.
constexpr int64_t kGroup = 4;

/// The registers: up to four of results, block by block, one of A for each
/// block, two of B that alternate.
constexpr int64_t kNumResults = 4, kFirstLhs = 4, kFirstRhs = 6,
                  kNumRegisters = 8;

/// Offsets in a configuration: bytes of rows, and rows, of each register.
constexpr int64_t kWidths = 16, kHeights = 48;

/// A call of an intrinsic; the first `registers` are numbers of registers.
void emit(CodeBuilder &b, StringRef name, ArrayRef<int64_t> registers,
          ArrayRef<Value> operands = {}) {
  SmallVector<Value> all;
  for (int64_t number : registers)
    all.push_back(arith::ConstantOp::create(
        b.builder(), b.getLoc(), b.builder().getI8IntegerAttr(number)));
  llvm::append_range(all, operands);
  LLVM::CallIntrinsicOp::create(
      b.builder(), b.getLoc(),
      b.builder().getStringAttr(("llvm.x86." + name).str()), all);
}

Value narrow(CodeBuilder &b, Value v, Type type) {
  return arith::TruncIOp::create(b.builder(), b.getLoc(), type, v);
}

/// Loads the configuration for blocks of `height` rows, if it is another one.
void configure(CodeBuilder &b, Value config, Value height) {
  Type i8 = b.builder().getI8Type();
  Value rows = narrow(b, height, i8);
  Value loaded = b.load(i8, b.offset(config, kHeights));
  Value differs = arith::CmpIOp::create(b.builder(), b.getLoc(),
                                        arith::CmpIPredicate::ne, rows, loaded);
  b.ifThen(differs, [&] {
    for (int64_t number = 0; number < kFirstRhs; ++number)
      b.store(rows, b.offset(config, kHeights + number));
    emit(b, "ldtilecfg", {}, config);
  });
}

/// Emits the function of `blocks` by `panels`.
void emitKernel(CodeBuilder &b, ValueRange args, StringRef multiply,
                int64_t blocks, int64_t panels) {
  Value a = args[0], rowStride = args[1], rows = args[2], depth = args[3];
  Value rhs = args[4], panelStride = args[5], c = args[6], cStride = args[7];
  Value config = args[8], ahead = b.offset(rhs, args[9]), aheadStep = args[10];

  Value height = blocks == 1 ? rows : b.ceilDiv(rows, blocks);
  configure(b, config, height);
  // The second block ends with the last row.
  Value below = b.sub(rows, height);
  auto getBlock = [&](Value first, Value stride, int64_t block) {
    return block == 0 ? first : b.offset(first, b.mul(below, stride));
  };
  auto getResult = [&](int64_t block, int64_t panel) {
    return block * panels + panel;
  };

  for (int64_t i = 0; i < blocks * panels; ++i)
    emit(b, "tilezero", i);
  SmallVector<Value> starts;
  for (int64_t block = 0; block < blocks; ++block)
    starts.push_back(getBlock(a, rowStride, block));
  Value step = b.constant(tiles::kStep);
  Value last = b.max(b.sub(depth, step), b.constant(0));
  Value full = b.constant(kRowBytes);
  b.forLoop(
      b.constant(0), depth, step, ahead, [&](Value k, ValueRange carried) {
        Value from = b.offset(rhs, b.mul(b.min(k, last), kRowBytes));
        for (int64_t panel = 0; panel < panels; ++panel) {
          int64_t factor = kFirstRhs + panel % 2;
          emit(b, "tileloadd64", factor,
               {b.offset(from, b.mul(panelStride, panel)), full});
          for (int64_t block = 0; block < blocks; ++block) {
            if (panel == 0)
              emit(b, "tileloadd64", kFirstLhs + block,
                   {b.offset(starts[block], b.mul(k, kGroup)), rowStride});
            emit(b, multiply,
                 {getResult(block, panel), kFirstLhs + block, factor});
          }
        }
        // Prefetch the next step of B, and a step's share of what is read next.
        for (int64_t panel = 0; panel < panels; ++panel)
          for (int64_t line = 0; line < tiles::kStep; ++line)
            b.prefetch(b.offset(b.offset(from, b.mul(panelStride, panel)),
                                kRegisterBytes + line * kRowBytes));
        Value next = carried[0];
        for (int64_t share = 0; share < tiles::kStep / 4; ++share) {
          for (int64_t line = 0; line < 4; ++line)
            b.prefetch(b.offset(next, line * kRowBytes), /*forWrite=*/false,
                       /*level=*/2);
          next = b.offset(next, aheadStep);
        }
        return SmallVector<Value>{next};
      });

  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t panel = 0; panel < panels; ++panel)
      emit(b, "tilestored64", getResult(block, panel),
           {b.offset(getBlock(c, cStride, block), panel * kRowBytes), cStride});
}

} // namespace

void tiles::begin(CodeBuilder &b, Value config, Value depth) {
  Type i8 = b.builder().getI8Type(), i16 = b.builder().getI16Type();
  auto vectorType = VectorType::get({kConfigBytes}, i8);
  b.store(b.zero(vectorType), config);
  b.store(narrow(b, b.constant(1), i8), config); // the palette
  Value groups = b.min(depth, b.constant(kStep));
  for (int64_t number = 0; number < kNumRegisters; ++number) {
    bool isLhs = kFirstLhs <= number && number < kFirstRhs;
    Value width = isLhs ? b.mul(groups, kGroup) : b.constant(kRowBytes);
    b.store(narrow(b, width, i16), b.offset(config, kWidths + 2 * number));
    if (number >= kFirstRhs)
      b.store(narrow(b, groups, i8), b.offset(config, kHeights + number));
  }
}

void tiles::call(CodeBuilder &b, Operation *symbolTable, Factors factors,
                 int64_t blocks, int64_t panels, Value rows,
                 const MicroKernelCall &call) {
  bool isBytes = factors == Factors::Bytes;
  assert(blocks * panels <= kNumResults && "more results than registers");
  callHelper(
      b, symbolTable,
      ((isBytes ? "mt8_" : "mtpair_") + Twine(blocks) + "x" + Twine(panels))
          .str(),
      {call.a, call.rowStride, rows, call.depth, call.b, call.panelStride,
       call.c, call.cStride, call.config,
       call.ahead ? call.ahead : b.constant(0),
       call.aheadStep ? call.aheadStep : b.constant(0)},
      [&](CodeBuilder &code, ValueRange args) {
        emitKernel(code, args, isBytes ? "tdpbusd" : "tdpbf16ps", blocks,
                   panels);
      });
}

void tiles::end(CodeBuilder &b) { emit(b, "tilerelease", {}); }
