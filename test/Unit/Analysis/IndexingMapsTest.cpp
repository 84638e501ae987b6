//===- IndexingMapsTest.cpp - Maps against the interpreter ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An indexing map is a promise: an element of the operand that is not at the
// map's index does not affect the element of the result. Each element of each
// float operand is changed in turn, and the elements of the result that change
// are compared with the map.
//
// The axes that an index depends on are a promise, too. Along an axis of the
// result on which no index depends, all elements are equal. If each index that
// depends on an axis is the same, the operation on parts of the operands along
// it computes the part of the result.

#include "Support.h"

#include "dyn/Dialect/DHLO/Analysis/IndexingMaps.h"
#include "dyn/Interpreter/Interpreter.h"

#include "mlir/IR/Verifier.h"

using namespace dyn;
using namespace dyn::dhlo;
using namespace mlir;

namespace {

using Index = SmallVector<int64_t>;

Index delinearize(int64_t position, ArrayRef<int64_t> sizes) {
  Index index(sizes.size());
  for (int64_t axis = sizes.size() - 1; axis >= 0; --axis) {
    index[axis] = position % sizes[axis];
    position /= sizes[axis];
  }
  return index;
}

class IndexingMapsTest : public test::SizeTest {
protected:
  IndexingMapsTest() { context.loadDialect<func::FuncDialect>(); }

  /// Reads a function `f` of `arguments` whose first operation is `op`.
  Operation *read(StringRef arguments, StringRef op, StringRef result,
                  StringRef names) {
    module = parse(("func.func @f(" + arguments + ") -> " + result + " {\n  " +
                    names + " = " + op + "\n  return %r : " + result + "\n}")
                       .str());
    auto function = *module->getOps<func::FuncOp>().begin();
    return &function.front().front();
  }

  Tensor evaluate(ArrayRef<Tensor> inputs) {
    Interpreter interpreter(*module, {});
    auto results = interpreter.run("f", inputs);
    EXPECT_TRUE(succeeded(results));
    return succeeded(results) ? results->front() : Tensor();
  }

  /// Whether an element of the result at `to` may read one at `from`.
  static bool mayRead(const AxisIndex &index, int64_t from,
                      ArrayRef<int64_t> to, int64_t size) {
    int64_t i = index.count > 0 ? to[index.axis] : 0;
    switch (index.kind) {
    case AxisIndex::Kind::Same:
      return from == i;
    case AxisIndex::Kind::Repeated:
      return from == 0;
    case AxisIndex::Kind::Broadcast:
      return from == i || size == 1;
    case AxisIndex::Kind::Strided:
      return from == index.start.getValue() + index.stride * i;
    case AxisIndex::Kind::Shifted:
      return from == i - index.start.getValue();
    default:
      return true;
    }
  }

  /// Checks the maps of an operation with the first result %r; integers are
  /// zeros and ones.
  void check(StringRef arguments, StringRef op, StringRef result,
             StringRef names = "%r") {
    SCOPED_TRACE(op.str());
    Operation *operation = read(arguments, op, result, names);
    SymbolicDims dims(*module);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(0.5, 1.5);
    SmallVector<Tensor> inputs;
    for (Value operand : operation->getOperands()) {
      auto type = cast<RankedTensorType>(operand.getType());
      Tensor input = Tensor::create(type.getElementType(), type.getShape());
      if (type.getElementType().isF32())
        for (float &x : input.getMutableData<float>())
          x = uniform(random);
      else
        for (auto [i, x] : llvm::enumerate(input.getMutableData<int64_t>()))
          x = i % 2;
      inputs.push_back(input);
    }
    Tensor before = evaluate(inputs);
    SmallVector<IndexingMap> maps;
    for (unsigned operand = 0; operand < inputs.size(); ++operand) {
      auto map = getIndexingMap(operation, operand, dims);
      ASSERT_TRUE(map);
      ASSERT_EQ(int64_t(map->size()), inputs[operand].getRank());
      maps.push_back(*map);
      if (inputs[operand].getElementType().isF32())
        checkOperand(inputs, operand, *map, before);
    }
    for (int64_t axis = 0; axis < before.getRank(); ++axis)
      checkAxis(operation, inputs, maps, axis, before);
  }

