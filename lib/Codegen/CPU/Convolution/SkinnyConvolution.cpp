//===- SkinnyConvolution.cpp - Convolutions to a few channels -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Columns of a few output channels leave most lanes of a vector empty. Here
// lanes are consecutive elements along K instead: a tile has as many sums, of
// some pixels by all output channels, as a vector has lanes, or those of a
// pixel if they are more, and sums their lanes at its end, so that they are
// vectors of results.
//
// An item is a block of image rows (Lines.h). The filter is in scratch with K
// innermost; a thread writes it before its first item.

#include "Codegen/CPU/Convolution/ConvolutionSchedules.h"
#include "Codegen/CPU/Convolution/Lines.h"
#include "Codegen/CPU/Gemm/KeptItems.h"
#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

namespace {

constexpr int64_t kElement = 4;

/// Sizes of the work, computed in the same way by geometry and body.
struct Work {
  Work(KernelBuilder &b, dhlo::Convolves op, bool padded, int64_t lanes);

  Lines lines;
  int64_t numbers;
  /// Elements of a tap in the copy of the filter, a multiple of the lanes, and
  /// of all taps of an output channel.
  int64_t tapLength, rowLength;
  OpFoldResult filterOffset, sumsOffset, scratchBytes;
  OpFoldResult flops, bytes;
};

Work::Work(KernelBuilder &b, dhlo::Convolves op, bool padded, int64_t lanes)
    : lines(b, op, padded) {
  numbers = cast<RankedTensorType>(op.getFilter().getType()).getShape().back();
  tapLength = llvm::alignTo(lines.depth, lanes);
  rowLength = lines.tapCount * tapLength;
  filterOffset = lines.getScratchEnd(b);
  sumsOffset = b.add(filterOffset, b.constant(numbers * rowLength * kElement));
  int64_t sums = llvm::alignTo(std::max(numbers, lanes), lanes);
  scratchBytes = b.add(sumsOffset, b.constant(sums * kElement));
  int64_t depth = lines.tapCount * lines.depth;
  flops = b.mul(lines.pixels, b.constant(2 * depth * numbers));
  bytes =
      b.add(b.mul(lines.pixels, b.constant(kElement * numbers)),
            b.mul(lines.inputPixels, b.constant(kElement * lines.channels)));
}

class SkinnyConvolutionSchedule : public Schedule {
public:
  SkinnyConvolutionSchedule(dhlo::Convolves op, bool padded)
      : op(op), padded(padded) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &,
                      const CodegenOptions &options) override {
    lanes = options.target.cpu.registers.vectorBits / (8 * kElement);
    packing.emplace(kernel->getParentOp(), options.isa());
    return success();
  }

  Geometry emitGeometry(KernelBuilder &b) override {
    Work work(b, op, padded, lanes);
    OpFoldResult items = work.lines.blocks;
    return {items, getGemmGrain(b, items, work.flops, work.bytes),
            work.scratchBytes};
  }

  LogicalResult emitBody(KernelBuilder &b) override;

private:
  void emitFilter(KernelBuilder &b, const Work &work);
  void emitLine(KernelBuilder &b, const Work &work, const Lines::Block &block,
                OpFoldResult line);
  /// Writes the sums of `count` pixels, each by all output channels.
  void emitSums(KernelBuilder &b, const Work &work, Value pixel, int64_t count);
  /// `count` elements, and zeros in the other lanes.
  Value loadPart(KernelBuilder &b, Value address, OpFoldResult at,
                 int64_t count);
  Value getBuffer(KernelBuilder &b, Value operand) {
    return b.buffer(cast<BlockArgument>(operand).getArgNumber());
  }

  dhlo::Convolves op;
  bool padded;
  int64_t lanes = 1;
  std::optional<Packing> packing;
};

LogicalResult SkinnyConvolutionSchedule::emitBody(KernelBuilder &b) {
  Work work(b, op, padded, lanes);
  work.lines.emitTapTable(b);
  Value input = getBuffer(b, op.getInput());
  forEachItemKeeping(b, 1, [&](Value item, ValueRange kept) {
    b.ifThen(b.cmp(CmpIPredicate::slt, kept[0], b.constant(0)),
             [&] { emitFilter(b, work); });
    Lines::Block block = work.lines.getBlock(b, item);
    work.lines.emitCopy(b, *packing, input, block);
    work.lines.setBase(b, input, block);
    b.loop(b.constant(0), block.lineCount, 1,
           [&](Value line) { emitLine(b, work, block, line); });
    return SmallVector<Value>{item};
  });
  return success();
}

void SkinnyConvolutionSchedule::emitFilter(KernelBuilder &b, const Work &work) {
  Type f32 = b.getF32Type();
  Value source = getBuffer(b, op.getFilter());
  Value target = b.scratch(work.filterOffset);
  OpFoldResult zero = b.constant(0), depth = b.constant(work.lines.depth);
  b.loop(zero, b.constant(work.numbers), 1, [&](Value number) {
    b.loop(zero, b.constant(work.lines.tapCount), 1, [&](Value tap) {
      OpFoldResult to = b.add(b.mul(number, b.constant(work.rowLength)),
                              b.mul(tap, b.constant(work.tapLength)));
      if (work.tapLength != work.lines.depth)
        b.store(b.number(0, f32, lanes), target,
                b.add(to, b.constant(work.tapLength - lanes)), f32, lanes);
      b.loop(zero, depth, 1, [&](Value k) {
        OpFoldResult from =
            b.add(b.mul(b.add(b.mul(tap, depth), k), b.constant(work.numbers)),
                  number);
        b.store(b.load(source, from, f32, 1), target, b.add(to, k), f32, 1);
      });
    });
  });
}

