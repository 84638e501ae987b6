// RUN: dyn-opt %s --dlhlo-outline-kernels --dlhlo-verify-kernels -split-input-file | FileCheck %s

// Names of kernels, and which fusions are one kernel.

// Each operation once, in order; constants, repetitions and views have no part in a name. Of more
// than four parts the last one stands for those that are left out, and a kernel without any copies.
// CHECK: dlhlo.kernel @neg_exp_maximum loop
// CHECK: dlhlo.kernel @neg_exp_abs_tanh loop
// CHECK: dlhlo.kernel @neg_exp_abs_sqrt loop
// CHECK: dlhlo.kernel @copy loop
// CHECK: dlhlo.kernel @copy_0 loop
// CHECK-LABEL: func.func @names
func.func @names(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {dhlo.entry} {
  %0 = dlhlo.fusion loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = dhlo.constant dense<2.0> : tensor<f32>
    %b = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = dhlo.neg %a : tensor<4xf32>
    %2 = dhlo.exp %1 : tensor<4xf32>
    %3 = dhlo.neg %2 : tensor<4xf32>
    %5 = dhlo.maximum %3, %b : tensor<4xf32>
    dlhlo.yield %5 : tensor<4xf32>
  }
  %4 = dlhlo.fusion loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = dhlo.neg %a : tensor<4xf32>
    %2 = dhlo.exp %1 : tensor<4xf32>
    %3 = dhlo.abs %2 : tensor<4xf32>
    %5 = dhlo.tanh %3 : tensor<4xf32>
    dlhlo.yield %5 : tensor<4xf32>
  }
  %6 = dlhlo.fusion loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = dhlo.neg %a : tensor<4xf32>
    %2 = dhlo.exp %1 : tensor<4xf32>
    %3 = dhlo.abs %2 : tensor<4xf32>
    %5 = dhlo.tanh %3 : tensor<4xf32>
    %7 = dhlo.sqrt %5 : tensor<4xf32>
    dlhlo.yield %7 : tensor<4xf32>
  }
  %8 = dlhlo.fusion loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    dlhlo.yield %a : tensor<4xf32>
  }
  %9 = dlhlo.fusion loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = dhlo.reshape %a : (tensor<4xf32>) -> tensor<2x2xf32>
    %2 = dhlo.reshape %1 : (tensor<2x2xf32>) -> tensor<4xf32>
    dlhlo.yield %2 : tensor<4xf32>
  }
  return %0, %4, %6, %8, %9 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Facts of sizes are part of a kernel: with another bound it is another one, with the same it is
// the same under another name. The kind is part of it, too; the reason is not.
// CHECK: dlhlo.kernel @neg loop
// CHECK: dlhlo.kernel @neg_0 loop
// CHECK: dlhlo.kernel @neg_1 row
// CHECK-NOT: dlhlo.kernel
// CHECK-LABEL: func.func @facts
// CHECK: dlhlo.launch @neg dims [@A]
// CHECK: dlhlo.launch @neg_0 dims [@B]
// CHECK: dlhlo.launch @neg dims [@C]
// CHECK: dlhlo.launch @neg_1 dims [@A]
dhlo.dim @A in [1, 64]
dhlo.dim @B in [1, 65]
dhlo.dim @C in [1, 64]
func.func @facts(%x: tensor<?xf32, #dhlo.dims<A>>, %y: tensor<?xf32, #dhlo.dims<B>>, %z: tensor<?xf32, #dhlo.dims<C>>)
    -> (tensor<?xf32, #dhlo.dims<A>>, tensor<?xf32, #dhlo.dims<B>>, tensor<?xf32, #dhlo.dims<C>>, tensor<?xf32, #dhlo.dims<A>>) attributes {dhlo.entry} {
  %0 = dlhlo.fusion loop(%x) {dlhlo.reason = "one"} : (tensor<?xf32, #dhlo.dims<A>>) -> tensor<?xf32, #dhlo.dims<A>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<A>>):
    %4 = dhlo.neg %a : tensor<?xf32, #dhlo.dims<A>>
    dlhlo.yield %4 : tensor<?xf32, #dhlo.dims<A>>
  }
  %1 = dlhlo.fusion loop(%y) : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<?xf32, #dhlo.dims<B>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<B>>):
    %4 = dhlo.neg %a : tensor<?xf32, #dhlo.dims<B>>
    dlhlo.yield %4 : tensor<?xf32, #dhlo.dims<B>>
  }
  %2 = dlhlo.fusion loop(%z) {dlhlo.reason = "another"} : (tensor<?xf32, #dhlo.dims<C>>) -> tensor<?xf32, #dhlo.dims<C>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<C>>):
    %4 = dhlo.neg %a : tensor<?xf32, #dhlo.dims<C>>
    dlhlo.yield %4 : tensor<?xf32, #dhlo.dims<C>>
  }
  %3 = dlhlo.fusion row(%x) : (tensor<?xf32, #dhlo.dims<A>>) -> tensor<?xf32, #dhlo.dims<A>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<A>>):
    %4 = dhlo.neg %a : tensor<?xf32, #dhlo.dims<A>>
    dlhlo.yield %4 : tensor<?xf32, #dhlo.dims<A>>
  }
  return %0, %1, %2, %3 : tensor<?xf32, #dhlo.dims<A>>, tensor<?xf32, #dhlo.dims<B>>, tensor<?xf32, #dhlo.dims<C>>, tensor<?xf32, #dhlo.dims<A>>
}

