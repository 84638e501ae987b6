// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-verify-fusions | FileCheck %s

// How much a fusion may hold: inputs, operations and results, each at its limit and one above it.

dhlo.dim @B in [1, 64]

// Sixteen inputs are one kernel.
// CHECK-LABEL: func.func @inputs(
// CHECK: dlhlo.fusion loop
// CHECK-NOT: dlhlo.fusion
// CHECK: return
func.func @inputs(%x0: tensor<?x8xf32, #dhlo.dims<B>>, %x1: tensor<?x8xf32, #dhlo.dims<B>>, %x2: tensor<?x8xf32, #dhlo.dims<B>>, %x3: tensor<?x8xf32, #dhlo.dims<B>>, %x4: tensor<?x8xf32, #dhlo.dims<B>>, %x5: tensor<?x8xf32, #dhlo.dims<B>>, %x6: tensor<?x8xf32, #dhlo.dims<B>>, %x7: tensor<?x8xf32, #dhlo.dims<B>>, %x8: tensor<?x8xf32, #dhlo.dims<B>>, %x9: tensor<?x8xf32, #dhlo.dims<B>>, %x10: tensor<?x8xf32, #dhlo.dims<B>>, %x11: tensor<?x8xf32, #dhlo.dims<B>>, %x12: tensor<?x8xf32, #dhlo.dims<B>>, %x13: tensor<?x8xf32, #dhlo.dims<B>>, %x14: tensor<?x8xf32, #dhlo.dims<B>>, %x15: tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %s1 = dhlo.add %x0, %x1 : tensor<?x8xf32, #dhlo.dims<B>>
  %s2 = dhlo.add %s1, %x2 : tensor<?x8xf32, #dhlo.dims<B>>
  %s3 = dhlo.add %s2, %x3 : tensor<?x8xf32, #dhlo.dims<B>>
  %s4 = dhlo.add %s3, %x4 : tensor<?x8xf32, #dhlo.dims<B>>
  %s5 = dhlo.add %s4, %x5 : tensor<?x8xf32, #dhlo.dims<B>>
  %s6 = dhlo.add %s5, %x6 : tensor<?x8xf32, #dhlo.dims<B>>
  %s7 = dhlo.add %s6, %x7 : tensor<?x8xf32, #dhlo.dims<B>>
  %s8 = dhlo.add %s7, %x8 : tensor<?x8xf32, #dhlo.dims<B>>
  %s9 = dhlo.add %s8, %x9 : tensor<?x8xf32, #dhlo.dims<B>>
  %s10 = dhlo.add %s9, %x10 : tensor<?x8xf32, #dhlo.dims<B>>
  %s11 = dhlo.add %s10, %x11 : tensor<?x8xf32, #dhlo.dims<B>>
  %s12 = dhlo.add %s11, %x12 : tensor<?x8xf32, #dhlo.dims<B>>
  %s13 = dhlo.add %s12, %x13 : tensor<?x8xf32, #dhlo.dims<B>>
  %s14 = dhlo.add %s13, %x14 : tensor<?x8xf32, #dhlo.dims<B>>
  %s15 = dhlo.add %s14, %x15 : tensor<?x8xf32, #dhlo.dims<B>>
  return %s15 : tensor<?x8xf32, #dhlo.dims<B>>
}