void SkinnyConvolutionSchedule::emitLine(KernelBuilder &b, const Work &work,
                                         const Lines::Block &block,
                                         OpFoldResult line) {
  GemmEpilogue epilogue = createPixelEpilogue(b, op);
  OpFoldResult numbers = b.constant(work.numbers);
  Value sums = b.scratch(work.sumsOffset);
  // The first `repeated` pixels are stored already.
  auto emit = [&](OpFoldResult first, int64_t count, OpFoldResult repeated) {
    emitSums(b, work, work.lines.getPixel(b, block, line, first), count);
    epilogue.emitColumns(
        work.lines.getRow(b, block, line, b.add(first, repeated)),
        b.sub(b.constant(count), repeated), b.constant(0), numbers,
        b.address(sums, b.mul(repeated, numbers), b.getF32Type()), numbers);
  };
  // The last tile overlaps the one before.
  int64_t count = std::max<int64_t>(1, lanes / work.numbers);
  OpFoldResult zero = b.constant(0), width = block.pixels;
  OpFoldResult last = b.sub(width, b.constant(count));
  auto emitTiles = [&] {
    b.loop(zero, width, count, [&](Value pixel) {
      OpFoldResult first = b.min(pixel, last);
      emit(first, count, b.sub(pixel, first));
    });
  };
  auto emitSingle = [&] {
    b.loop(zero, width, 1, [&](Value pixel) { emit(pixel, 1, zero); });
  };
  if (count == 1 || work.lines.minPixels >= count)
    return emitTiles();
  b.ifThen(b.cmp(CmpIPredicate::sge, last, zero), emitTiles, emitSingle);
}

void SkinnyConvolutionSchedule::emitSums(KernelBuilder &b, const Work &work,
                                         Value pixel, int64_t count) {
  Type f32 = b.getF32Type();
  Value taps = b.scratch(b.constant(work.lines.getTapTableOffset()));
  Value filter = b.scratch(work.filterOffset);
  int64_t rest = work.lines.depth % lanes;
  OpFoldResult zero = b.constant(0);

  SmallVector<Value> sums(count * work.numbers, b.number(0, f32, lanes));
  sums = b.loop(
      zero, b.constant(work.lines.tapCount), 1, sums,
      [&](Value tap, ValueRange before) {
        Value offset = b.load(taps, tap, b.getI64Type(), 1);
        Value rows = b.address(pixel, offset, b.getI8Type());
        Value columns =
            b.address(filter, b.mul(tap, b.constant(work.tapLength)), f32);
        auto addAt = [&](OpFoldResult k, int64_t elements, ValueRange carried) {
          SmallVector<Value> weights, next;
          for (int64_t n = 0; n < work.numbers; ++n)
            weights.push_back(b.load(
                columns, b.add(k, b.constant(n * work.rowLength)), f32, lanes));
          for (int64_t i = 0; i < count; ++i) {
            OpFoldResult at =
                b.add(k, b.mul(work.lines.pixelStride, b.constant(i)));
            Value elementsOfPixel = loadPart(b, rows, at, elements);
            for (int64_t n = 0; n < work.numbers; ++n)
              next.push_back(b.fma(elementsOfPixel, weights[n],
                                   carried[i * work.numbers + n]));
          }
          return next;
        };
        SmallVector<Value> after =
            b.loop(zero, b.constant(work.lines.depth - rest), lanes, before,
                   [&](Value k, ValueRange carried) {
                     return addAt(k, lanes, carried);
                   });
        if (rest)
          after = addAt(b.constant(work.lines.depth - rest), rest, after);
        return after;
      });
  sums.resize(llvm::alignTo(sums.size(), lanes), b.number(0, f32, lanes));
  for (int64_t first = 0, end = sums.size(); first < end; first += lanes) {
    Value results = packLanes(b, ArrayRef(sums).slice(first, lanes),
                              [&](Value lhs, Value rhs) -> Value {
                                return arith::AddFOp::create(b, lhs, rhs);
                              })
                        .front();
    b.store(results, b.scratch(work.sumsOffset), b.constant(first), f32, lanes);
  }
}

Value SkinnyConvolutionSchedule::loadPart(KernelBuilder &b, Value address,
                                          OpFoldResult at, int64_t count) {
  if (count == lanes)
    return b.load(address, at, b.getF32Type(), lanes);
  Value loaded = b.number(0, b.getF32Type(), lanes);
  for (int64_t size = lanes / 2, done = 0; size > 0; size /= 2) {
    if (!(count & size))
      continue;
    Value part =
        b.load(address, b.add(at, b.constant(done)), b.getF32Type(), size);
    if (size == 1) {
      loaded = vector::InsertOp::create(b, part, loaded, done);
      continue;
    }
    // Its elements in the lanes from `done` on.
    SmallVector<int64_t> spread(lanes, 0), merged;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool isPart = done <= lane && lane < done + size;
      spread[lane] = isPart ? lane - done : 0;
      merged.push_back(isPart ? lanes + lane : lane);
    }
    part = vector::ShuffleOp::create(b, part, part, spread);
    loaded = vector::ShuffleOp::create(b, loaded, part, merged);
    done += size;
  }
  return loaded;
}

} // namespace

std::unique_ptr<Schedule>
dyn::createSkinnyConvolutionSchedule(dhlo::Convolves op, bool padded) {
  return std::make_unique<SkinnyConvolutionSchedule>(op, padded);
}
