// RUN: dyn-opt %s --dlhlo-launch-many --dlhlo-verify-kernels | FileCheck %s
// RUN: not dyn-opt %s --dlhlo-launch-many=target-info=%t.none 2>&1 | FileCheck %s --check-prefix=NONE

// How many launches run together, and what keeps two of them apart.

// NONE: error: target info: {{.*}}.none: No such file or directory

dhlo.dim @M in [1, 64]
dlhlo.kernel @neg loop {
^bb0(%0: tensor<16xf32>):
  %1 = dhlo.neg %0 : tensor<16xf32>
  dlhlo.yield %1 : tensor<16xf32>
}
dlhlo.kernel @large loop {
^bb0(%0: tensor<1048576xf32>):
  %1 = dhlo.neg %0 : tensor<1048576xf32>
  dlhlo.yield %1 : tensor<1048576xf32>
}

// A list has 64 launches; the last of 65 is launched by itself.
// CHECK-LABEL: func.func @most(
// CHECK: %{{.*}}:64 = dlhlo.launch_many
// CHECK-COUNT-64: dlhlo.launch @neg
// CHECK: dlhlo.yield
// CHECK-NOT: dlhlo.launch_many
// CHECK: dlhlo.launch @neg
// CHECK: return
func.func @most(%x: tensor<16xf32>) -> tensor<16xf32> attributes {dhlo.entry} {
  %y0 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y1 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y2 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y3 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y4 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y5 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y6 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y7 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y8 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y9 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y10 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y11 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y12 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y13 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y14 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y15 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y16 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y17 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y18 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y19 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y20 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y21 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y22 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y23 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y24 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y25 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y26 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y27 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y28 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y29 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y30 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y31 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y32 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y33 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y34 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y35 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y36 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y37 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y38 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y39 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y40 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y41 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y42 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y43 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y44 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y45 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y46 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y47 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y48 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y49 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y50 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y51 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y52 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y53 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y54 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y55 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y56 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y57 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y58 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y59 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y60 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y61 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y62 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y63 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %y64 = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %y64 : tensor<16xf32>
}

// One launch is no list.
// CHECK-LABEL: func.func @one(
// CHECK-NOT: dlhlo.launch_many
// CHECK: return
func.func @one(%x: tensor<16xf32>) -> tensor<16xf32> attributes {dhlo.entry} {
  %y = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// What takes long is launched by itself, in front or behind.
// CHECK-LABEL: func.func @long(
// CHECK: dlhlo.launch @large
// CHECK: dlhlo.launch_many
// CHECK-NEXT: dlhlo.launch @neg
// CHECK-NEXT: dlhlo.launch @neg
// CHECK-NEXT: dlhlo.yield
// CHECK: dlhlo.launch @large
// CHECK-NOT: dlhlo.launch_many
// CHECK: return
func.func @long(%x: tensor<16xf32>, %z: tensor<1048576xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<1048576xf32>, tensor<1048576xf32>) attributes {dhlo.entry} {
  %0 = dlhlo.launch @large dims [] (%z) : (tensor<1048576xf32>) -> tensor<1048576xf32>
  %a = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %b = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %1 = dlhlo.launch @large dims [] (%z) : (tensor<1048576xf32>) -> tensor<1048576xf32>
  return %a, %b, %0, %1 : tensor<16xf32>, tensor<16xf32>, tensor<1048576xf32>, tensor<1048576xf32>
}

// A launch that takes another one's result by way of two views waits for it.
// CHECK-LABEL: func.func @views(
// CHECK-NOT: dlhlo.launch_many
// CHECK: return
func.func @views(%x: tensor<16xf32>) -> tensor<16xf32> attributes {dhlo.entry} {
  %a = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %v = dhlo.reshape %a : (tensor<16xf32>) -> tensor<4x4xf32>
  %w = dhlo.reshape %v : (tensor<4x4xf32>) -> tensor<16xf32>
  %b = dlhlo.launch @neg dims [] (%w) : (tensor<16xf32>) -> tensor<16xf32>
  return %b : tensor<16xf32>
}

// Sizes that are data are written by the host without waiting; launches pass them.
// CHECK-LABEL: func.func @sizes(
// CHECK: dlhlo.launch_many
// CHECK-NEXT: dlhlo.launch @neg
// CHECK-NEXT: dlhlo.launch @neg
// CHECK: return
func.func @sizes(%x: tensor<16xf32>, %m: tensor<?xf32, #dhlo.dims<M>>) -> (tensor<16xf32>, tensor<16xf32>, tensor<1xi64>) attributes {dhlo.entry} {
  %a = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %s = dhlo.from_dims [@M] : tensor<1xi64>
  %b = dlhlo.launch @neg dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %a, %b, %s : tensor<16xf32>, tensor<16xf32>, tensor<1xi64>
}
