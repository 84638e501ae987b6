// RUN: dyn-opt %s --dlhlo-outline-kernels --dlhlo-plan-buffers --canonicalize --cse | FileCheck %s

dhlo.dim @Any
dhlo.dim @Few in [0, 1000]

// A product that nothing bounds becomes the maximum index instead of wrapping;
// the runtime refuses memory of that size.
// CHECK-LABEL: func.func @dyn.entry.unbounded
// CHECK-SAME: (%{{.*}}: !dlhlo.buffer, %[[ANY:.*]]: index, %{{.*}}: index)
// CHECK: %[[MAX:.*]] = arith.constant 9223372036854775807
// CHECK: %[[INTEGER:.*]] = arith.index_cast %[[ANY]] : index to i64
// CHECK: %[[LOW:.*]], %[[HIGH:.*]] = arith.mulsi_extended %[[INTEGER]]
// CHECK: %[[SIGN:.*]] = arith.shrsi %[[LOW]], %c63
// CHECK: %[[OVERFLOWS:.*]] = arith.cmpi ne, %[[HIGH]], %[[SIGN]]
// CHECK: %[[PRODUCT:.*]] = arith.index_cast %[[LOW]] : i64 to index
// CHECK: arith.select %[[OVERFLOWS]], %[[MAX]], %[[PRODUCT]]
// CHECK: dlhlo.reserve
func.func @unbounded(%x: tensor<?x?xf32, #dhlo.dims<Any, Few>>) -> tensor<?x?xf32, #dhlo.dims<Any, Few>> attributes {dhlo.entry} {
  %0 = dlhlo.fusion loop (%x) : (tensor<?x?xf32, #dhlo.dims<Any, Few>>) -> tensor<?x?xf32, #dhlo.dims<Any, Few>> {
  ^bb0(%a: tensor<?x?xf32, #dhlo.dims<Any, Few>>):
    %b = dhlo.neg %a : tensor<?x?xf32, #dhlo.dims<Any, Few>>
    dlhlo.yield %b : tensor<?x?xf32, #dhlo.dims<Any, Few>>
  }
  %1 = dlhlo.fusion loop (%0) : (tensor<?x?xf32, #dhlo.dims<Any, Few>>) -> tensor<?x?xf32, #dhlo.dims<Any, Few>> {
  ^bb0(%a: tensor<?x?xf32, #dhlo.dims<Any, Few>>):
    %b = dhlo.neg %a : tensor<?x?xf32, #dhlo.dims<Any, Few>>
    dlhlo.yield %b : tensor<?x?xf32, #dhlo.dims<Any, Few>>
  }
  return %1 : tensor<?x?xf32, #dhlo.dims<Any, Few>>
}

// What declarations bound is plain arithmetic.
// CHECK-LABEL: func.func @dyn.entry.bounded
// CHECK-NOT: arith.mulsi_extended
// CHECK: dlhlo.reserve
func.func @bounded(%x: tensor<?x?xf32, #dhlo.dims<Few, Few>>) -> tensor<?x?xf32, #dhlo.dims<Few, Few>> attributes {dhlo.entry} {
  %0 = dlhlo.fusion loop (%x) : (tensor<?x?xf32, #dhlo.dims<Few, Few>>) -> tensor<?x?xf32, #dhlo.dims<Few, Few>> {
  ^bb0(%a: tensor<?x?xf32, #dhlo.dims<Few, Few>>):
    %b = dhlo.neg %a : tensor<?x?xf32, #dhlo.dims<Few, Few>>
    dlhlo.yield %b : tensor<?x?xf32, #dhlo.dims<Few, Few>>
  }
  %1 = dlhlo.fusion loop (%0) : (tensor<?x?xf32, #dhlo.dims<Few, Few>>) -> tensor<?x?xf32, #dhlo.dims<Few, Few>> {
  ^bb0(%a: tensor<?x?xf32, #dhlo.dims<Few, Few>>):
    %b = dhlo.neg %a : tensor<?x?xf32, #dhlo.dims<Few, Few>>
    dlhlo.yield %b : tensor<?x?xf32, #dhlo.dims<Few, Few>>
  }
  return %1 : tensor<?x?xf32, #dhlo.dims<Few, Few>>
}

// A factor that turns out to be 1 is none.
// CHECK-LABEL: func.func @dyn.entry.one
// CHECK-SAME: (%{{.*}}: !dlhlo.buffer, %[[ANY:.*]]: index)
// CHECK-NOT: arith.mulsi_extended
// CHECK: %[[PRODUCT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ANY]]
// CHECK: dlhlo.store %[[PRODUCT]]
func.func @one(%x: tensor<?xf32, #dhlo.dims<Any>>) -> tensor<i64> attributes {dhlo.entry} {
  %0 = dhlo.from_dims [@Any * (-5 floordiv -3)] : tensor<i64>
  %1 = dlhlo.fusion loop (%0) : (tensor<i64>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>):
    %b = dhlo.neg %a : tensor<i64>
    dlhlo.yield %b : tensor<i64>
  }
  return %1 : tensor<i64>
}
