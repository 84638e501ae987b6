// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// Cells, routers and routes, with static and symbolic sizes.

dhlo.dim @B
dhlo.dim @S
dhlo.dim @BS = @B * @S
dhlo.dim @H multiple_of 32
dhlo.dim @W multiple_of 32
dhlo.dim @P = @B * (@H floordiv 32) * (@W floordiv 32)
dhlo.dim @N
dhlo.dim @R = 2 * @N
dhlo.dim @R3 = 3 * @N
dhlo.dim @K0
dhlo.dim @K1

// CHECK-LABEL: func.func @cells(
func.func @cells(%x: tensor<?x?x64xf32, #dhlo.dims<B, S>>, %image: tensor<?x3x?x?xf32, #dhlo.dims<B, H, W>>) {
  // CHECK: cell.split %{{.*}} axes = [0, 1] block = [1, 1] : (tensor<?x?x64xf32, #dhlo.dims<B, S>>) -> tensor<?x64xf32, #dhlo.dims<BS>>
  %t = cell.split %x axes = [0, 1] block = [1, 1] : (tensor<?x?x64xf32, #dhlo.dims<B, S>>) -> tensor<?x64xf32, #dhlo.dims<BS>>
  // CHECK: cell.join %{{.*}} axes = [0, 1] block = [1, 1] : (tensor<?x64xf32, #dhlo.dims<BS>>) -> tensor<?x?x64xf32, #dhlo.dims<B, S>>
  %y = cell.join %t axes = [0, 1] block = [1, 1] : (tensor<?x64xf32, #dhlo.dims<BS>>) -> tensor<?x?x64xf32, #dhlo.dims<B, S>>
  // CHECK: cell.split %{{.*}} axes = [0, 2, 3] block = [1, 32, 32]
  %p = cell.split %image axes = [0, 2, 3] block = [1, 32, 32] : (tensor<?x3x?x?xf32, #dhlo.dims<B, H, W>>) -> tensor<?x3x32x32xf32, #dhlo.dims<P>>
  return
}

// CHECK-LABEL: func.func @ids(
func.func @ids(%scores: tensor<?x8xf32, #dhlo.dims<N>>) {
  // CHECK: cell.route(%{{.*}}) : (tensor<?x8xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 8, @R> {
  %0 = cell.route(%scores) : (tensor<?x8xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 8, @R> {
  ^bb0(%s: tensor<?x8xf32, #dhlo.dims<N>>):
    %w, %ids = dhlo.top_k %s axis = 1 largest : (tensor<?x8xf32, #dhlo.dims<N>>) -> (tensor<?x2xf32, #dhlo.dims<N>>, tensor<?x2xi64, #dhlo.dims<N>>)
    // CHECK: cell.choose %{{.*}} weights(%{{.*}} : tensor<?x2xf32, #dhlo.dims<N>>) : tensor<?x2xi64, #dhlo.dims<N>>
    cell.choose %ids weights(%w : tensor<?x2xf32, #dhlo.dims<N>>) : tensor<?x2xi64, #dhlo.dims<N>>
  }
  // CHECK: cell.route() capacity = <2 * @N> key = "layers.3.mlp" : () -> !cell.routes<4, 3, 4> {
  %1 = cell.route() capacity = <2 * @N> key = "layers.3.mlp" : () -> !cell.routes<4, 3, 4> {
    %ids = dhlo.constant dense<[[0], [2], [-1], [2]]> : tensor<4x1xi32>
    %p = dhlo.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>
    // CHECK: cell.choose %{{.*}} priorities(%{{.*}} : tensor<4xf32>) : tensor<4x1xi32>
    cell.choose %ids priorities(%p : tensor<4xf32>) : tensor<4x1xi32>
  }
  return
}

// CHECK-LABEL: func.func @mask(
func.func @mask(%mask: tensor<?x3xi1, #dhlo.dims<N>>, %x: tensor<?x2x5xf32, #dhlo.dims<N>>) {
  // CHECK: cell.route(%{{.*}}) : (tensor<?x3xi1, #dhlo.dims<N>>) -> !cell.routes<@N, 3, 3 * @N> {
  %r = cell.route(%mask) : (tensor<?x3xi1, #dhlo.dims<N>>) -> !cell.routes<@N, 3, 3 * @N> {
  ^bb0(%m: tensor<?x3xi1, #dhlo.dims<N>>):
    // CHECK: cell.choose %{{.*}} : tensor<?x3xi1, #dhlo.dims<N>>
    cell.choose %m : tensor<?x3xi1, #dhlo.dims<N>>
  }
  // CHECK: cell.offsets %{{.*}} : !cell.routes<@N, 3, 3 * @N> -> tensor<4xi64>
  %o = cell.offsets %r : !cell.routes<@N, 3, 3 * @N> -> tensor<4xi64>
  // CHECK: cell.paths %{{.*}} : !cell.routes<@N, 3, 3 * @N> -> tensor<?xi64, #dhlo.dims<R3>>
  %p = cell.paths %r : !cell.routes<@N, 3, 3 * @N> -> tensor<?xi64, #dhlo.dims<R3>>
  // CHECK: cell.dispatch %{{.*}}, %{{.*}} : (tensor<?x2x5xf32, #dhlo.dims<N>>, !cell.routes<@N, 3, 3 * @N>) -> tensor<?x2x5xf32, #dhlo.dims<R3>>
  %y = cell.dispatch %x, %r : (tensor<?x2x5xf32, #dhlo.dims<N>>, !cell.routes<@N, 3, 3 * @N>) -> tensor<?x2x5xf32, #dhlo.dims<R3>>
  // CHECK: cell.combine %{{.*}}, %{{.*}} sum : (tensor<?x2x5xf32, #dhlo.dims<R3>>, !cell.routes<@N, 3, 3 * @N>) -> tensor<?x2x5xf32, #dhlo.dims<N>>
  %s = cell.combine %y, %r sum : (tensor<?x2x5xf32, #dhlo.dims<R3>>, !cell.routes<@N, 3, 3 * @N>) -> tensor<?x2x5xf32, #dhlo.dims<N>>
  // CHECK: cell.combine %{{.*}}, %{{.*}}, %{{.*}} last :
  %l = cell.combine %y, %r, %x last : (tensor<?x2x5xf32, #dhlo.dims<R3>>, !cell.routes<@N, 3, 3 * @N>, tensor<?x2x5xf32, #dhlo.dims<N>>) -> tensor<?x2x5xf32, #dhlo.dims<N>>
  // CHECK: cell.combine %{{.*}}, %{{.*}} max :
  %m = cell.combine %p, %r max : (tensor<?xi64, #dhlo.dims<R3>>, !cell.routes<@N, 3, 3 * @N>) -> tensor<?xi64, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @switch(
func.func @switch(%r: !cell.routes<@N, 2, @R>, %x: tensor<?x4xf32, #dhlo.dims<R>>, %i: tensor<?xi64, #dhlo.dims<R>>) {
  // CHECK: cell.switch %{{.*}} counts [@K0, @K1](%{{.*}}, %{{.*}}) : (!cell.routes<@N, 2, @R>, tensor<?x4xf32, #dhlo.dims<R>>, tensor<?xi64, #dhlo.dims<R>>) -> tensor<?x4xf32, #dhlo.dims<R>> {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<?x4xf32, #dhlo.dims<K0>>, %{{.*}}: tensor<?xi64, #dhlo.dims<K0>>):
  %y = cell.switch %r counts [@K0, @K1] (%x, %i) : (!cell.routes<@N, 2, @R>, tensor<?x4xf32, #dhlo.dims<R>>, tensor<?xi64, #dhlo.dims<R>>) -> tensor<?x4xf32, #dhlo.dims<R>> {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K0>>, %j: tensor<?xi64, #dhlo.dims<K0>>):
    %0 = dhlo.tanh %a : tensor<?x4xf32, #dhlo.dims<K0>>
    dhlo.yield %0 : tensor<?x4xf32, #dhlo.dims<K0>>
  // CHECK: }, {
  }, {
  ^bb0(%a: tensor<?x4xf32, #dhlo.dims<K1>>, %j: tensor<?xi64, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?x4xf32, #dhlo.dims<K1>>
  }
  return
}

// CHECK-LABEL: func.func @probes(
func.func @probes(%r: !cell.routes<@N, 8, @R>) {
  // CHECK: cell.probe "layers.3.mlp" %{{.*}} : !cell.routes<@N, 8, @R>
  cell.probe "layers.3.mlp" %r : !cell.routes<@N, 8, @R>
  // CHECK: cell.probe "layers.4.mlp" %{{.*}} {after = "layers.3.mlp", cell = "token", fingerprint = "82b1c0de5eedf00d", label = "experts"} : !cell.routes<@N, 8, @R>
  cell.probe "layers.4.mlp" %r {label = "experts", cell = "token", fingerprint = "82b1c0de5eedf00d", after = "layers.3.mlp"} : !cell.routes<@N, 8, @R>
  return
}

// CHECK-LABEL: func.func @predictions(
func.func @predictions(%mask: tensor<4x2xi1>) {
  // CHECK: {cell.preload = #cell.prediction<after of "layers.0.mlp", share = 900, paths = [1, 0]>, cell.speculate = #cell.prediction<majority, share = 1010, paths = [1]>}
  %0 = cell.route(%mask) : (tensor<4x2xi1>) -> !cell.routes<4, 2, 8> {
  ^bb0(%m: tensor<4x2xi1>):
    cell.choose %m : tensor<4x2xi1>
  } {cell.speculate = #cell.prediction<majority, share = 1010, paths = [1]>,
     cell.preload = #cell.prediction<after of "layers.0.mlp", share = 900, paths = [1, 0]>}
  // CHECK: {cell.speculate = #cell.prediction<early, share = 1024>}
  %1 = cell.route(%mask) : (tensor<4x2xi1>) -> !cell.routes<4, 2, 8> {
  ^bb0(%m: tensor<4x2xi1>):
    cell.choose %m : tensor<4x2xi1>
  } {cell.speculate = #cell.prediction<early, share = 1024>}
  return
}

// CHECK-LABEL: func.func @select(
func.func @select(%r: !cell.routes<@N, 2, @N>, %rest: !cell.routes<@N, 2, @N>, %guess: !cell.routes<@N, 2, @R>,
                  %redone: tensor<?x4xf32, #dhlo.dims<N>>, %shadow: tensor<?x4xf32, #dhlo.dims<R>>) {
  // CHECK: cell.select %{{.*}} from(%{{.*}}, %{{.*}}) rows(%{{.*}}, %{{.*}}) : (!cell.routes<@N, 2, @N>, !cell.routes<@N, 2, @N>, !cell.routes<@N, 2, @R>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<R>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %y = cell.select %r from(%rest, %guess) rows(%redone, %shadow)
      : (!cell.routes<@N, 2, @N>, !cell.routes<@N, 2, @N>, !cell.routes<@N, 2, @R>, tensor<?x4xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<R>>) -> tensor<?x4xf32, #dhlo.dims<N>>
  return
}
