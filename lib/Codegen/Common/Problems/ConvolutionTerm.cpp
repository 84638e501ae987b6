//===- ConvolutionTerm.cpp - The terms of a convolution's sums ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Problems/ConvolutionTerm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::ConvolutionAxes;

ConvolutionTerm::ConvolutionTerm(KernelBuilder &b, dhlo::Convolves op,
                                 ArrayRef<OpFoldResult> result,
                                 ArrayRef<OpFoldResult> summed)
    : input(result.size()), filter(op.getFilter().getType().getRank()) {
  ConvolutionAxes axes(op);
  OpFoldResult perGroup = b.div(b.size(op.getFilter(), axes.filterNumber),
                                b.constant(op.getGroups()));
  OpFoldResult firstChannel = b.mul(b.div(result[axes.channel], perGroup),
                                    b.size(op.getFilter(), axes.filterChannel));
  input[0] = result[0];
  input[axes.channel] = b.add(firstChannel, summed.back());
  filter[axes.filterNumber] = result[axes.channel];
  filter[axes.filterChannel] = summed.back();
  auto require = [&](Value condition) {
    inside =
        inside ? Value(arith::AndIOp::create(b, inside, condition)) : condition;
  };
  for (int64_t i = 0; i < axes.spatial; ++i) {
    filter[axes.filterSpatial + i] = summed[i];
    auto low = cast<dhlo::DimExprAttr>(op.getLow()[i]);
    // The position in the dilated input.
    OpFoldResult at =
        b.sub(b.add(b.mul(result[axes.firstSpatial + i],
                          b.constant(op.getStrides()[i])),
                    b.mul(summed[i], b.constant(op.getFilterDilation()[i]))),
              b.size(low));
    OpFoldResult size = b.size(op.getInput(), axes.firstSpatial + i);
    int64_t dilation = op.getInputDilation()[i];
    require(b.cmp(CmpIPredicate::sge, at, b.constant(0)));
    if (dilation > 1) {
      at = b.max(at, b.constant(0));
      require(b.cmp(CmpIPredicate::eq, b.rem(at, b.constant(dilation)),
                    b.constant(0)));
      at = b.div(at, b.constant(dilation));
    }
    require(b.cmp(CmpIPredicate::slt, at, size));
    input[axes.firstSpatial + i] = at;
  }
}
