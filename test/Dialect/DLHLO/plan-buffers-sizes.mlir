// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-outline-kernels --dlhlo-plan-buffers --canonicalize --cse | FileCheck %s
// What kernels, branches and loops rely on of sizes.

// CHECK: dlhlo.sites = [
// CHECK-SAME: #dlhlo.site<size, op = "dhlo.slice", location = "/slice">,
// CHECK-SAME: #dlhlo.site<size, op = "dlhlo.launch", location = "/start">,
// CHECK-SAME: #dlhlo.site<size_mismatch, op = "dhlo.if of N - 3 and M", location = "/if">,
// CHECK-SAME: #dlhlo.site<size, op = "dhlo.if", location = "/if">,
// CHECK-SAME: #dlhlo.site<size_mismatch, op = "dhlo.while of M and N", location = "/while">,
// CHECK-SAME: #dlhlo.site<size_mismatch, op = "dhlo.while of P + 1 and N", location = "/while">,
// CHECK-SAME: #dlhlo.site<size_mismatch, op = "dhlo.while of R and M", location = "/while">,
// CHECK-SAME: #dlhlo.site<division, op = "dhlo.from_dims", location = "/sizes">

dhlo.dim @N in [0, 100]
dhlo.dim @M in [0, 100]
dhlo.dim @LONG in [8, 100]
dhlo.dim @T = @N - 5
dhlo.dim @REST = @LONG - 5

// No size of a kernel is negative: also none that no result has.
// CHECK-LABEL: func.func @dyn.entry.kernels
// CHECK-SAME: %[[N:[^ ]*]]: index, %{{[^ ]*}}: index)
// CHECK: %[[T:.*]] = arith.addi %[[N]], %c-5
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[T]], %c0
// CHECK: dlhlo.fail_if %[[NEGATIVE]] value %[[T]] site = 0
// CHECK-NOT: dlhlo.fail_if
// CHECK: dlhlo.dispatch
func.func @kernels(%x: tensor<?xf32, #dhlo.dims<N>>, %y: tensor<?xf32, #dhlo.dims<LONG>>) -> (tensor<f32>, tensor<f32>) attributes {dhlo.entry} {
  %0 = dhlo.slice %x starts = [5] strides = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<T>> loc("/slice")
  %1 = dhlo.reduce sum %0 axes = [0] : (tensor<?xf32, #dhlo.dims<T>>) -> tensor<f32> loc("/slice")
  %2 = dhlo.slice %y starts = [5] strides = [1] : (tensor<?xf32, #dhlo.dims<LONG>>) -> tensor<?xf32, #dhlo.dims<REST>>
  %3 = dhlo.reduce sum %2 axes = [0] : (tensor<?xf32, #dhlo.dims<REST>>) -> tensor<f32>
  return %1, %3 : tensor<f32>, tensor<f32>
}

// Nor one that an operation names as a start.
// CHECK-LABEL: func.func @dyn.entry.starts
// CHECK: dlhlo.fail_if %{{.*}} site = 1
// CHECK: dlhlo.dispatch
func.func @starts(%x: tensor<?xf32, #dhlo.dims<N>>) -> tensor<1xf32> attributes {dhlo.entry} {
  %0 = dhlo.slice %x starts = [@T] strides = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<1xf32> loc("/start")
  return %0 : tensor<1xf32>
}

// What a branch gives has the sizes that it says.
// CHECK-LABEL: func.func @dyn.entry.branches
// CHECK-SAME: %[[N:[^ ]*]]: index, %[[M:[^ ]*]]: index)
// CHECK: scf.if
// CHECK: %[[THEN:.*]] = arith.addi %[[N]], %c-3
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[THEN]], %[[M]]
// CHECK: dlhlo.fail_if %[[OTHER]] value %[[M]] site = 2
// CHECK: } else {
// CHECK-NOT: dlhlo.fail_if
// CHECK: }
// CHECK: dlhlo.fail_if %{{.*}} site = 3
dhlo.dim @K
func.func @branches(%x: tensor<?xf32, #dhlo.dims<N>>, %y: tensor<?xf32, #dhlo.dims<M>>, %p: tensor<i1>) -> tensor<f32> attributes {dhlo.entry} {
  %0 = dhlo.if %p binds [@K] then_dims [@N - 3] else_dims [@M] -> (tensor<?xf32, #dhlo.dims<K>>) {
    dhlo.yield %y : tensor<?xf32, #dhlo.dims<M>>
  } else {
    dhlo.yield %y : tensor<?xf32, #dhlo.dims<M>>
  } loc("/if")
  %1 = dhlo.reduce sum %0 axes = [0] : (tensor<?xf32, #dhlo.dims<K>>) -> tensor<f32>
  return %1 : tensor<f32>
}

// What a loop takes, carries and gives, too.
// CHECK-LABEL: func.func @dyn.entry.loops
// CHECK-SAME: %[[N:[^ ]*]]: index, %[[M:[^ ]*]]: index)
// CHECK: dlhlo.fail_if %{{.*}} value %[[N]] site = 4
// CHECK: scf.while
// CHECK: dlhlo.fail_if %{{.*}} value %[[N]] site = 5
// CHECK: scf.yield
// CHECK: dlhlo.fail_if %{{.*}} value %[[M]] site = 6
dhlo.dim @P
dhlo.dim @R
func.func @loops(%x: tensor<?xf32, #dhlo.dims<N>>, %y: tensor<?xf32, #dhlo.dims<M>>, %p: tensor<i1>) -> tensor<f32> attributes {dhlo.entry} {
  %0 = dhlo.while %p carries(%x) loop_dims [@P] init_dims [@M] next_dims [@P + 1] result_dims [@R]
        : (tensor<?xf32, #dhlo.dims<N>>) -> (tensor<?xf32, #dhlo.dims<M>>) {
    ^bb0(%c: tensor<?xf32, #dhlo.dims<P>>):
      dhlo.yield %p, %x : tensor<i1>, tensor<?xf32, #dhlo.dims<N>>
    } loc("/while")
  %1 = dhlo.add %0, %y : tensor<?xf32, #dhlo.dims<M>>
  %2 = dhlo.reduce sum %1 axes = [0] : (tensor<?xf32, #dhlo.dims<M>>) -> tensor<f32>
  return %2 : tensor<f32>
}

// Nothing is divided by a size of zero.
// CHECK-LABEL: func.func @dyn.entry.quotients
// CHECK-SAME: %[[N:[^ ]*]]: index, %[[M:[^ ]*]]: index)
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[M]], %c0
// CHECK: dlhlo.fail_if %[[ZERO]] value %[[M]] site = 7
// CHECK: arith.divsi %[[N]], %[[M]]
// CHECK: arith.remsi %[[N]], %[[M]]
func.func @quotients(%x: tensor<?xf32, #dhlo.dims<N>>, %y: tensor<?xf32, #dhlo.dims<M>>) -> tensor<2xi64> attributes {dhlo.entry} {
  %0 = dhlo.from_dims [@N floordiv @M, @N mod @M] : tensor<2xi64> loc("/sizes")
  %1 = dhlo.neg %0 : tensor<2xi64>
  return %1 : tensor<2xi64>
}
