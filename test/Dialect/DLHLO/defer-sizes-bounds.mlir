// RUN: dyn-opt %s -split-input-file --dlhlo-defer-sizes | FileCheck %s

// Which sizes may stay on a device, one property each: a bound that the host can compute, a launch
// beside the binding that reads the size, and expressions that have a bound.

// The lesser of a number and a size bounds it.
// CHECK-DAG: dhlo.dim @Both = min(8, @N){{ *$}}
// CHECK-LABEL: func.func @two_bounds
// CHECK-NOT: dhlo.bind @
// CHECK: return
dhlo.dim @N in [1, ?]
dhlo.dim @Both in [0, 8] at_most @N
dlhlo.kernel @count row {
^bb0:
  dhlo.dim @d0
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<d0>>
  %1 = dhlo.reduce sum %0 axes = [0] : (tensor<?xi64, #dhlo.dims<d0>>) -> tensor<i64>
  dlhlo.yield %1 : tensor<i64>
}
func.func @two_bounds(%x: tensor<?xf32, #dhlo.dims<N>>, %a: tensor<i64>) -> tensor<i64> attributes {dhlo.entry} {
  dhlo.bind @Both = %a : tensor<i64>
  %0 = dlhlo.launch @count dims [@Both] () : () -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

// Nobody reads the size: its declaration is checked by the host.
// CHECK-LABEL: func.func @unread
// CHECK: dhlo.bind @K
dhlo.dim @K in [0, 8]
func.func @unread(%a: tensor<i64>) attributes {dhlo.entry} {
  dhlo.bind @K = %a : tensor<i64>
  return
}

// -----

// One branch reads it: if the other one runs, nobody checks the declaration.
// CHECK-LABEL: func.func @read_in_a_branch
// CHECK: dhlo.bind @K
dhlo.dim @K in [0, 8]
dlhlo.kernel @count row {
^bb0:
  dhlo.dim @d0
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<d0>>
  %1 = dhlo.reduce sum %0 axes = [0] : (tensor<?xi64, #dhlo.dims<d0>>) -> tensor<i64>
  dlhlo.yield %1 : tensor<i64>
}
func.func @read_in_a_branch(%p: tensor<i1>, %a: tensor<i64>) -> tensor<i64> attributes {dhlo.entry} {
  dhlo.bind @K = %a : tensor<i64>
  %0 = dhlo.if %p -> (tensor<i64>) {
    %1 = dlhlo.launch @count dims [@K] () : () -> tensor<i64>
    dhlo.yield %1 : tensor<i64>
  } else {
    dhlo.yield %a : tensor<i64>
  }
  return %0 : tensor<i64>
}

// -----

// A remainder has no bound that follows from that of the size; a quotient has.
// CHECK-LABEL: func.func @remainder
// CHECK-NOT: dhlo.bind @Q
// CHECK: dhlo.bind @R
// CHECK-NOT: dhlo.bind @Q
// CHECK: return
dhlo.dim @Q in [0, 8]
dhlo.dim @Half = @Q floordiv 2
dhlo.dim @R in [0, 8]
dhlo.dim @Odd = @R mod 2
dlhlo.kernel @count row {
^bb0:
  dhlo.dim @d0
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<d0>>
  %1 = dhlo.reduce sum %0 axes = [0] : (tensor<?xi64, #dhlo.dims<d0>>) -> tensor<i64>
  dlhlo.yield %1 : tensor<i64>
}
func.func @remainder(%a: tensor<i64>, %b: tensor<i64>) -> (tensor<i64>, tensor<i64>) attributes {dhlo.entry} {
  dhlo.bind @Q = %a : tensor<i64>
  dhlo.bind @R = %b : tensor<i64>
  %0 = dlhlo.launch @count dims [@Half] () : () -> tensor<i64>
  %1 = dlhlo.launch @count dims [@Odd] () : () -> tensor<i64>
  return %0, %1 : tensor<i64>, tensor<i64>
}

// -----

// A launch that needs a difference that may be negative needs the host to check it.
// CHECK-LABEL: func.func @negative
// CHECK: dhlo.bind @K
dhlo.dim @N
dhlo.dim @K in [0, 8]
dhlo.dim @Rest = @N - @K
dlhlo.kernel @count row {
^bb0:
  dhlo.dim @d0
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<d0>>
  %1 = dhlo.reduce sum %0 axes = [0] : (tensor<?xi64, #dhlo.dims<d0>>) -> tensor<i64>
  dlhlo.yield %1 : tensor<i64>
}
func.func @negative(%x: tensor<?xf32, #dhlo.dims<N>>, %a: tensor<i64>) -> tensor<i64> attributes {dhlo.entry} {
  dhlo.bind @K = %a : tensor<i64>
  %0 = dlhlo.launch @count dims [@Rest] () : () -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

// The host reads how many rows there are, which are an output, and kernels how
// many of them are left. So the bound of these is what the host has read, or
// they would not be a part of the value.
// CHECK: dhlo.dim @Rows in [0, ?] at_most @N
// CHECK: dhlo.dim @Left = @Rows{{ *$}}
// CHECK-LABEL: func.func @part_of_a_part
// CHECK: dhlo.bind @Rows
// CHECK-NOT: dhlo.bind
// CHECK: dlhlo.launch @sum_0 dims [@Left]
dhlo.dim @N
dhlo.dim @Rows in [0, ?] at_most @N
dhlo.dim @Left in [0, ?] at_most @Rows
dlhlo.kernel @sum row {
^bb0(%0: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0
  %1 = dhlo.reduce sum %0 axes = [0] : (tensor<?xf32, #dhlo.dims<d0>>) -> tensor<f32>
  dlhlo.yield %1 : tensor<f32>
}
func.func @part_of_a_part(%x: tensor<?xf32, #dhlo.dims<N>>, %a: tensor<i64>, %b: tensor<i64>)
    -> (tensor<?xf32, #dhlo.dims<Rows>>, tensor<f32>) attributes {dhlo.entry} {
  dhlo.bind @Rows = %a : tensor<i64>
  dhlo.bind @Left = %b : tensor<i64>
  %0 = dhlo.slice %x starts = [0] strides = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<Rows>>
  %1 = dhlo.slice %0 starts = [0] strides = [1] : (tensor<?xf32, #dhlo.dims<Rows>>) -> tensor<?xf32, #dhlo.dims<Left>>
  %2 = dlhlo.launch @sum dims [@Left] (%1) : (tensor<?xf32, #dhlo.dims<Left>>) -> tensor<f32>
  return %0, %2 : tensor<?xf32, #dhlo.dims<Rows>>, tensor<f32>
}
