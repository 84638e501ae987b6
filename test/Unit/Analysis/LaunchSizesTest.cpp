//===- LaunchSizesTest.cpp - Sizes of kernels, analysed once --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "Dialect/DLHLO/Transforms/Kernels/LaunchSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace dyn;

namespace {

class LaunchSizesTest : public test::SizeTest {
protected:
  LaunchSizesTest() {
    context.loadDialect<mlir::func::FuncDialect, dlhlo::DLHLODialect>();
  }

  /// Calls `visit` for the launches of a model that launches a kernel `layers`
  /// times, each with other sizes, and returns how many kernels were analysed.
  unsigned visitLaunches(
      unsigned layers,
      llvm::function_ref<void(dlhlo::LaunchSizes &, dlhlo::LaunchOp)> visit) {
    std::string text = R"mlir(
      dlhlo.kernel @tail loop {
      ^bb0(%x: tensor<?xf32, #dhlo.dims<d0>>, %y: tensor<?xf32, #dhlo.dims<d2>>):
        dhlo.dim @d0 in [0, ?]
        dhlo.dim @d1 = @d0 - 3
        dhlo.dim @d2 in [0, ?]
        %0 = dhlo.slice %x starts = [3] strides = [1]
          : (tensor<?xf32, #dhlo.dims<d0>>) -> tensor<?xf32, #dhlo.dims<d1>>
        %1 = dhlo.concat %0, %y axis = 0
          : (tensor<?xf32, #dhlo.dims<d1>>, tensor<?xf32, #dhlo.dims<d2>>) -> tensor<?xf32, #dhlo.dims<d3>>
        dhlo.dim @d3 = @d0 + @d2 - 3
        dlhlo.yield %1 : tensor<?xf32, #dhlo.dims<d3>>
      }
      dhlo.dim @N in [0, ?]
      dhlo.dim @M in [0, ?]
    )mlir";
    std::string body;
    for (unsigned i = 0; i != layers; ++i) {
      std::string n = std::to_string(i), next = std::to_string(i + 1);
      text += "dhlo.dim @T" + n + " = @N + " + n + " * @M\n";
      body +=
          "%" + next + " = dlhlo.launch @tail dims [@T" + n + ", @M + 3](%" +
          n + ", %y) : (tensor<?xf32, #dhlo.dims<T" + n +
          ">>, tensor<?xf32, #dhlo.dims<R>>) -> tensor<?xf32, #dhlo.dims<T" +
          next + ">>\n";
    }
    text += "dhlo.dim @R = @M + 3\ndhlo.dim @T" + std::to_string(layers) +
            " = @N + " + std::to_string(layers) + " * @M\n" +
            "func.func @f(%0: tensor<?xf32, #dhlo.dims<T0>>, "
            "%y: tensor<?xf32, #dhlo.dims<R>>) {\n" +
            body + "return\n}\n";
    mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
    if (!module)
      return 0;
    mlir::SymbolTable symbols(*module);
    dlhlo::LaunchSizes sizes(symbols);
    module->walk([&](dlhlo::LaunchOp launch) { visit(sizes, launch); });
    return sizes.getNumKernels();
  }
};

/// Sizes of a kernel are those of the entry, with the operation that has them.
TEST_F(LaunchSizesTest, SizesAreThoseOfTheEntry) {
  unsigned layer = 0;
  visitLaunches(2, [&](dlhlo::LaunchSizes &sizes, dlhlo::LaunchOp launch) {
    std::vector<std::string> found, makers;
    for (auto [size, maker] : sizes.getSizes(launch)) {
      found.push_back(print(size));
      makers.push_back(maker->getName().getStringRef().str());
    }
    std::string t = "@T" + std::to_string(layer++);
    EXPECT_EQ(found,
              (std::vector<std::string>{t, t + " - 3", "@M + 3", "@M + " + t}));
    EXPECT_EQ(makers,
              (std::vector<std::string>{"dlhlo.launch", "dhlo.slice",
                                        "dlhlo.launch", "dhlo.concat"}));
  });
  EXPECT_EQ(layer, 2u);
}

/// A slice must begin within its operand, which the kernel does not know.
TEST_F(LaunchSizesTest, ChecksAreThoseOfTheEntry) {
  unsigned layer = 0;
  visitLaunches(2, [&](dlhlo::LaunchSizes &sizes, dlhlo::LaunchOp launch) {
    std::vector<std::string> found;
    (void)sizes.visitChecks(
        launch,
        [&](mlir::Operation *op, llvm::ArrayRef<dhlo::SizeCheck> checks) {
          for (const dhlo::SizeCheck &check : checks)
            found.push_back(op->getName().getStringRef().str() + ": " +
                            print(check.lhs) + ", " + print(check.rhs));
          return mlir::success();
        });
    ++layer;
    for (const std::string &check : found)
      EXPECT_EQ(check.find("@d"), std::string::npos) << check;
  });
  EXPECT_EQ(layer, 2u);
}

/// Layers that share kernels cost no more proofs.
TEST_F(LaunchSizesTest, KernelsAreAnalysedOnce) {
  auto ask = [](dlhlo::LaunchSizes &sizes, dlhlo::LaunchOp launch) {
    (void)sizes.getSizes(launch);
    (void)sizes.visitChecks(launch,
                            [](auto *, auto) { return mlir::success(); });
  };
  EXPECT_EQ(visitLaunches(4, ask), 1u);
  EXPECT_EQ(visitLaunches(8, ask), 1u);
}

} // namespace
