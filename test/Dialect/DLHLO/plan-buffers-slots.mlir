// RUN: dyn-opt %s --dlhlo-plan-buffers --canonicalize --cse | FileCheck %s

// Which slot of the arena a value takes, by their bytes. Each entry makes values one after the
// other, each of which is read by the next launch alone.

dlhlo.kernel @k0_16 loop {
^bb0(%0: tensor<0xf32>):
  %1 = dhlo.constant dense<1.0> : tensor<16xf32>
  dlhlo.yield %1 : tensor<16xf32>
}
dlhlo.kernel @k1_17 loop {
^bb0(%0: tensor<1xf32>):
  %1 = dhlo.constant dense<1.0> : tensor<17xf32>
  dlhlo.yield %1 : tensor<17xf32>
}
dlhlo.kernel @k16_0 loop {
^bb0(%0: tensor<16xf32>):
  %1 = dhlo.constant dense<1.0> : tensor<0xf32>
  dlhlo.yield %1 : tensor<0xf32>
}
dlhlo.kernel @k16_1 loop {
^bb0(%0: tensor<16xf32>):
  %1 = dhlo.constant dense<1.0> : tensor<1xf32>
  dlhlo.yield %1 : tensor<1xf32>
}
dlhlo.kernel @k16_16 loop {
^bb0(%0: tensor<16xf32>):
  %1 = dhlo.constant dense<1.0> : tensor<16xf32>
  dlhlo.yield %1 : tensor<16xf32>
}
dlhlo.kernel @k16_48 loop {
^bb0(%0: tensor<16xf32>):
  %1 = dhlo.constant dense<1.0> : tensor<48xf32>
  dlhlo.yield %1 : tensor<48xf32>
}
dlhlo.kernel @k16_64 loop {
^bb0(%0: tensor<16xf32>):
  %1 = dhlo.constant dense<1.0> : tensor<64xf32>
  dlhlo.yield %1 : tensor<64xf32>
}
dlhlo.kernel @k17_16 loop {
^bb0(%0: tensor<17xf32>):
  %1 = dhlo.constant dense<1.0> : tensor<16xf32>
  dlhlo.yield %1 : tensor<16xf32>
}
dlhlo.kernel @k48_16 loop {
^bb0(%0: tensor<48xf32>):
  %1 = dhlo.constant dense<1.0> : tensor<16xf32>
  dlhlo.yield %1 : tensor<16xf32>
}
dlhlo.kernel @k64_16 loop {
^bb0(%0: tensor<64xf32>):
  %1 = dhlo.constant dense<1.0> : tensor<16xf32>
  dlhlo.yield %1 : tensor<16xf32>
}

// Three values in two slots: the third has the bytes of the first.
// CHECK-LABEL: func.func @dyn.entry.equal(
// CHECK: dlhlo.reserve %c0 bytes %c128 {dlhlo.formula
func.func @equal(%x: tensor<16xf32>) -> tensor<16xf32> attributes {dhlo.entry} {
  %v0 = dlhlo.launch @k16_16 dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %v1 = dlhlo.launch @k16_16 dims [] (%v0) : (tensor<16xf32>) -> tensor<16xf32>
  %v2 = dlhlo.launch @k16_16 dims [] (%v1) : (tensor<16xf32>) -> tensor<16xf32>
  %v3 = dlhlo.launch @k16_16 dims [] (%v2) : (tensor<16xf32>) -> tensor<16xf32>
  return %v3 : tensor<16xf32>
}

// The third is larger than both: the slot of the first grows.
// CHECK-LABEL: func.func @dyn.entry.larger(
// CHECK: dlhlo.reserve %c0 bytes %c256 {dlhlo.formula
func.func @larger(%x: tensor<16xf32>) -> tensor<16xf32> attributes {dhlo.entry} {
  %v0 = dlhlo.launch @k16_16 dims [] (%x) : (tensor<16xf32>) -> tensor<16xf32>
  %v1 = dlhlo.launch @k16_16 dims [] (%v0) : (tensor<16xf32>) -> tensor<16xf32>
  %v2 = dlhlo.launch @k16_48 dims [] (%v1) : (tensor<16xf32>) -> tensor<48xf32>
  %v3 = dlhlo.launch @k48_16 dims [] (%v2) : (tensor<48xf32>) -> tensor<16xf32>
  return %v3 : tensor<16xf32>
}

