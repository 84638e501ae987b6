// RUN: dyn-opt %s --dlhlo-share-numbers --dlhlo-verify-fusions -split-input-file | FileCheck %s

// Which fusions have their numbers made inputs: those that are equal but for them.

// Three layers, of which two have the same number: all three read theirs, and two of them from one
// constant.
// CHECK-COUNT-2: dlhlo.constant {{.*}} : tensor<f32> {
// CHECK-NOT: dlhlo.constant
// CHECK-LABEL: func.func @three
// CHECK: %[[A:.*]] = dlhlo.get_constant @[[ONE:.*]] : tensor<f32>
// CHECK: dlhlo.fusion loop(%arg0, %[[A]])
// CHECK: %[[B:.*]] = dlhlo.get_constant @[[OTHER:.*]] : tensor<f32>
// CHECK: dlhlo.fusion loop(%{{.*}}, %[[B]])
// CHECK: %[[C:.*]] = dlhlo.get_constant @[[ONE]] : tensor<f32>
// CHECK: dlhlo.fusion loop(%{{.*}}, %[[C]])
func.func @three(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dhlo.entry} {
  %0 = dlhlo.fusion loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = dhlo.constant dense<0.5> : tensor<f32>
    %1 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = dhlo.mul %a, %1 : tensor<4xf32>
    dlhlo.yield %2 : tensor<4xf32>
  }
  %3 = dlhlo.fusion loop(%0) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = dhlo.constant dense<0.25> : tensor<f32>
    %1 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = dhlo.mul %a, %1 : tensor<4xf32>
    dlhlo.yield %2 : tensor<4xf32>
  }
  %4 = dlhlo.fusion loop(%3) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = dhlo.constant dense<0.5> : tensor<f32>
    %1 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = dhlo.mul %a, %1 : tensor<4xf32>
    dlhlo.yield %2 : tensor<4xf32>
  }
  return %4 : tensor<4xf32>
}

// -----

// Two that are equal share their kernel as they are, one by itself needs none to share with, and
// numbers of sizes, types, attributes or kinds of fusions that differ make other kernels anyway.
// CHECK-NOT: dlhlo.constant
// CHECK-LABEL: func.func @apart
// CHECK-NOT: dlhlo.get_constant
// CHECK: return
func.func @apart(%x: tensor<4xf32>, %y: tensor<5xf32>, %h: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<5xf32>, tensor<4xf16>, tensor<1xf32>, tensor<1xf32>, tensor<4xf32>) attributes {dhlo.entry} {
  %0 = dlhlo.fusion loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = dhlo.constant dense<0.5> : tensor<4xf32>
    %1 = dhlo.mul %a, %c : tensor<4xf32>
    dlhlo.yield %1 : tensor<4xf32>
  }
  %2 = dlhlo.fusion loop(%0) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = dhlo.constant dense<0.5> : tensor<4xf32>
    %1 = dhlo.mul %a, %c : tensor<4xf32>
    dlhlo.yield %1 : tensor<4xf32>
  }
  %3 = dlhlo.fusion loop(%y) : (tensor<5xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<5xf32>):
    %c = dhlo.constant dense<0.25> : tensor<5xf32>
    %1 = dhlo.mul %a, %c : tensor<5xf32>
    dlhlo.yield %1 : tensor<5xf32>
  }
  %4 = dlhlo.fusion loop(%h) : (tensor<4xf16>) -> tensor<4xf16> {
  ^bb0(%a: tensor<4xf16>):
    %c = dhlo.constant dense<0.25> : tensor<4xf16>
    %1 = dhlo.mul %a, %c : tensor<4xf16>
    dlhlo.yield %1 : tensor<4xf16>
  }
  %5 = dlhlo.fusion loop(%x) : (tensor<4xf32>) -> tensor<1xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = dhlo.constant dense<2.0> : tensor<4xf32>
    %1 = dhlo.mul %a, %c : tensor<4xf32>
    %s = dhlo.slice %1 starts = [0] strides = [1] : (tensor<4xf32>) -> tensor<1xf32>
    dlhlo.yield %s : tensor<1xf32>
  }
  %6 = dlhlo.fusion loop(%x) : (tensor<4xf32>) -> tensor<1xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = dhlo.constant dense<3.0> : tensor<4xf32>
    %1 = dhlo.mul %a, %c : tensor<4xf32>
    %s = dhlo.slice %1 starts = [1] strides = [1] : (tensor<4xf32>) -> tensor<1xf32>
    dlhlo.yield %s : tensor<1xf32>
  }
  %7 = dlhlo.fusion row(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = dhlo.constant dense<0.75> : tensor<4xf32>
    %1 = dhlo.mul %a, %c : tensor<4xf32>
    dlhlo.yield %1 : tensor<4xf32>
  }
  return %0, %2, %3, %4, %5, %6, %7 : tensor<4xf32>, tensor<4xf32>, tensor<5xf32>, tensor<4xf16>, tensor<1xf32>, tensor<1xf32>, tensor<4xf32>
}

// -----

// What is the same number in all stays in the kernel, where it is computed with; both zeros are
// numbers of their own.
// CHECK-LABEL: func.func @zeros
// CHECK: dlhlo.fusion loop(%arg0, %{{.*}})
// CHECK:   dhlo.constant dense<1.0
// CHECK: dlhlo.fusion loop(%arg0, %{{.*}})
// CHECK:   dhlo.constant dense<1.0
func.func @zeros(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {dhlo.entry} {
  %0 = dlhlo.fusion loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = dhlo.constant dense<0.0> : tensor<4xf32>
    %d = dhlo.constant dense<1.0> : tensor<4xf32>
    %1 = dhlo.mul %a, %c : tensor<4xf32>
    %2 = dhlo.add %1, %d : tensor<4xf32>
    dlhlo.yield %2 : tensor<4xf32>
  }
  %3 = dlhlo.fusion loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %c = dhlo.constant dense<-0.0> : tensor<4xf32>
    %d = dhlo.constant dense<1.0> : tensor<4xf32>
    %1 = dhlo.mul %a, %c : tensor<4xf32>
    %2 = dhlo.add %1, %d : tensor<4xf32>
    dlhlo.yield %2 : tensor<4xf32>
  }
  return %0, %3 : tensor<4xf32>, tensor<4xf32>
}
