// RUN: dyn-opt %s -split-input-file --dlhlo-hoist-constants --dlhlo-fuse --dlhlo-outline-kernels --dlhlo-plan-buffers --dlhlo-verify-buffers --canonicalize --cse | FileCheck %s

// A loop that writes a row of a buffer in each iteration updates it in place, so
// that the buffer is none of what it carries.

// CHECK-LABEL: func.func @dyn.entry.rows
// CHECK: %[[ROWS:.*]] = dlhlo.view
// CHECK: dlhlo.dispatch @copy{{.*}} buffers(%[[ROWS]])
// CHECK: ^bb0(%[[I:.*]]: !dlhlo.buffer, %{{.*}}: index):
// CHECK: dlhlo.dispatch @scatter_nd dims(%{{.*}}) buffers(%[[ROWS]], %[[I]], %{{.*}}, %[[ROWS]])
// CHECK: dlhlo.dispatch @neg {{.*}} buffers(%[[ROWS]],
dhlo.dim @T in [1, ?]
func.func @rows(%t: tensor<?xf32, #dhlo.dims<T>>, %x: tensor<1x8xf32>) -> tensor<?x8xf32, #dhlo.dims<T>> attributes {dhlo.entry} {
  %go = dhlo.constant dense<true> : tensor<i1>
  %first = dhlo.constant dense<0> : tensor<1x1xi64>
  %c = dhlo.constant dense<1.0> : tensor<f32>
  %init = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?x8xf32, #dhlo.dims<T>>
  %w:2 = dhlo.while %go carries(%first, %init) loop_dims [] init_dims [] next_dims [] result_dims []
        : (tensor<1x1xi64>, tensor<?x8xf32, #dhlo.dims<T>>) -> (tensor<1x1xi64>, tensor<?x8xf32, #dhlo.dims<T>>) {
    ^bb0(%i: tensor<1x1xi64>, %rows: tensor<?x8xf32, #dhlo.dims<T>>):
      %next = dhlo.scatter_nd %rows, %i, %x replace : (tensor<?x8xf32, #dhlo.dims<T>>, tensor<1x1xi64>, tensor<1x8xf32>) -> tensor<?x8xf32, #dhlo.dims<T>>
      %one = dhlo.constant dense<1> : tensor<1x1xi64>
      %j = dhlo.add %i, %one : tensor<1x1xi64>
      %size = dhlo.from_dims [@T] : tensor<1xi64>
      %count = dhlo.reshape %size : (tensor<1xi64>) -> tensor<1x1xi64>
      %again = dhlo.compare lt %j, %count : tensor<1x1xi64> -> tensor<1x1xi1>
      %flag = dhlo.reshape %again : (tensor<1x1xi1>) -> tensor<i1>
      dhlo.yield %flag, %j, %next : tensor<i1>, tensor<1x1xi64>, tensor<?x8xf32, #dhlo.dims<T>>
    }
  %y = dhlo.neg %w#1 : tensor<?x8xf32, #dhlo.dims<T>>
  return %y : tensor<?x8xf32, #dhlo.dims<T>>
}

// -----

// An input of the entry is not written to, nor is a value that is read behind the
// loop: the first iteration copies it, and the others update the copy.

// CHECK-LABEL: func.func @dyn.entry.input
// CHECK: scf.while
// CHECK: %[[NEW:.*]] = dlhlo.reserve %c{{[0-9]+}} bytes %c128
// CHECK: dlhlo.dispatch @scatter_nd dims({{.*}}) buffers(%{{.*}}, %{{.*}}, %{{.*}}, %[[NEW]])
// CHECK: scf.yield %{{.*}}, %[[NEW]]
func.func @input(%rows: tensor<4x8xf32>, %i: tensor<1x1xi64>, %x: tensor<1x8xf32>) -> tensor<4x8xf32> attributes {dhlo.entry} {
  %go = dhlo.constant dense<true> : tensor<i1>
  %w = dhlo.while %go carries(%rows) loop_dims [] init_dims [] next_dims [] result_dims []
        : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%old: tensor<4x8xf32>):
      %next = dhlo.scatter_nd %old, %i, %x replace : (tensor<4x8xf32>, tensor<1x1xi64>, tensor<1x8xf32>) -> tensor<4x8xf32>
      %s = dhlo.reduce sum %next axes = [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
      %h = dhlo.constant dense<1.0> : tensor<f32>
      %again = dhlo.compare gt %s, %h : tensor<f32> -> tensor<i1>
      dhlo.yield %again, %next : tensor<i1>, tensor<4x8xf32>
    }
  %y = dhlo.neg %w : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// A value that the loop reads after it has been updated is in one of two arenas,
// by the parity of the iteration.

// CHECK-LABEL: func.func @dyn.entry.read_in_loop
// CHECK: scf.while
// CHECK: %[[ARENA:.*]] = arith.addi
// CHECK: %[[NEW:.*]] = dlhlo.reserve %[[ARENA]] bytes %c128
// CHECK: dlhlo.dispatch @scatter_nd dims({{.*}}) buffers(%{{.*}}, %{{.*}}, %{{.*}}, %[[NEW]])
// CHECK: scf.yield %{{.*}}, %[[NEW]]
func.func @read_in_loop(%a: tensor<4x8xf32>, %i: tensor<1x1xi64>, %x: tensor<1x8xf32>) -> tensor<4x8xf32> attributes {dhlo.entry} {
  %go = dhlo.constant dense<true> : tensor<i1>
  %rows = dhlo.exp %a : tensor<4x8xf32>
  %w = dhlo.while %go carries(%rows) loop_dims [] init_dims [] next_dims [] result_dims []
        : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%old: tensor<4x8xf32>):
      %next = dhlo.scatter_nd %old, %i, %x replace : (tensor<4x8xf32>, tensor<1x1xi64>, tensor<1x8xf32>) -> tensor<4x8xf32>
      %s = dhlo.reduce sum %old axes = [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
      %h = dhlo.constant dense<1.0> : tensor<f32>
      %again = dhlo.compare gt %s, %h : tensor<f32> -> tensor<i1>
      dhlo.yield %again, %next : tensor<i1>, tensor<4x8xf32>
    }
  %y = dhlo.neg %w : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @dyn.entry.read_behind
// CHECK: scf.while
// CHECK: %[[NEW:.*]] = dlhlo.reserve %c{{[0-9]+}} bytes %c128
// CHECK: dlhlo.dispatch @scatter_nd dims({{.*}}) buffers(%{{.*}}, %{{.*}}, %{{.*}}, %[[NEW]])
// CHECK: scf.yield %{{.*}}, %[[NEW]]
func.func @read_behind(%a: tensor<4x8xf32>, %i: tensor<1x1xi64>, %x: tensor<1x8xf32>) -> tensor<4x8xf32> attributes {dhlo.entry} {
  %go = dhlo.constant dense<true> : tensor<i1>
  %rows = dhlo.exp %a : tensor<4x8xf32>
  %w = dhlo.while %go carries(%rows) loop_dims [] init_dims [] next_dims [] result_dims []
        : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%old: tensor<4x8xf32>):
      %next = dhlo.scatter_nd %old, %i, %x replace : (tensor<4x8xf32>, tensor<1x1xi64>, tensor<1x8xf32>) -> tensor<4x8xf32>
      %s = dhlo.reduce sum %next axes = [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
      %h = dhlo.constant dense<1.0> : tensor<f32>
      %again = dhlo.compare gt %s, %h : tensor<f32> -> tensor<i1>
      dhlo.yield %again, %next : tensor<i1>, tensor<4x8xf32>
    }
  %y = dhlo.sub %w, %rows : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