  /// The elements of a tensor but for those with the first or the last index on
  /// an axis.
  static Tensor drop(bool isFirst, const Tensor &whole, int64_t axis) {
    Index sizes(whole.getSizes());
    --sizes[axis];
    Tensor part = Tensor::create(whole.getElementType(), sizes);
    int64_t bytes = whole.getElementBytes();
    for (int64_t to = 0; to < part.getNumElements(); ++to) {
      Index index = delinearize(to, sizes);
      index[axis] += isFirst;
      int64_t from = 0;
      for (auto [i, size] : llvm::zip_equal(index, whole.getSizes()))
        from = from * size + i;
      llvm::copy(whole.getBytes().slice(from * bytes, bytes),
                 part.getMutableBytes().begin() + to * bytes);
    }
    return part;
  }

  /// Checks what no index, or the same index of each operand, depends on.
  void checkAxis(Operation *op, ArrayRef<Tensor> inputs,
                 ArrayRef<IndexingMap> maps, int64_t axis,
                 const Tensor &before) {
    SCOPED_TRACE("axis " + std::to_string(axis) + " of the result");
    if (before.getSize(axis) < 2)
      return;
    bool isRepeated = true, isApart = op->getNumResults() == 1;
    for (const IndexingMap &map : maps)
      for (const AxisIndex &index : map)
        if (index.dependsOn(axis)) {
          isRepeated = false;
          isApart &= index.isSame();
        }
    for (bool isFirst : {false, true}) {
      if (!isApart)
        break;
      SmallVector<Tensor> parts(inputs);
      for (auto [part, map] : llvm::zip_equal(parts, maps))
        for (auto [from, index] : llvm::enumerate(map))
          if (index.dependsOn(axis))
            part = drop(isFirst, part, from);
      expectEqual(evaluateOn(op, parts, axis), drop(isFirst, before, axis));
    }
    if (!isRepeated)
      return;
    for (int64_t to = 0; to < before.getNumElements(); ++to) {
      Index index = delinearize(to, before.getSizes());
      int64_t stride = 1;
      for (int64_t size : before.getSizes().drop_front(axis + 1))
        stride *= size;
      EXPECT_EQ(before.getDouble(to),
                before.getDouble(to - index[axis] * stride));
    }
  }

  static void expectEqual(const Tensor &found, const Tensor &expected) {
    ASSERT_EQ(found.getSizes(), expected.getSizes());
    for (int64_t i = 0; i < found.getNumElements(); ++i)
      EXPECT_EQ(found.getDouble(i), expected.getDouble(i)) << "element " << i;
  }

  /// Evaluates the operation on operands of other sizes, with a result that is
  /// shorter by one along an axis.
  Tensor evaluateOn(Operation *op, ArrayRef<Tensor> inputs, int64_t axis) {
    OpBuilder b(&context);
    Location loc = op->getLoc();
    OwningOpRef<ModuleOp> part = ModuleOp::create(loc);
    b.setInsertionPointToEnd(part->getBody());
    SmallVector<Type> types;
    for (const Tensor &input : inputs)
      types.push_back(
          RankedTensorType::get(input.getSizes(), input.getElementType()));
    auto whole = cast<RankedTensorType>(op->getResult(0).getType());
    Index sizes(whole.getShape());
    --sizes[axis];
    auto result = RankedTensorType::get(sizes, whole.getElementType());
    auto function =
        func::FuncOp::create(b, loc, "f", b.getFunctionType(types, {result}));
    b.setInsertionPointToEnd(function.addEntryBlock());
    Operation *copy = b.clone(*op);
    copy->setOperands(function.getArguments());
    copy->getResult(0).setType(result);
    func::ReturnOp::create(b, loc, copy->getResults());
    EXPECT_TRUE(succeeded(verify(*part)));
    Interpreter interpreter(*part, {});
    auto results = interpreter.run("f", inputs);
    EXPECT_TRUE(succeeded(results) && interpreter.getDataErrors().empty());
    return succeeded(results) ? results->front() : Tensor();
  }

