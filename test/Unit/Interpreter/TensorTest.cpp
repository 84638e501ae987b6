//===- TensorTest.cpp - Dense tensors in memory ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Interpreter/Tensor.h"
#include "dyn/Interpreter/Element.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace dyn;

namespace {

class TensorTest : public testing::Test {
protected:
  static std::string print(const Tensor &tensor) {
    std::string text;
    llvm::raw_string_ostream os(text);
    tensor.print(os);
    return text;
  }
  template <typename T>
  Tensor make(mlir::Type type, llvm::ArrayRef<int64_t> sizes,
              std::vector<T> values) {
    return Tensor::copy(type, sizes,
                        {reinterpret_cast<const char *>(values.data()),
                         values.size() * sizeof(T)});
  }

  mlir::MLIRContext context;
  mlir::Builder builder{&context};
  mlir::Type f32 = builder.getF32Type(), i64 = builder.getI64Type();
  mlir::Type i1 = builder.getI1Type(), i8 = builder.getI8Type();
};

TEST_F(TensorTest, CountsElements) {
  EXPECT_EQ(getNumElements({}), 1);
  EXPECT_EQ(getNumElements({2, 3, 4}), 24);
  EXPECT_EQ(getNumElements({2, -1}), std::nullopt);
  // A zero size gives 0 whatever the others are, before or after it.
  EXPECT_EQ(getNumElements({0, int64_t(1) << 40, int64_t(1) << 40}), 0);
  EXPECT_EQ(getNumElements({int64_t(1) << 40, int64_t(1) << 40, 0}), 0);
  EXPECT_EQ(getNumElements({int64_t(1) << 32, int64_t(1) << 31}), std::nullopt);
  EXPECT_EQ(getNumElements({(int64_t(1) << 62)}), int64_t(1) << 62);
}

TEST_F(TensorTest, ElementsHaveBytes) {
  EXPECT_EQ(dyn::getElementBytes(i1), 1);
  EXPECT_EQ(dyn::getElementBytes(i8), 1);
  EXPECT_EQ(dyn::getElementBytes(builder.getBF16Type()), 2);
  EXPECT_EQ(dyn::getElementBytes(f32), 4);
  EXPECT_EQ(dyn::getElementBytes(builder.getF64Type()), 8);
}

TEST_F(TensorTest, DefaultIsNull) {
  EXPECT_TRUE(Tensor().isNull());
  EXPECT_TRUE(Tensor::create(f32, {-1}).isNull());
  EXPECT_TRUE(
      Tensor::create(f32, {int64_t(1) << 40, int64_t(1) << 40}).isNull());
}

TEST_F(TensorTest, CreatesZeros) {
  Tensor tensor = Tensor::create(i64, {2, 2});
  EXPECT_EQ(print(tensor), "tensor<2x2xi64> [[0, 0], [0, 0]]");
  EXPECT_EQ(tensor.getBytes().size(), 32u);
}

TEST_F(TensorTest, CopiesShareBytes) {
  Tensor tensor = Tensor::create(i64, {2});
  Tensor other = tensor;
  tensor.getMutableData<int64_t>()[1] = 7;
  EXPECT_EQ(other.getInt(1), 7);
  Tensor column = other.withSizes({2, 1});
  EXPECT_EQ(print(column), "tensor<2x1xi64> [[0], [7]]");
  EXPECT_EQ(column.getBytes().data(), tensor.getBytes().data());
}

TEST_F(TensorTest, BorrowsBytes) {
  float values[] = {1, 2};
  Tensor tensor = Tensor::borrow(
      f32, {2}, {reinterpret_cast<char *>(values), sizeof(values)});
  values[0] = 5;
  EXPECT_EQ(tensor.getData<float>()[0], 5);
}

TEST_F(TensorTest, ReadsAttributes) {
  auto type = [&](mlir::Type element, llvm::ArrayRef<int64_t> sizes) {
    return mlir::RankedTensorType::get(sizes, element);
  };
  auto floats = mlir::DenseElementsAttr::get(type(f32, {2}), {1.5f, -2.0f});
  EXPECT_EQ(print(Tensor::fromAttribute(floats)), "tensor<2xf32> [1.5, -2]");
  // A splat has one element; booleans are packed as bits in attributes.
  auto splat = mlir::DenseElementsAttr::get(type(i64, {3}), int64_t(4));
  EXPECT_EQ(print(Tensor::fromAttribute(splat)), "tensor<3xi64> [4, 4, 4]");
  auto booleans = mlir::DenseElementsAttr::get(
      type(i1, {3}), llvm::ArrayRef<bool>{true, false, true});
  Tensor bytes = Tensor::fromAttribute(booleans);
  EXPECT_EQ(print(bytes), "tensor<3xi1> [true, false, true]");
  EXPECT_EQ(bytes.getBytes().size(), 3u);
  auto empty =
      mlir::DenseElementsAttr::get(type(f32, {0, 2}), llvm::ArrayRef<float>());
  EXPECT_EQ(print(Tensor::fromAttribute(empty)), "tensor<0x2xf32> []");
}

TEST_F(TensorTest, WidensFloats) {
  Tensor half = make<uint16_t>(builder.getF16Type(), {2}, {0x3c00, 0x7c00});
  EXPECT_EQ(print(half.toFloat64()), "tensor<2xf64> [1, inf]");
  Tensor integers = make<int8_t>(i8, {1}, {-3});
  EXPECT_EQ(print(integers.toFloat64()), "tensor<1xi8> [-3]");
}

TEST_F(TensorTest, ReadsNumbers) {
  Tensor floats = make<float>(f32, {2}, {-2.75f, 3.5f});
  EXPECT_EQ(floats.getInt(0), -2);
  EXPECT_EQ(floats.getDouble(1), 3.5);
  Tensor wide = make<uint64_t>(
      mlir::IntegerType::get(&context, 64, mlir::IntegerType::Unsigned), {1},
      {UINT64_MAX});
  EXPECT_EQ(wide.getDouble(), 18446744073709551616.0);
  EXPECT_EQ(print(wide), "tensor<1xui64> [18446744073709551615]");
}

TEST_F(TensorTest, PrintsEveryDigitThatMatters) {
  EXPECT_EQ(print(make<float>(f32, {3}, {0.1f, 1e-45f, 16777216.0f})),
            "tensor<3xf32> [0.1, 1e-45, 16777216]");
  EXPECT_EQ(print(make<double>(builder.getF64Type(), {2}, {0.1, -0.0})),
            "tensor<2xf64> [0.1, -0]");
  EXPECT_EQ(print(make<float>(f32, {}, {2.0f})), "tensor<f32> 2");
  EXPECT_EQ(print(make<float>(f32, {1, 0}, {})), "tensor<1x0xf32> [[]]");
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

TEST_F(TensorTest, IntegersWrap) {
  EXPECT_EQ(wrapAdd<int8_t>(127, 1), -128);
  EXPECT_EQ(wrapSub<int8_t>(-128, 1), 127);
  EXPECT_EQ(wrapMul<int32_t>(1 << 30, 4), 0);
  EXPECT_EQ(wrapMul<int64_t>(INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(wrapSub<uint16_t>(0, 1), 65535);
  EXPECT_EQ(wrapAdd<float>(0.5f, 0.25f), 0.75f);
}

TEST_F(TensorTest, ExtremesKnowNanAndSignedZeros) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(maximum(nan, 1.0f)));
  EXPECT_TRUE(std::isnan(maximum(1.0f, nan)));
  EXPECT_TRUE(std::isnan(minimum(nan, 1.0f)));
  EXPECT_TRUE(std::isnan(minimum(1.0f, nan)));
  EXPECT_FALSE(std::signbit(maximum(0.0f, -0.0f)));
  EXPECT_FALSE(std::signbit(maximum(-0.0f, 0.0f)));
  EXPECT_TRUE(std::signbit(minimum(0.0f, -0.0f)));
  EXPECT_TRUE(std::signbit(minimum(-0.0f, 0.0f)));
  EXPECT_EQ(maximum<uint8_t>(200, 100), 200);
  EXPECT_EQ(minimum<int8_t>(-1, 1), -1);
}

} // namespace