// With seventeen a part is computed before.
// CHECK-LABEL: func.func @inputs_above(
// CHECK-COUNT-2: dlhlo.fusion loop
// CHECK-NOT: dlhlo.fusion
// CHECK: return
func.func @inputs_above(%x0: tensor<?x8xf32, #dhlo.dims<B>>, %x1: tensor<?x8xf32, #dhlo.dims<B>>, %x2: tensor<?x8xf32, #dhlo.dims<B>>, %x3: tensor<?x8xf32, #dhlo.dims<B>>, %x4: tensor<?x8xf32, #dhlo.dims<B>>, %x5: tensor<?x8xf32, #dhlo.dims<B>>, %x6: tensor<?x8xf32, #dhlo.dims<B>>, %x7: tensor<?x8xf32, #dhlo.dims<B>>, %x8: tensor<?x8xf32, #dhlo.dims<B>>, %x9: tensor<?x8xf32, #dhlo.dims<B>>, %x10: tensor<?x8xf32, #dhlo.dims<B>>, %x11: tensor<?x8xf32, #dhlo.dims<B>>, %x12: tensor<?x8xf32, #dhlo.dims<B>>, %x13: tensor<?x8xf32, #dhlo.dims<B>>, %x14: tensor<?x8xf32, #dhlo.dims<B>>, %x15: tensor<?x8xf32, #dhlo.dims<B>>, %x16: tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %s1 = dhlo.add %x0, %x1 : tensor<?x8xf32, #dhlo.dims<B>>
  %s2 = dhlo.add %s1, %x2 : tensor<?x8xf32, #dhlo.dims<B>>
  %s3 = dhlo.add %s2, %x3 : tensor<?x8xf32, #dhlo.dims<B>>
  %s4 = dhlo.add %s3, %x4 : tensor<?x8xf32, #dhlo.dims<B>>
  %s5 = dhlo.add %s4, %x5 : tensor<?x8xf32, #dhlo.dims<B>>
  %s6 = dhlo.add %s5, %x6 : tensor<?x8xf32, #dhlo.dims<B>>
  %s7 = dhlo.add %s6, %x7 : tensor<?x8xf32, #dhlo.dims<B>>
  %s8 = dhlo.add %s7, %x8 : tensor<?x8xf32, #dhlo.dims<B>>
  %s9 = dhlo.add %s8, %x9 : tensor<?x8xf32, #dhlo.dims<B>>
  %s10 = dhlo.add %s9, %x10 : tensor<?x8xf32, #dhlo.dims<B>>
  %s11 = dhlo.add %s10, %x11 : tensor<?x8xf32, #dhlo.dims<B>>
  %s12 = dhlo.add %s11, %x12 : tensor<?x8xf32, #dhlo.dims<B>>
  %s13 = dhlo.add %s12, %x13 : tensor<?x8xf32, #dhlo.dims<B>>
  %s14 = dhlo.add %s13, %x14 : tensor<?x8xf32, #dhlo.dims<B>>
  %s15 = dhlo.add %s14, %x15 : tensor<?x8xf32, #dhlo.dims<B>>
  %s16 = dhlo.add %s15, %x16 : tensor<?x8xf32, #dhlo.dims<B>>
  return %s16 : tensor<?x8xf32, #dhlo.dims<B>>
}

