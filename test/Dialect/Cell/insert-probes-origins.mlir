// The router before is one of the same cells, not one of as many.
// RUN: dyn-opt %s -split-input-file -cell-insert-probes | FileCheck %s

// A convolution mixes channels and pixels, a pool and a resize pixels: images stay apart.
dhlo.dim @B
dhlo.dim @B2 = 2 * @B
// CHECK-LABEL: func.func @images(
// CHECK: cell.probe "a" %{{.*}} {fingerprint = "{{[0-9a-f]+}}"}
// CHECK: cell.probe "b" %{{.*}} {after = "a"
func.func @images(%x: tensor<?x2x8xf32, #dhlo.dims<B>>, %w: tensor<2x2x3xf32>) {
  %m0 = dhlo.reduce max %x axes = [2] : (tensor<?x2x8xf32, #dhlo.dims<B>>) -> tensor<?x2xf32, #dhlo.dims<B>>
  %0 = cell.route(%m0) key = "a" : (tensor<?x2xf32, #dhlo.dims<B>>) -> !cell.routes<@B, 2, @B2> {
  ^bb0(%c: tensor<?x2xf32, #dhlo.dims<B>>):
    %n = dhlo.is_nan %c : (tensor<?x2xf32, #dhlo.dims<B>>) -> tensor<?x2xi1, #dhlo.dims<B>>
    cell.choose %n : tensor<?x2xi1, #dhlo.dims<B>>
  }
  %y = dhlo.convolution %x, %w channels_first strides = [1] low = [1] high = [1] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<?x2x8xf32, #dhlo.dims<B>>, tensor<2x2x3xf32>) -> tensor<?x2x8xf32, #dhlo.dims<B>>
  %p = dhlo.reduce_window max %y window = [1, 1, 2] strides = [1, 1, 2] dilations = [1, 1, 1] low = [0, 0, 0] high = [0, 0, 0] : (tensor<?x2x8xf32, #dhlo.dims<B>>) -> tensor<?x2x4xf32, #dhlo.dims<B>>
  %z = dhlo.resize nearest asymmetric floor %p scales = [1.0, 1.0, 2.0] coefficient = -0.75 : (tensor<?x2x4xf32, #dhlo.dims<B>>) -> tensor<?x2x8xf32, #dhlo.dims<B>>
  %m1 = dhlo.reduce max %z axes = [2] : (tensor<?x2x8xf32, #dhlo.dims<B>>) -> tensor<?x2xf32, #dhlo.dims<B>>
  %1 = cell.route(%m1) key = "b" : (tensor<?x2xf32, #dhlo.dims<B>>) -> !cell.routes<@B, 2, @B2> {
  ^bb0(%c: tensor<?x2xf32, #dhlo.dims<B>>):
    %n = dhlo.is_nan %c : (tensor<?x2xf32, #dhlo.dims<B>>) -> tensor<?x2xi1, #dhlo.dims<B>>
    cell.choose %n : tensor<?x2xi1, #dhlo.dims<B>>
  }
  return
}

// -----

// Tokens (b, s) through a mixture of experts, and through attention, which reads others as well.
dhlo.dim @B
dhlo.dim @S
dhlo.dim @N = @B * @S
// CHECK-LABEL: func.func @tokens(
// CHECK: cell.probe "a" %{{.*}} {fingerprint = "{{[0-9a-f]+}}"}
// CHECK: cell.probe "b" %{{.*}} {after = "a"
// CHECK: cell.probe "c" %{{.*}} {after = "b"
// The order of cells is another one, and then they are other cells.
// CHECK: cell.probe "reversed" %{{.*}} {fingerprint = "{{[0-9a-f]+}}"}
// CHECK: cell.probe "other" %{{.*}} {fingerprint = "{{[0-9a-f]+}}"}
func.func @tokens(%x: tensor<?x?x4xf32, #dhlo.dims<B, S>>, %other: tensor<?x4xf32, #dhlo.dims<N>>) {
  %t = cell.split %x axes = [0, 1] block = [1, 1] : (tensor<?x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %0 = cell.route(%t) key = "a" : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %t, %0 : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %e = dhlo.tanh %rows : tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.combine %e, %0 sum : (tensor<?x4xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %1 = cell.route(%y) key = "b" : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %j = cell.join %y axes = [0, 1] block = [1, 1] : (tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x?x4xf32, #dhlo.dims<B, S>>
  %h = dhlo.reshape %j : (tensor<?x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x?x1x4xf32, #dhlo.dims<B, S>>
  %q = dhlo.transpose %h permutation = [0, 2, 1, 3] : (tensor<?x?x1x4xf32, #dhlo.dims<B, S>>) -> tensor<?x1x?x4xf32, #dhlo.dims<B, S>>
  %a = dhlo.attention %q, %q, %q scale = 0.5 : (tensor<?x1x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x?x4xf32, #dhlo.dims<B, S>>, tensor<?x1x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x1x?x4xf32, #dhlo.dims<B, S>>
  %f = dhlo.reshape %a : (tensor<?x1x?x4xf32, #dhlo.dims<B, S>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %2 = cell.route(%f) key = "c" : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %r = dhlo.reverse %t axes = [0] : tensor<?x4xf32, #dhlo.dims<N>>
  %3 = cell.route(%r) key = "reversed" : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %4 = cell.route(%other) key = "other" : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %w, %id = dhlo.top_k %s axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  return
}

// -----

// Cells are kept through a switch whose paths differ, a branch and a loop, and the rows of a path
// are no cells of the router.
dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1
// CHECK-LABEL: func.func @regions(
// CHECK: cell.probe "a" %{{.*}} {fingerprint = "{{[0-9a-f]+}}"}
// CHECK: cell.probe "inner" %{{.*}} {fingerprint = "{{[0-9a-f]+}}"}
// CHECK: cell.probe "b" %{{.*}} {after = "a"
func.func @regions(%x: tensor<?x1xi64, #dhlo.dims<N>>, %p: tensor<i1>) {
  %0 = cell.route(%x) key = "a" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%s: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %s : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %x, %0 : (tensor<?x1xi64, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x1xi64, #dhlo.dims<N>>
  %y = cell.switch %0 counts [@K0, @K1] (%rows) : (!cell.routes<@N, 2, @N>, tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x1xi64, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<K0>>):
    %r = cell.route(%a) key = "inner" : (tensor<?x1xi64, #dhlo.dims<K0>>) -> !cell.routes<@K0, 2, @K0> {
    ^bb0(%s: tensor<?x1xi64, #dhlo.dims<K0>>):
      cell.choose %s : tensor<?x1xi64, #dhlo.dims<K0>>
    }
    dhlo.yield %a : tensor<?x1xi64, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<K1>>):
    %n = dhlo.neg %a : tensor<?x1xi64, #dhlo.dims<K1>>
    dhlo.yield %n : tensor<?x1xi64, #dhlo.dims<K1>>
  }
  %c = cell.combine %y, %0 last : (tensor<?x1xi64, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x1xi64, #dhlo.dims<N>>
  %i = dhlo.if %p -> (tensor<?x1xi64, #dhlo.dims<N>>) {
    dhlo.yield %c : tensor<?x1xi64, #dhlo.dims<N>>
  } else {
    %n = dhlo.neg %c : tensor<?x1xi64, #dhlo.dims<N>>
    dhlo.yield %n : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %l = dhlo.while %p carries(%i) : (tensor<?x1xi64, #dhlo.dims<N>>) -> (tensor<?x1xi64, #dhlo.dims<N>>) {
  ^bb0(%v: tensor<?x1xi64, #dhlo.dims<N>>):
    %n = dhlo.abs %v : tensor<?x1xi64, #dhlo.dims<N>>
    dhlo.yield %p, %n : tensor<i1>, tensor<?x1xi64, #dhlo.dims<N>>
  }
  %1 = cell.route(%l) key = "b" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%s: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %s : tensor<?x1xi64, #dhlo.dims<N>>
  }
  return
}
