// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-outline-kernels --dlhlo-verify-kernels | FileCheck %s

dhlo.dim @B in [1, 64]
dhlo.dim @S in [8, 512] multiple_of 8 likely [128]
dhlo.dim @T = @B * @S
dhlo.dim @A in [1, 64]

// Sizes are renamed in the order in which they appear; facts come along.
// CHECK: dlhlo.kernel @neg loop
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
// CHECK-NEXT: dhlo.dim @d0 in [1, 64]
// CHECK-NEXT: dhlo.dim @d1 in [8, 512] multiple_of 8 likely [128]

// CHECK-LABEL: func.func @equal
func.func @equal(%x: tensor<?x?xf32, #dhlo.dims<B, S>>, %y: tensor<?x?xf32, #dhlo.dims<A, S>>)
    -> (tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<?x?xf32, #dhlo.dims<A, S>>) attributes {dhlo.entry} {
  // CHECK: dlhlo.launch @neg dims [@B, @S]
  %0 = dhlo.neg %x : tensor<?x?xf32, #dhlo.dims<B, S>>
  // CHECK: dlhlo.launch @neg dims [@A, @S]
  %1 = dhlo.neg %y : tensor<?x?xf32, #dhlo.dims<A, S>>
  return %0, %1 : tensor<?x?xf32, #dhlo.dims<B, S>>, tensor<?x?xf32, #dhlo.dims<A, S>>
}

// A size that is defined by others of the kernel is defined there.
// CHECK: dlhlo.kernel @neg_exp loop
// CHECK-NEXT: ^bb0
// CHECK-NEXT: dhlo.dim @d0 in [1, 64]
// CHECK-NEXT: dhlo.dim @d1 in [8, 512] multiple_of 8 likely [128]
// CHECK-NEXT: dhlo.dim @d2 = @d0 * @d1

// CHECK-LABEL: func.func @defined
func.func @defined(%x: tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?xf32, #dhlo.dims<T>> attributes {dhlo.entry} {
  // CHECK: dlhlo.launch @neg_exp dims [@B, @S]
  %0 = dhlo.neg %x : tensor<?x?xf32, #dhlo.dims<B, S>>
  %1 = dhlo.reshape %0 : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?xf32, #dhlo.dims<T>>
  %2 = dhlo.exp %1 : tensor<?xf32, #dhlo.dims<T>>
  return %2 : tensor<?xf32, #dhlo.dims<T>>
}

// CHECK: dlhlo.kernel @gather loop
// CHECK-NOT: dlhlo.kernel

// Equal kernels stand for different locations of the model.
// CHECK-LABEL: func.func @sites
func.func @sites(%x: tensor<?xf32, #dhlo.dims<B>>, %i: tensor<4xi64>, %j: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>) attributes {dhlo.entry} {
  // CHECK: dlhlo.launch @gather {{.*}}sites = [#dlhlo.site<index, op = "dhlo.gather", location = "/first">]
  %0 = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<?xf32, #dhlo.dims<B>>, tensor<4xi64>) -> tensor<4xf32> loc("/first")
  // CHECK: dlhlo.launch @gather {{.*}}sites = [#dlhlo.site<index, op = "dhlo.gather", location = "/second">]
  %1 = dhlo.gather %x, %j axis = 0 batch = 0 : (tensor<?xf32, #dhlo.dims<B>>, tensor<4xi64>) -> tensor<4xf32> loc("/second")
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}


// Equal but for the order of operations and of inputs.
// CHECK: dlhlo.kernel @exp_neg_add loop
// CHECK-NOT: dlhlo.kernel
// CHECK-LABEL: func.func @orders
// CHECK: dlhlo.launch @exp_neg_add dims [@O](%arg0, %arg1)
// CHECK: dlhlo.launch @exp_neg_add dims [@O](%arg1, %arg0)
dhlo.dim @O in [0, 100]
func.func @orders(%x: tensor<?xf32, #dhlo.dims<O>>, %y: tensor<?xf32, #dhlo.dims<O>>) -> (tensor<?xf32, #dhlo.dims<O>>, tensor<?xf32, #dhlo.dims<O>>) attributes {dhlo.entry} {
  %0 = dlhlo.fusion loop (%x, %y) : (tensor<?xf32, #dhlo.dims<O>>, tensor<?xf32, #dhlo.dims<O>>) -> tensor<?xf32, #dhlo.dims<O>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<O>>, %b: tensor<?xf32, #dhlo.dims<O>>):
    %c = dhlo.exp %a : tensor<?xf32, #dhlo.dims<O>>
    %d = dhlo.neg %b : tensor<?xf32, #dhlo.dims<O>>
    %e = dhlo.add %c, %d : tensor<?xf32, #dhlo.dims<O>>
    dlhlo.yield %e : tensor<?xf32, #dhlo.dims<O>>
  }
  %1 = dlhlo.fusion loop (%x, %y) : (tensor<?xf32, #dhlo.dims<O>>, tensor<?xf32, #dhlo.dims<O>>) -> tensor<?xf32, #dhlo.dims<O>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<O>>, %b: tensor<?xf32, #dhlo.dims<O>>):
    %d = dhlo.neg %a : tensor<?xf32, #dhlo.dims<O>>
    %c = dhlo.exp %b : tensor<?xf32, #dhlo.dims<O>>
    %e = dhlo.add %c, %d : tensor<?xf32, #dhlo.dims<O>>
    dlhlo.yield %e : tensor<?xf32, #dhlo.dims<O>>
  }
  return %0, %1 : tensor<?xf32, #dhlo.dims<O>>, tensor<?xf32, #dhlo.dims<O>>
}

// What is a product of other sizes of the kernel, or a sum of them, is defined
// by them, though the model defines each by its inputs: rows of a norm of groups
// are as many as the result has of them.
// CHECK: dlhlo.kernel @reduce_sub_mul row
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<?x32x?xf32, #dhlo.dims<d0, d1>>):
// CHECK-NEXT: dhlo.dim @d0 in [0, ?]
// CHECK-NEXT: dhlo.dim @d1 = 2 * @d2 * @d3
// CHECK-NEXT: dhlo.dim @d2 in [0, ?]
// CHECK-NEXT: dhlo.dim @d3 in [0, ?]
// CHECK-LABEL: func.func @groups
// CHECK: dlhlo.launch @reduce_sub_mul dims [@N, @h, @w]
dhlo.dim @N
dhlo.dim @H
dhlo.dim @W
dhlo.dim @h = (@H + 3) floordiv 4
dhlo.dim @w = (@W + 3) floordiv 4
dhlo.dim @hw2 = 2 * ((@H + 3) floordiv 4) * ((@W + 3) floordiv 4)
dhlo.dim @h1 = (@H + 3) floordiv 4 + 1
func.func @groups(%x: tensor<?x64x?x?xf32, #dhlo.dims<N, h, w>>) -> tensor<?x64x?x?xf32, #dhlo.dims<N, h, w>> attributes {dhlo.entry} {
  %0 = dhlo.reshape %x : (tensor<?x64x?x?xf32, #dhlo.dims<N, h, w>>) -> tensor<?x32x?xf32, #dhlo.dims<N, hw2>>
  %1 = dhlo.reduce sum %0 axes = [2] : (tensor<?x32x?xf32, #dhlo.dims<N, hw2>>) -> tensor<?x32xf32, #dhlo.dims<N>>
  %2 = dhlo.broadcast %1 axes = [0, 1] : (tensor<?x32xf32, #dhlo.dims<N>>) -> tensor<?x32x?xf32, #dhlo.dims<N, hw2>>
  %3 = dhlo.sub %0, %2 : tensor<?x32x?xf32, #dhlo.dims<N, hw2>>
  %4 = dhlo.reshape %3 : (tensor<?x32x?xf32, #dhlo.dims<N, hw2>>) -> tensor<?x64x?x?xf32, #dhlo.dims<N, h, w>>
  %s = dhlo.constant dense<2.0> : tensor<64x1x1xf32>
  %5 = dhlo.broadcast %s axes = [1, 2, 3] : (tensor<64x1x1xf32>) -> tensor<?x64x?x?xf32, #dhlo.dims<N, h, w>>
  %6 = dhlo.mul %4, %5 : tensor<?x64x?x?xf32, #dhlo.dims<N, h, w>>
  return %6 : tensor<?x64x?x?xf32, #dhlo.dims<N, h, w>>
}

// CHECK: dlhlo.kernel @pad loop
// CHECK: dhlo.dim @d1 in [0, ?]
// CHECK: dhlo.dim @d2 = @d1 + 1
// CHECK-LABEL: func.func @sum
func.func @sum(%x: tensor<?x?xf32, #dhlo.dims<N, h>>) -> tensor<?x?xf32, #dhlo.dims<N, h1>> attributes {dhlo.entry} {
  %z = dhlo.constant dense<0.0> : tensor<f32>
  %0 = dhlo.pad %x, %z constant low = [0, 1] high = [0, 0] : (tensor<?x?xf32, #dhlo.dims<N, h>>, tensor<f32>) -> tensor<?x?xf32, #dhlo.dims<N, h1>>
  return %0 : tensor<?x?xf32, #dhlo.dims<N, h1>>
}
