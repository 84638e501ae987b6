//===- PackedOrder.cpp - Packed layouts of constants ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"
#include "dyn/Support/Panels.h"
#include "dyn/Support/Winograd.h"

#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

int64_t dlhlo::getGroupSize(PackKind kind) {
  switch (kind) {
  case PackKind::Panels16x4:
    return 4;
  case PackKind::Panels16x2:
    return 2;
  case PackKind::Panels16:
  case PackKind::Winograd4:
  case PackKind::Winograd4Lines:
    return 1;
  }
  llvm_unreachable("not an order");
}

LogicalResult PackedAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  int64_t rank = shape.size();
  // packed_c1
  if (getBatch() < 0 || getRows() < 0 || getBatch() > rank ||
      getRows() > rank - getBatch())
    return emitError() << "expected at most " << rank
                       << " axes in an order with batch = " << getBatch()
                       << " and rows = " << getRows();
  // packed_c2
  if (getKind() == PackKind::Winograd4 &&
      (rank != 4 || shape[0] != 3 || shape[1] != 3 || !elementType.isF32() ||
       getBatch() != 0 || getRows() != 3))
    return emitError() << "expected 3 x 3 x C x N of f32 with batch = 0 and "
                          "rows = 3 in the order winograd4";
  // packed_c3
  if (getKind() == PackKind::Panels16x4 &&
      (!llvm::isa<IntegerType>(elementType) ||
       elementType.getIntOrFloatBitWidth() != 8))
    return emitError() << "expected integers of 8 bits in the order "
                          "panels16x4, found "
                       << elementType;
  if (getKind() == PackKind::Panels16x2 && !elementType.isBF16())
    return emitError() << "expected bf16 in the order panels16x2, found "
                       << elementType;
  // packed_c4
  if (getKind() == PackKind::Winograd4Lines &&
      (rank != getBatch() + 4 || shape[getBatch() + 2] != winograd::kWindow ||
       !elementType.isF32() || getRows() != 2))
    return emitError() << "expected N x C x 3 x W of f32 behind the batch and "
                          "rows = 2 in the order winograd4_lines";
  return success();
}

static std::optional<int64_t> multiply(std::optional<int64_t> product,
                                       ArrayRef<int64_t> factors) {
  for (int64_t factor : factors)
    product = product ? llvm::checkedMul(*product, factor) : std::nullopt;
  return product;
}

int64_t dlhlo::getConstantBytes(RankedTensorType type) {
  if (!type.hasStaticShape())
    return -1;
  ArrayRef<int64_t> rows = type.getShape(), columns;
  std::optional<int64_t> count = 1;
  auto packed = llvm::dyn_cast_or_null<PackedAttr>(type.getEncoding());
  if (packed && packed.getKind() == PackKind::Winograd4Lines) {
    count = multiply(winograd::kInputs, rows.take_back(1));
    rows = rows.drop_back(2);
  } else if (packed) {
    columns = rows.drop_front(packed.getBatch() + packed.getRows());
    rows = rows.take_front(packed.getBatch() + packed.getRows());
    count = multiply(count, columns);
    if (count && *count > std::numeric_limits<int64_t>::max() - kPanelWidth)
      return -1;
    if (count)
      count = llvm::alignTo(*count, kPanelWidth);
    if (int64_t group = getGroupSize(packed.getKind()); group > 1) {
      std::optional<int64_t> depth =
          multiply(1, rows.drop_front(packed.getBatch()));
      if (!depth || *depth > std::numeric_limits<int64_t>::max() - group)
        return -1;
      count = multiply(count, llvm::alignTo(*depth, group));
      rows = rows.take_front(packed.getBatch());
    }
    if (packed.getKind() == PackKind::Winograd4) {
      // The transformed matrices, then those of the window.
      count = multiply(count, winograd::kTransformed + rows[0] * rows[1]);
      rows = rows.drop_front(2);
    }
  }
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  return multiply(multiply(count, rows), (bits + 7) / 8).value_or(-1);
}

int64_t dlhlo::getPanelsOffset(RankedTensorType type) {
  auto packed = llvm::cast<PackedAttr>(type.getEncoding());
  if (packed.getKind() != PackKind::Winograd4)
    return 0;
  return winograd::kTransformed * type.getDimSize(2) *
         llvm::alignTo(type.getDimSize(3), kPanelWidth);
}