// -----

// Two sizes that are equal in one fusion are one size of its kernel; where they are two, it has two.
// CHECK: dlhlo.kernel @concat loop
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<1x?xf32, #dhlo.dims<d0>>, %{{.*}}: tensor<1x?xf32, #dhlo.dims<d0>>):
// CHECK: dlhlo.kernel @concat_0 loop
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<1x?xf32, #dhlo.dims<d0>>, %{{.*}}: tensor<1x?xf32, #dhlo.dims<d1>>):
// CHECK: dhlo.dim @d2 = @d0 + @d1
// CHECK: dlhlo.launch @concat dims [@A]
// CHECK: dlhlo.launch @concat_0 dims [@A, @C]
dhlo.dim @A
dhlo.dim @B = @A + 0
dhlo.dim @C
dhlo.dim @AC = @A + @C
func.func @equal_sizes(%x: tensor<1x?xf32, #dhlo.dims<A>>, %y: tensor<1x?xf32, #dhlo.dims<B>>, %z: tensor<1x?xf32, #dhlo.dims<C>>)
    -> (tensor<2x?xf32, #dhlo.dims<A>>, tensor<1x?xf32, #dhlo.dims<AC>>) attributes {dhlo.entry} {
  %0 = dlhlo.fusion loop(%x, %y) : (tensor<1x?xf32, #dhlo.dims<A>>, tensor<1x?xf32, #dhlo.dims<B>>) -> tensor<2x?xf32, #dhlo.dims<A>> {
  ^bb0(%a: tensor<1x?xf32, #dhlo.dims<A>>, %b: tensor<1x?xf32, #dhlo.dims<B>>):
    %2 = dhlo.concat %a, %b axis = 0 : (tensor<1x?xf32, #dhlo.dims<A>>, tensor<1x?xf32, #dhlo.dims<B>>) -> tensor<2x?xf32, #dhlo.dims<A>>
    dlhlo.yield %2 : tensor<2x?xf32, #dhlo.dims<A>>
  }
  %1 = dlhlo.fusion loop(%x, %z) : (tensor<1x?xf32, #dhlo.dims<A>>, tensor<1x?xf32, #dhlo.dims<C>>) -> tensor<1x?xf32, #dhlo.dims<AC>> {
  ^bb0(%a: tensor<1x?xf32, #dhlo.dims<A>>, %b: tensor<1x?xf32, #dhlo.dims<C>>):
    %2 = dhlo.concat %a, %b axis = 1 : (tensor<1x?xf32, #dhlo.dims<A>>, tensor<1x?xf32, #dhlo.dims<C>>) -> tensor<1x?xf32, #dhlo.dims<AC>>
    dlhlo.yield %2 : tensor<1x?xf32, #dhlo.dims<AC>>
  }
  return %0, %1 : tensor<2x?xf32, #dhlo.dims<A>>, tensor<1x?xf32, #dhlo.dims<AC>>
}