// The third is smaller: it lies in the slot of the first, which has room.
// CHECK-LABEL: func.func @dyn.entry.smaller(
// CHECK: dlhlo.reserve %c0 bytes %c320 {dlhlo.formula
func.func @smaller(%x: tensor<16xf32>) -> tensor<16xf32> attributes {dhlo.entry} {
  %v0 = dlhlo.launch @k16_64 dims [] (%x) : (tensor<16xf32>) -> tensor<64xf32>
  %v1 = dlhlo.launch @k64_16 dims [] (%v0) : (tensor<64xf32>) -> tensor<16xf32>
  %v2 = dlhlo.launch @k16_16 dims [] (%v1) : (tensor<16xf32>) -> tensor<16xf32>
  %v3 = dlhlo.launch @k16_16 dims [] (%v2) : (tensor<16xf32>) -> tensor<16xf32>
  return %v3 : tensor<16xf32>
}

// Slots are multiples of 64 bytes: values of 4 and of 68 bytes take one and two of them.
// CHECK-LABEL: func.func @dyn.entry.rounded(
// CHECK: dlhlo.reserve %c0 bytes %c192 {dlhlo.formula
func.func @rounded(%x: tensor<16xf32>) -> tensor<16xf32> attributes {dhlo.entry} {
  %v0 = dlhlo.launch @k16_1 dims [] (%x) : (tensor<16xf32>) -> tensor<1xf32>
  %v1 = dlhlo.launch @k1_17 dims [] (%v0) : (tensor<1xf32>) -> tensor<17xf32>
  %v2 = dlhlo.launch @k17_16 dims [] (%v1) : (tensor<17xf32>) -> tensor<16xf32>
  return %v2 : tensor<16xf32>
}

// A value without elements takes none.
// CHECK-LABEL: func.func @dyn.entry.empty(
// CHECK: dlhlo.reserve %c0 bytes %c64 {dlhlo.formula
func.func @empty(%x: tensor<16xf32>) -> tensor<16xf32> attributes {dhlo.entry} {
  %v0 = dlhlo.launch @k16_0 dims [] (%x) : (tensor<16xf32>) -> tensor<0xf32>
  %v1 = dlhlo.launch @k0_16 dims [] (%v0) : (tensor<0xf32>) -> tensor<16xf32>
  %v2 = dlhlo.launch @k16_16 dims [] (%v1) : (tensor<16xf32>) -> tensor<16xf32>
  return %v2 : tensor<16xf32>
}

// Two slots are free for the fifth: that of its own bytes, though another one is larger.
// CHECK-LABEL: func.func @dyn.entry.best(
// CHECK: dlhlo.reserve %c0 bytes %c320 {dlhlo.formula
func.func @best(%x: tensor<16xf32>) -> tensor<16xf32> attributes {dhlo.entry} {
  %v0 = dlhlo.launch @k16_64 dims [] (%x) : (tensor<16xf32>) -> tensor<64xf32>
  %v1 = dlhlo.launch @k64_16 dims [] (%v0) : (tensor<64xf32>) -> tensor<16xf32>
  %v2 = dlhlo.launch @k16_64 dims [] (%v1) : (tensor<16xf32>) -> tensor<64xf32>
  %v3 = dlhlo.launch @k64_16 dims [] (%v2) : (tensor<64xf32>) -> tensor<16xf32>
  %v4 = dlhlo.launch @k16_16 dims [] (%v3) : (tensor<16xf32>) -> tensor<16xf32>
  return %v4 : tensor<16xf32>
}
