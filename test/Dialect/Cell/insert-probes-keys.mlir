// RUN: dyn-opt %s -cell-insert-probes -split-input-file | FileCheck %s

// Keys and fingerprints of routers.

// A probe that stands keeps its key, and nobody else takes it; the router before it is known by it.
dhlo.dim @N
// CHECK-LABEL: func.func @taken(
// CHECK:       cell.probe "layers" %{{.*}} {label = "mine"}
// CHECK:       cell.probe "layers#2" %{{.*}} {after = "layers", fingerprint
// CHECK-NOT:   cell.probe
func.func @taken(%n: tensor<?x1xi64, #dhlo.dims<N>>) {
  %0 = cell.route(%n) key = "layers" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "layers" %0 {label = "mine"} : !cell.routes<@N, 2, @N>
  %1 = cell.route(%n) key = "layers" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  return
}

// -----

// A key that another router would have got by its number is taken; so is that of a later probe.
dhlo.dim @N
// CHECK-LABEL: func.func @numbers(
// CHECK:       cell.probe "a#2" %
// CHECK:       cell.probe "a" %
// CHECK:       cell.probe "a#3" %
// CHECK:       cell.probe "a#4" %
func.func @numbers(%n: tensor<?x1xi64, #dhlo.dims<N>>) {
  %0 = cell.route(%n) key = "a#2" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %1 = cell.route(%n) key = "a" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %2 = cell.route(%n) key = "a" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %3 = cell.route(%n) key = "a" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  return
}

// -----

// Names in locations: of a call that of the callee, of several the first that has one. Each
// function counts its routers without a name.
dhlo.dim @N
// CHECK-LABEL: func.func @first(
// CHECK:       cell.probe "callee" %
// CHECK:       cell.probe "part" %
// CHECK:       cell.probe "first.0" %
// CHECK:       cell.probe "first.1" %
// CHECK-LABEL: func.func @second(
// CHECK:       cell.probe "second.0" %
func.func @first(%n: tensor<?x1xi64, #dhlo.dims<N>>) {
  %0 = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  } loc(callsite("callee" at "caller"))
  %1 = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  } loc(fused["f.py":3:1, "part", "other"])
  %2 = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  } loc("f.py":7:1)
  %3 = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  } loc(unknown)
  return
}
func.func @second(%n: tensor<?x1xi64, #dhlo.dims<N>>) {
  %0 = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  } loc(unknown)
  return
}

// -----

// Fingerprints: the same for other weights, labels, keys and loads; another one for a
// number, an operation, the order of operands, a capacity.
dhlo.dim @N
// CHECK-LABEL: func.func @prints(
// CHECK:       cell.probe "same" %{{.*}} {fingerprint = "[[SAME:[0-9a-f]*]]"}
// CHECK:       cell.probe "weights" %{{.*}} fingerprint = "[[SAME]]"
// CHECK:       cell.probe "label" %{{.*}} fingerprint = "[[SAME]]"
// CHECK-NOT:   fingerprint = "[[SAME]]"
// CHECK:       cell.probe "number"
// CHECK-NOT:   fingerprint = "[[SAME]]"
// CHECK:       cell.probe "operation"
// CHECK-NOT:   fingerprint = "[[SAME]]"
// CHECK:       cell.probe "order"
// CHECK-NOT:   fingerprint = "[[SAME]]"
// CHECK:       cell.probe "capacity"
// CHECK-NOT:   fingerprint = "[[SAME]]"
// CHECK:       return
func.func @prints(%n: tensor<?x4xf32, #dhlo.dims<N>>) {
  %0 = cell.route(%n) key = "same" : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %c = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %b = dhlo.broadcast %c axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %h = dhlo.constant dense<0.5> : tensor<f32>
    %g = dhlo.broadcast %h axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %t = dhlo.sub %s, %b : tensor<?x4xf32, #dhlo.dims<N>>
    %u = dhlo.mul %t, %g : tensor<?x4xf32, #dhlo.dims<N>>
    %w, %id = dhlo.top_k %u axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %1 = cell.route(%n) key = "weights" : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %c = dhlo.constant dense<[1.0, 2.0, 3.0, 5.0]> : tensor<4xf32>
    %b = dhlo.broadcast %c axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %h = dhlo.constant dense<0.5> : tensor<f32>
    %g = dhlo.broadcast %h axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %t = dhlo.sub %s, %b : tensor<?x4xf32, #dhlo.dims<N>>
    %u = dhlo.mul %t, %g : tensor<?x4xf32, #dhlo.dims<N>>
    %w, %id = dhlo.top_k %u axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %2 = cell.route(%n) key = "label" : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %c = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %b = dhlo.broadcast %c axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %h = dhlo.constant dense<0.5> : tensor<f32>
    %g = dhlo.broadcast %h axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %t = dhlo.sub %s, %b : tensor<?x4xf32, #dhlo.dims<N>>
    %u = dhlo.mul %t, %g : tensor<?x4xf32, #dhlo.dims<N>>
    %w, %id = dhlo.top_k %u axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.label = "experts", dhlo.load = #dhlo.load<rows = 3, shares = [341, 683, 0, 0]>}
  %4 = cell.route(%n) key = "number" : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %c = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %b = dhlo.broadcast %c axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %h = dhlo.constant dense<0.25> : tensor<f32>
    %g = dhlo.broadcast %h axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %t = dhlo.sub %s, %b : tensor<?x4xf32, #dhlo.dims<N>>
    %u = dhlo.mul %t, %g : tensor<?x4xf32, #dhlo.dims<N>>
    %w, %id = dhlo.top_k %u axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %5 = cell.route(%n) key = "operation" : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %c = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %b = dhlo.broadcast %c axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %h = dhlo.constant dense<0.5> : tensor<f32>
    %g = dhlo.broadcast %h axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %t = dhlo.add %s, %b : tensor<?x4xf32, #dhlo.dims<N>>
    %u = dhlo.mul %t, %g : tensor<?x4xf32, #dhlo.dims<N>>
    %w, %id = dhlo.top_k %u axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %6 = cell.route(%n) key = "order" : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %c = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %b = dhlo.broadcast %c axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %h = dhlo.constant dense<0.5> : tensor<f32>
    %g = dhlo.broadcast %h axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %t = dhlo.sub %b, %s : tensor<?x4xf32, #dhlo.dims<N>>
    %u = dhlo.mul %t, %g : tensor<?x4xf32, #dhlo.dims<N>>
    %w, %id = dhlo.top_k %u axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %7 = cell.route(%n) capacity = <8> key = "capacity" : (tensor<?x4xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%s: tensor<?x4xf32, #dhlo.dims<N>>):
    %c = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %b = dhlo.broadcast %c axes = [1] : (tensor<4xf32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %h = dhlo.constant dense<0.5> : tensor<f32>
    %g = dhlo.broadcast %h axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<N>>
    %t = dhlo.sub %s, %b : tensor<?x4xf32, #dhlo.dims<N>>
    %u = dhlo.mul %t, %g : tensor<?x4xf32, #dhlo.dims<N>>
    %w, %id = dhlo.top_k %u axis = 1 largest : (tensor<?x4xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    cell.choose %id : tensor<?x1xi64, #dhlo.dims<N>>
  }
  return
}