// A number is no input, however many there are: kernels have copies of them.
// CHECK-LABEL: func.func @numbers(
// CHECK: dlhlo.fusion loop
// CHECK: dhlo.constant dense<2.0
// CHECK: dhlo.constant dense<3.0
// CHECK-NOT: dlhlo.fusion
// CHECK: return
func.func @numbers(%x0: tensor<4x8xf32>, %x1: tensor<4x8xf32>, %x2: tensor<4x8xf32>, %x3: tensor<4x8xf32>, %x4: tensor<4x8xf32>, %x5: tensor<4x8xf32>, %x6: tensor<4x8xf32>, %x7: tensor<4x8xf32>, %x8: tensor<4x8xf32>, %x9: tensor<4x8xf32>, %x10: tensor<4x8xf32>, %x11: tensor<4x8xf32>, %x12: tensor<4x8xf32>, %x13: tensor<4x8xf32>, %x14: tensor<4x8xf32>, %x15: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {dhlo.entry} {
  %c = dhlo.constant dense<2.0> : tensor<4x8xf32>
  %d = dhlo.constant dense<3.0> : tensor<4x8xf32>
  %m = dhlo.mul %x0, %c : tensor<4x8xf32>
  %s0 = dhlo.add %m, %d : tensor<4x8xf32>
  %s1 = dhlo.add %s0, %x1 : tensor<4x8xf32>
  %s2 = dhlo.add %s1, %x2 : tensor<4x8xf32>
  %s3 = dhlo.add %s2, %x3 : tensor<4x8xf32>
  %s4 = dhlo.add %s3, %x4 : tensor<4x8xf32>
  %s5 = dhlo.add %s4, %x5 : tensor<4x8xf32>
  %s6 = dhlo.add %s5, %x6 : tensor<4x8xf32>
  %s7 = dhlo.add %s6, %x7 : tensor<4x8xf32>
  %s8 = dhlo.add %s7, %x8 : tensor<4x8xf32>
  %s9 = dhlo.add %s8, %x9 : tensor<4x8xf32>
  %s10 = dhlo.add %s9, %x10 : tensor<4x8xf32>
  %s11 = dhlo.add %s10, %x11 : tensor<4x8xf32>
  %s12 = dhlo.add %s11, %x12 : tensor<4x8xf32>
  %s13 = dhlo.add %s12, %x13 : tensor<4x8xf32>
  %s14 = dhlo.add %s13, %x14 : tensor<4x8xf32>
  %s15 = dhlo.add %s14, %x15 : tensor<4x8xf32>
  return %s15 : tensor<4x8xf32>
}

// Forty-eight operations are one kernel.
// CHECK-LABEL: func.func @operations(
// CHECK: dlhlo.fusion loop
// CHECK-NOT: dlhlo.fusion
// CHECK: return
func.func @operations(%s0: tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %s1 = dhlo.neg %s0 : tensor<?x8xf32, #dhlo.dims<B>>
  %s2 = dhlo.neg %s1 : tensor<?x8xf32, #dhlo.dims<B>>
  %s3 = dhlo.neg %s2 : tensor<?x8xf32, #dhlo.dims<B>>
  %s4 = dhlo.neg %s3 : tensor<?x8xf32, #dhlo.dims<B>>
  %s5 = dhlo.neg %s4 : tensor<?x8xf32, #dhlo.dims<B>>
  %s6 = dhlo.neg %s5 : tensor<?x8xf32, #dhlo.dims<B>>
  %s7 = dhlo.neg %s6 : tensor<?x8xf32, #dhlo.dims<B>>
  %s8 = dhlo.neg %s7 : tensor<?x8xf32, #dhlo.dims<B>>
  %s9 = dhlo.neg %s8 : tensor<?x8xf32, #dhlo.dims<B>>
  %s10 = dhlo.neg %s9 : tensor<?x8xf32, #dhlo.dims<B>>
  %s11 = dhlo.neg %s10 : tensor<?x8xf32, #dhlo.dims<B>>
  %s12 = dhlo.neg %s11 : tensor<?x8xf32, #dhlo.dims<B>>
  %s13 = dhlo.neg %s12 : tensor<?x8xf32, #dhlo.dims<B>>
  %s14 = dhlo.neg %s13 : tensor<?x8xf32, #dhlo.dims<B>>
  %s15 = dhlo.neg %s14 : tensor<?x8xf32, #dhlo.dims<B>>
  %s16 = dhlo.neg %s15 : tensor<?x8xf32, #dhlo.dims<B>>
  %s17 = dhlo.neg %s16 : tensor<?x8xf32, #dhlo.dims<B>>
  %s18 = dhlo.neg %s17 : tensor<?x8xf32, #dhlo.dims<B>>
  %s19 = dhlo.neg %s18 : tensor<?x8xf32, #dhlo.dims<B>>
  %s20 = dhlo.neg %s19 : tensor<?x8xf32, #dhlo.dims<B>>
  %s21 = dhlo.neg %s20 : tensor<?x8xf32, #dhlo.dims<B>>
  %s22 = dhlo.neg %s21 : tensor<?x8xf32, #dhlo.dims<B>>
  %s23 = dhlo.neg %s22 : tensor<?x8xf32, #dhlo.dims<B>>
  %s24 = dhlo.neg %s23 : tensor<?x8xf32, #dhlo.dims<B>>
  %s25 = dhlo.neg %s24 : tensor<?x8xf32, #dhlo.dims<B>>
  %s26 = dhlo.neg %s25 : tensor<?x8xf32, #dhlo.dims<B>>
  %s27 = dhlo.neg %s26 : tensor<?x8xf32, #dhlo.dims<B>>
  %s28 = dhlo.neg %s27 : tensor<?x8xf32, #dhlo.dims<B>>
  %s29 = dhlo.neg %s28 : tensor<?x8xf32, #dhlo.dims<B>>
  %s30 = dhlo.neg %s29 : tensor<?x8xf32, #dhlo.dims<B>>
  %s31 = dhlo.neg %s30 : tensor<?x8xf32, #dhlo.dims<B>>
  %s32 = dhlo.neg %s31 : tensor<?x8xf32, #dhlo.dims<B>>
  %s33 = dhlo.neg %s32 : tensor<?x8xf32, #dhlo.dims<B>>
  %s34 = dhlo.neg %s33 : tensor<?x8xf32, #dhlo.dims<B>>
  %s35 = dhlo.neg %s34 : tensor<?x8xf32, #dhlo.dims<B>>
  %s36 = dhlo.neg %s35 : tensor<?x8xf32, #dhlo.dims<B>>
  %s37 = dhlo.neg %s36 : tensor<?x8xf32, #dhlo.dims<B>>
  %s38 = dhlo.neg %s37 : tensor<?x8xf32, #dhlo.dims<B>>
  %s39 = dhlo.neg %s38 : tensor<?x8xf32, #dhlo.dims<B>>
  %s40 = dhlo.neg %s39 : tensor<?x8xf32, #dhlo.dims<B>>
  %s41 = dhlo.neg %s40 : tensor<?x8xf32, #dhlo.dims<B>>
  %s42 = dhlo.neg %s41 : tensor<?x8xf32, #dhlo.dims<B>>
  %s43 = dhlo.neg %s42 : tensor<?x8xf32, #dhlo.dims<B>>
  %s44 = dhlo.neg %s43 : tensor<?x8xf32, #dhlo.dims<B>>
  %s45 = dhlo.neg %s44 : tensor<?x8xf32, #dhlo.dims<B>>
  %s46 = dhlo.neg %s45 : tensor<?x8xf32, #dhlo.dims<B>>
  %s47 = dhlo.neg %s46 : tensor<?x8xf32, #dhlo.dims<B>>
  %s48 = dhlo.neg %s47 : tensor<?x8xf32, #dhlo.dims<B>>
  return %s48 : tensor<?x8xf32, #dhlo.dims<B>>
}

// The first of forty-nine has one of its own.
// CHECK-LABEL: func.func @operations_above(
// CHECK-COUNT-2: dlhlo.fusion loop
// CHECK-NOT: dlhlo.fusion
// CHECK: return
func.func @operations_above(%s0: tensor<?x8xf32, #dhlo.dims<B>>) -> tensor<?x8xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %s1 = dhlo.neg %s0 : tensor<?x8xf32, #dhlo.dims<B>>
  %s2 = dhlo.neg %s1 : tensor<?x8xf32, #dhlo.dims<B>>
  %s3 = dhlo.neg %s2 : tensor<?x8xf32, #dhlo.dims<B>>
  %s4 = dhlo.neg %s3 : tensor<?x8xf32, #dhlo.dims<B>>
  %s5 = dhlo.neg %s4 : tensor<?x8xf32, #dhlo.dims<B>>
  %s6 = dhlo.neg %s5 : tensor<?x8xf32, #dhlo.dims<B>>
  %s7 = dhlo.neg %s6 : tensor<?x8xf32, #dhlo.dims<B>>
  %s8 = dhlo.neg %s7 : tensor<?x8xf32, #dhlo.dims<B>>
  %s9 = dhlo.neg %s8 : tensor<?x8xf32, #dhlo.dims<B>>
  %s10 = dhlo.neg %s9 : tensor<?x8xf32, #dhlo.dims<B>>
  %s11 = dhlo.neg %s10 : tensor<?x8xf32, #dhlo.dims<B>>
  %s12 = dhlo.neg %s11 : tensor<?x8xf32, #dhlo.dims<B>>
  %s13 = dhlo.neg %s12 : tensor<?x8xf32, #dhlo.dims<B>>
  %s14 = dhlo.neg %s13 : tensor<?x8xf32, #dhlo.dims<B>>
  %s15 = dhlo.neg %s14 : tensor<?x8xf32, #dhlo.dims<B>>
  %s16 = dhlo.neg %s15 : tensor<?x8xf32, #dhlo.dims<B>>
  %s17 = dhlo.neg %s16 : tensor<?x8xf32, #dhlo.dims<B>>
  %s18 = dhlo.neg %s17 : tensor<?x8xf32, #dhlo.dims<B>>
  %s19 = dhlo.neg %s18 : tensor<?x8xf32, #dhlo.dims<B>>
  %s20 = dhlo.neg %s19 : tensor<?x8xf32, #dhlo.dims<B>>
  %s21 = dhlo.neg %s20 : tensor<?x8xf32, #dhlo.dims<B>>
  %s22 = dhlo.neg %s21 : tensor<?x8xf32, #dhlo.dims<B>>
  %s23 = dhlo.neg %s22 : tensor<?x8xf32, #dhlo.dims<B>>
  %s24 = dhlo.neg %s23 : tensor<?x8xf32, #dhlo.dims<B>>
  %s25 = dhlo.neg %s24 : tensor<?x8xf32, #dhlo.dims<B>>
  %s26 = dhlo.neg %s25 : tensor<?x8xf32, #dhlo.dims<B>>
  %s27 = dhlo.neg %s26 : tensor<?x8xf32, #dhlo.dims<B>>
  %s28 = dhlo.neg %s27 : tensor<?x8xf32, #dhlo.dims<B>>
  %s29 = dhlo.neg %s28 : tensor<?x8xf32, #dhlo.dims<B>>
  %s30 = dhlo.neg %s29 : tensor<?x8xf32, #dhlo.dims<B>>
  %s31 = dhlo.neg %s30 : tensor<?x8xf32, #dhlo.dims<B>>
  %s32 = dhlo.neg %s31 : tensor<?x8xf32, #dhlo.dims<B>>
  %s33 = dhlo.neg %s32 : tensor<?x8xf32, #dhlo.dims<B>>
  %s34 = dhlo.neg %s33 : tensor<?x8xf32, #dhlo.dims<B>>
  %s35 = dhlo.neg %s34 : tensor<?x8xf32, #dhlo.dims<B>>
  %s36 = dhlo.neg %s35 : tensor<?x8xf32, #dhlo.dims<B>>
  %s37 = dhlo.neg %s36 : tensor<?x8xf32, #dhlo.dims<B>>
  %s38 = dhlo.neg %s37 : tensor<?x8xf32, #dhlo.dims<B>>
  %s39 = dhlo.neg %s38 : tensor<?x8xf32, #dhlo.dims<B>>
  %s40 = dhlo.neg %s39 : tensor<?x8xf32, #dhlo.dims<B>>
  %s41 = dhlo.neg %s40 : tensor<?x8xf32, #dhlo.dims<B>>
  %s42 = dhlo.neg %s41 : tensor<?x8xf32, #dhlo.dims<B>>
  %s43 = dhlo.neg %s42 : tensor<?x8xf32, #dhlo.dims<B>>
  %s44 = dhlo.neg %s43 : tensor<?x8xf32, #dhlo.dims<B>>
  %s45 = dhlo.neg %s44 : tensor<?x8xf32, #dhlo.dims<B>>
  %s46 = dhlo.neg %s45 : tensor<?x8xf32, #dhlo.dims<B>>
  %s47 = dhlo.neg %s46 : tensor<?x8xf32, #dhlo.dims<B>>
  %s48 = dhlo.neg %s47 : tensor<?x8xf32, #dhlo.dims<B>>
  %s49 = dhlo.neg %s48 : tensor<?x8xf32, #dhlo.dims<B>>
  return %s49 : tensor<?x8xf32, #dhlo.dims<B>>
}

// A matmul has four results.
// CHECK-LABEL: func.func @results(
// CHECK: %{{.*}}:4 = dlhlo.fusion contraction
// CHECK-NOT: dlhlo.fusion
// CHECK: return
func.func @results(%x: tensor<?x8xf32, #dhlo.dims<B>>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>) attributes {dhlo.entry} {
  %d = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x8xf32>) -> tensor<?x8xf32, #dhlo.dims<B>>
  %0 = dhlo.neg %d : tensor<?x8xf32, #dhlo.dims<B>>
  %1 = dhlo.abs %d : tensor<?x8xf32, #dhlo.dims<B>>
  %2 = dhlo.exp %d : tensor<?x8xf32, #dhlo.dims<B>>
  %3 = dhlo.sqrt %d : tensor<?x8xf32, #dhlo.dims<B>>
  return %0, %1, %2, %3 : tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>
}

// Of five at least one is computed behind it, from a result.
// CHECK-LABEL: func.func @results_above(
// CHECK: %{{.*}} = dlhlo.fusion contraction
// CHECK: dlhlo.fusion loop
// CHECK: return
func.func @results_above(%x: tensor<?x8xf32, #dhlo.dims<B>>, %w: tensor<8x8xf32>) -> (tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>) attributes {dhlo.entry} {
  %d = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<B>>, tensor<8x8xf32>) -> tensor<?x8xf32, #dhlo.dims<B>>
  %0 = dhlo.neg %d : tensor<?x8xf32, #dhlo.dims<B>>
  %1 = dhlo.abs %d : tensor<?x8xf32, #dhlo.dims<B>>
  %2 = dhlo.exp %d : tensor<?x8xf32, #dhlo.dims<B>>
  %3 = dhlo.sqrt %d : tensor<?x8xf32, #dhlo.dims<B>>
  %4 = dhlo.tanh %d : tensor<?x8xf32, #dhlo.dims<B>>
  return %0, %1, %2, %3, %4 : tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>, tensor<?x8xf32, #dhlo.dims<B>>
}