  void checkOperand(SmallVector<Tensor> inputs, unsigned operand,
                    const IndexingMap &map, const Tensor &before) {
    Tensor whole = inputs[operand];
    bool isRead = false;
    for (int64_t from = 0; from < whole.getNumElements(); ++from) {
      Tensor changed = Tensor::copy(whole.getElementType(), whole.getSizes(),
                                    whole.getBytes());
      changed.getMutableData<float>()[from] += 3;
      inputs[operand] = changed;
      Tensor after = evaluate(inputs);
      Index source = delinearize(from, whole.getSizes());
      for (int64_t to = 0; to < before.getNumElements(); ++to) {
        if (before.getDouble(to) == after.getDouble(to))
          continue;
        isRead = true;
        Index target = delinearize(to, before.getSizes());
        for (auto [axis, index] : llvm::enumerate(map))
          EXPECT_TRUE(mayRead(index, source[axis], target, whole.getSize(axis)))
              << "operand " << operand << ", axis " << axis << ": element "
              << to << " reads " << from;
      }
    }
    // The value of a pad is for one mode alone.
    EXPECT_TRUE(isRead || map.empty())
        << "operand " << operand << " is never read";
  }

  OwningOpRef<ModuleOp> module;
};

TEST_F(IndexingMapsTest, Elementwise) {
  check("%x: tensor<2x3xf32>, %y: tensor<2x3xf32>",
        "dhlo.add %x, %y : tensor<2x3xf32>", "tensor<2x3xf32>");
}

TEST_F(IndexingMapsTest, Movement) {
  check("%x: tensor<3x1xf32>",
        "dhlo.broadcast %x axes = [1, 2] : (tensor<3x1xf32>) -> "
        "tensor<2x3x4xf32>",
        "tensor<2x3x4xf32>");
  check("%x: tensor<2x3x4xf32>",
        "dhlo.transpose %x permutation = [2, 0, 1] : (tensor<2x3x4xf32>) -> "
        "tensor<4x2x3xf32>",
        "tensor<4x2x3xf32>");
  check("%x: tensor<7x4xf32>",
        "dhlo.slice %x starts = [1, 0] strides = [2, 1] : (tensor<7x4xf32>) -> "
        "tensor<3x4xf32>",
        "tensor<3x4xf32>");
  check("%x: tensor<3x4xf32>", "dhlo.reverse %x axes = [1] : tensor<3x4xf32>",
        "tensor<3x4xf32>");
  for (StringRef mode : {"constant", "reflect", "edge", "wrap"})
    check("%x: tensor<3x4xf32>, %v: tensor<f32>",
          ("dhlo.pad %x, %v " + mode +
           " low = [1, 0] high = [0, 0] : (tensor<3x4xf32>, "
           "tensor<f32>) -> tensor<4x4xf32>")
              .str(),
          "tensor<4x4xf32>");
  check("%x: tensor<2x1xf32>, %y: tensor<2x3xf32>",
        "dhlo.concat %x, %y axis = 1 : (tensor<2x1xf32>, tensor<2x3xf32>) -> "
        "tensor<2x4xf32>",
        "tensor<2x4xf32>");
}

TEST_F(IndexingMapsTest, Gathers) {
  check("%x: tensor<3x2x4xf32>, %i: tensor<3x5xi64>",
        "dhlo.gather %x, %i axis = 1 batch = 1 : (tensor<3x2x4xf32>, "
        "tensor<3x5xi64>) -> tensor<3x5x4xf32>",
        "tensor<3x5x4xf32>");
  check("%x: tensor<2x4xf32>, %i: tensor<2x5xi64>",
        "dhlo.gather_elements %x, %i axis = 1 : (tensor<2x4xf32>, "
        "tensor<2x5xi64>) -> tensor<2x5xf32>",
        "tensor<2x5xf32>");
  check("%x: tensor<3x2x4xf32>, %i: tensor<3x5x1xi64>",
        "dhlo.gather_nd %x, %i batch = 1 : (tensor<3x2x4xf32>, "
        "tensor<3x5x1xi64>) -> tensor<3x5x4xf32>",
        "tensor<3x5x4xf32>");
  check("%x: tensor<2x3x4xf32>, %i: tensor<5x2xi64>",
        "dhlo.gather_nd %x, %i batch = 0 : (tensor<2x3x4xf32>, "
        "tensor<5x2xi64>) -> tensor<5x4xf32>",
        "tensor<5x4xf32>");
}

TEST_F(IndexingMapsTest, Scatters) {
  for (StringRef kind : {"replace", "add"}) {
    check("%x: tensor<3x4xf32>, %i: tensor<2x1xi64>, %u: tensor<2x4xf32>",
          ("dhlo.scatter_nd %x, %i, %u " + kind +
           " : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> "
           "tensor<3x4xf32>")
              .str(),
          "tensor<3x4xf32>");
    // As many updates as rows, and fewer.
    for (StringRef updates : {"3x2", "2x2"})
      check(("%x: tensor<3x4xf32>, %i: tensor<" + updates +
             "xi64>, %u: tensor<" + updates + "xf32>")
                .str(),
            ("dhlo.scatter_elements %x, %i, %u " + kind +
             " axis = 1 : (tensor<3x4xf32>, tensor<" + updates +
             "xi64>, tensor<" + updates + "xf32>) -> tensor<3x4xf32>")
                .str(),
            "tensor<3x4xf32>");
  }
}

TEST_F(IndexingMapsTest, Sorts) {
  check("%x: tensor<3x4xf32>",
        "dhlo.sort %x axis = 1 : tensor<3x4xf32>, tensor<3x4xi64>",
        "tensor<3x4xf32>", "%r, %i");
  check("%x: tensor<3x4xf32>",
        "dhlo.top_k %x axis = 0 largest : (tensor<3x4xf32>) -> "
        "(tensor<2x4xf32>, tensor<2x4xi64>)",
        "tensor<2x4xf32>", "%r, %i");
}

TEST_F(IndexingMapsTest, Fourier) {
  check("%x: tensor<3x4xf32>, %y: tensor<3x4xf32>",
        "dhlo.fft %x, %y axis = 1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> "
        "(tensor<3x4xf32>, tensor<3x4xf32>)",
        "tensor<3x4xf32>", "%r, %i");
  check("%x: tensor<5x4xf32>",
        "dhlo.fft %x half axis = 0 : (tensor<5x4xf32>) -> "
        "(tensor<3x4xf32>, tensor<3x4xf32>)",
        "tensor<3x4xf32>", "%r, %i");
}

TEST_F(IndexingMapsTest, Reductions) {
  check("%x: tensor<2x3x4xf32>",
        "dhlo.reduce sum %x axes = [1] : (tensor<2x3x4xf32>) -> "
        "tensor<2x4xf32>",
        "tensor<2x4xf32>");
  check("%x: tensor<3x4xf32>, %o: tensor<2xi64>",
        "dhlo.segment_reduce sum %x, %o : (tensor<3x4xf32>, tensor<2xi64>) -> "
        "tensor<1x4xf32>",
        "tensor<1x4xf32>");
  check("%x: tensor<3x4xf32>",
        "dhlo.cumulative sum %x axis = 0 : tensor<3x4xf32>", "tensor<3x4xf32>");
  check("%x: tensor<3x4xf32>", "dhlo.softmax %x axis = 1 : tensor<3x4xf32>",
        "tensor<3x4xf32>");
  check("%x: tensor<3x4xf32>, %s: tensor<4xf32>",
        "dhlo.rms_norm %x, %s axis = 1 eps = 1.0e-5 : (tensor<3x4xf32>, "
        "tensor<4xf32>) -> tensor<3x4xf32>",
        "tensor<3x4xf32>");
}

TEST_F(IndexingMapsTest, Contractions) {
  check("%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>",
        "dhlo.dot_general %x, %y batch = 1 lhs_contract = [2] rhs_contract = "
        "[1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>",
        "tensor<2x3x5xf32>");
  check("%x: tensor<3x4xf32>, %y: tensor<4x2x5xf32>",
        "dhlo.dot_general %x, %y batch = 0 lhs_contract = [1] rhs_contract = "
        "[0] : (tensor<3x4xf32>, tensor<4x2x5xf32>) -> tensor<3x2x5xf32>",
        "tensor<3x2x5xf32>");
  for (StringRef groups : {"1", "2"}) {
    std::string filter =
        groups == "1" ? "tensor<4x2x3xf32>" : "tensor<4x1x3xf32>";
    check("%x: tensor<2x2x5xf32>, %w: " + filter,
          "dhlo.convolution %x, %w channels_first strides = [2] low = [1] high "
          "= [1] input_dilation = [1] filter_dilation = [1] groups = " +
              groups.str() + " : (tensor<2x2x5xf32>, " + filter +
              ") -> tensor<2x4x3xf32>",
          "tensor<2x4x3xf32>");
  }
}

TEST_F(IndexingMapsTest, Attention) {
  // Four heads share two of keys; the mask is one for all heads.
  check("%q: tensor<2x4x3x2xf32>, %k: tensor<2x2x3x2xf32>, %v: "
        "tensor<2x2x3x5xf32>, %m: tensor<2x1x3x3xf32>",
        "dhlo.attention %q, %k, %v mask %m scale = 0.5 : "
        "(tensor<2x4x3x2xf32>, tensor<2x2x3x2xf32>, tensor<2x2x3x5xf32>, "
        "tensor<2x1x3x3xf32>) -> tensor<2x4x3x5xf32>",
        "tensor<2x4x3x5xf32>");
}

// A query sees the keys up to its own.
TEST_F(IndexingMapsTest, CausalAttention) {
  check("%q: tensor<1x2x3x2xf32>, %k: tensor<1x2x3x2xf32>, %v: "
        "tensor<1x2x3x5xf32>, %m: tensor<1x1x3x3xf32>",
        "dhlo.attention %q, %k, %v mask %m scale = 0.5 causal : "
        "(tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x5xf32>, "
        "tensor<1x1x3x3xf32>) -> tensor<1x2x3x5xf32>",
        "tensor<1x2x3x5xf32>");
}

TEST_F(IndexingMapsTest, Recurrence) {
  for (StringRef direction : {"forward", "reverse", "bidirectional"}) {
    std::string d = direction == "bidirectional" ? "2" : "1";
    std::string gates = "tensor<3x2x" + d + "x8xf32>",
                weights = "tensor<" + d + "x2x8xf32>",
                state = "tensor<" + d + "x2x2xf32>",
                result = "tensor<3x" + d + "x2x2xf32>";
    check("%g: " + gates + ", %w: " + weights + ", %h: " + state +
              ", %c: " + state,
          "dhlo.lstm " + direction.str() + " %g, %w hidden %h cell %c : (" +
              gates + ", " + weights + ", " + state + ", " + state + ") -> (" +
              result + ", " + state + ", " + state + ")",
          result, "%r, %last, %cell");
  }
}

TEST_F(IndexingMapsTest, Resize) {
  check("%x: tensor<2x3xf32>",
        "dhlo.resize nearest asymmetric floor %x scales = [1.0, 2.0] "
        "coefficient = -0.75 : (tensor<2x3xf32>) -> tensor<2x6xf32>",
        "tensor<2x6xf32>");
}

// Regions and reshapes have no map.
TEST_F(IndexingMapsTest, None) {
  Operation *op = read("%x: tensor<2x3xf32>",
                       "dhlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>",
                       "tensor<6xf32>", "%r");
  EXPECT_FALSE(dhlo::getIndexingMap(op, 0));
}

// A change of a fact changes the map, not the operation.
TEST_F(IndexingMapsTest, SizesDecide) {
  auto kindOf = [&](StringRef facts) {
    module =
        parse((facts + "func.func @f(%x: tensor<?xf32, #dhlo.dims<A>>) -> "
                       "tensor<?xf32, #dhlo.dims<B>> {\n"
                       "  %r = dhlo.broadcast %x axes = [0] : (tensor<?xf32, "
                       "#dhlo.dims<A>>) -> tensor<?xf32, #dhlo.dims<B>>\n"
                       "  return %r : tensor<?xf32, #dhlo.dims<B>>\n}")
                  .str());
    auto function = *module->getOps<func::FuncOp>().begin();
    SymbolicDims dims(*module);
    return getIndexingMap(&function.front().front(), 0, dims)->front().kind;
  };
  EXPECT_EQ(kindOf("dhlo.dim @A\ndhlo.dim @B\n"), AxisIndex::Kind::Broadcast);
  EXPECT_EQ(kindOf("dhlo.dim @A\ndhlo.dim @B = @A\n"), AxisIndex::Kind::Same);
}

} // namespace
