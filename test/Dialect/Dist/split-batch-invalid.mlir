// RUN: dyn-opt %s -split-input-file -verify-diagnostics --dist-split-batch

// expected-error @+1 {{micro-batches: expected the batch, a size of an input, to be dynamic}}
func.func @static(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dist.micro_batches = 2 : i64} {
  %0 = dhlo.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

dhlo.dim @B
func.func @mixes(%x: tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x4xf32, #dhlo.dims<B>>
    attributes {dist.micro_batches = 2 : i64} {
  %0 = dhlo.tanh %x : tensor<?x4xf32, #dhlo.dims<B>>
  // expected-error @+1 {{'dhlo.softmax' op micro-batches: expected rows to be computed apart, found that they are read together along axis 0 of an operand}}
  %1 = dhlo.softmax %0 axis = 0 : tensor<?x4xf32, #dhlo.dims<B>>
  return %1 : tensor<?x4xf32, #dhlo.dims<B>>
}

// -----

dhlo.dim @B
func.func @both(%x: tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x?xf32, #dhlo.dims<B, B>>
    attributes {dist.micro_batches = 2 : i64} {
  // expected-error @+1 {{'dhlo.dot_general' op micro-batches: expected rows to be computed apart}}
  %0 = dhlo.dot_general %x, %x batch = 0 lhs_contract = [1] rhs_contract = [1]
      : (tensor<?x4xf32, #dhlo.dims<B>>, tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x?xf32, #dhlo.dims<B, B>>
  return %0 : tensor<?x?xf32, #dhlo.dims<B, B>>
}

// -----

dhlo.dim @B
func.func @size(%x: tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x4x?xf32, #dhlo.dims<B, B>>
    attributes {dist.micro_batches = 2 : i64} {
  // expected-error @+1 {{'dhlo.broadcast' op micro-batches: expected sizes that do not depend on the batch @B, but for multiples of it along axis 0}}
  %0 = dhlo.broadcast %x axes = [0, 1] : (tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x4x?xf32, #dhlo.dims<B, B>>
  return %0 : tensor<?x4x?xf32, #dhlo.dims<B, B>>
}

// -----

// expected-error @+1 {{micro-batches: expected a function of one block}}
func.func private @declared(tensor<4xf32>) attributes {dist.micro_batches = 2 : i64}

// -----

dhlo.dim @B
// expected-error @+1 {{micro-batches: expected a result with rows of the batch @B}}
func.func @unused(%x: tensor<?xi64, #dhlo.dims<B>>) -> tensor<2xf32> attributes {dist.micro_batches = 2 : i64} {
  %0 = dhlo.constant dense<1.0> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Values that a contraction makes are not computed of the whole batch for a mask.
dhlo.dim @B
func.func @late(%x: tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x4xi1, #dhlo.dims<B>>
    attributes {dist.micro_batches = 2 : i64} {
  %0 = dhlo.convert %x : (tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x4xi1, #dhlo.dims<B>>
  %1 = dhlo.tanh %x : tensor<?x4xf32, #dhlo.dims<B>>
  %2 = dhlo.convert %1 : (tensor<?x4xf32, #dhlo.dims<B>>) -> tensor<?x4xi1, #dhlo.dims<B>>
  // expected-error @+1 {{'dhlo.reverse' op micro-batches: expected rows to be computed apart, found that they are read together along axis 0 of an operand}}
  %3 = dhlo.reverse %2 axes = [0] : tensor<?x4xi1, #dhlo.dims<B>>
  %4 = dhlo.and %0, %3 : tensor<?x4xi1, #dhlo.dims<B>>
  return %4 : tensor<?x4xi1, #dhlo.dims<B>>
}

// -----

dhlo.dim @B
func.func @capacity(%x: tensor<?x1xi64, #dhlo.dims<B>>) -> tensor<?x1xi64, #dhlo.dims<B>>
    attributes {dist.micro_batches = 2 : i64} {
  // expected-error @+1 {{'cell.route' op micro-batches: expected cells to be routed apart, found a capacity or priorities}}
  %r = cell.route(%x) capacity = <4> : (tensor<?x1xi64, #dhlo.dims<B>>) -> !cell.routes<@B, 2, @B> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<B>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<B>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 2, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  %y = cell.combine %rows, %r last : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 2, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  return %y : tensor<?x1xi64, #dhlo.dims<B>>
}

// -----

dhlo.dim @B
func.func @choices(%x: tensor<?x1xi64, #dhlo.dims<B>>) -> tensor<?x1xi64, #dhlo.dims<B>>
    attributes {dist.micro_batches = 2 : i64} {
  // expected-error @+1 {{'cell.route' op micro-batches: expected cells to be routed apart, found choices that may depend on others}}
  %r = cell.route(%x) : (tensor<?x1xi64, #dhlo.dims<B>>) -> !cell.routes<@B, 2, @B> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<B>>):
    %0 = dhlo.reverse %i axes = [0] : tensor<?x1xi64, #dhlo.dims<B>>
    cell.choose %0 : tensor<?x1xi64, #dhlo.dims<B>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 2, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  %y = cell.combine %rows, %r last : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 2, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  return %y : tensor<?x1xi64, #dhlo.dims<B>>
}

// -----

dhlo.dim @B
func.func @multiples(%x: tensor<?x1xi64, #dhlo.dims<B>>, %n: tensor<?xf32, #dhlo.dims<B>>) -> tensor<?x1xi64, #dhlo.dims<B>>
    attributes {dist.micro_batches = 2 : i64} {
  // expected-error @+1 {{'cell.route' op micro-batches: expected sizes that are multiples of the batch}}
  %r = cell.route(%x, %n) : (tensor<?x1xi64, #dhlo.dims<B>>, tensor<?xf32, #dhlo.dims<B>>) -> !cell.routes<@B, 2, @B> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<B>>, %m: tensor<?xf32, #dhlo.dims<B>>):
    %0 = dhlo.broadcast %m axes = [0] : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<?x?xf32, #dhlo.dims<B, B>>
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<B>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 2, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  %y = cell.combine %rows, %r last : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 2, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  return %y : tensor<?x1xi64, #dhlo.dims<B>>
}

// -----

dhlo.dim @B
func.func @rows(%x: tensor<?x1xi64, #dhlo.dims<B>>) -> tensor<?x1xi64, #dhlo.dims<B>>
    attributes {dist.micro_batches = 2 : i64} {
  %r = cell.route(%x) : (tensor<?x1xi64, #dhlo.dims<B>>) -> !cell.routes<@B, 2, @B> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<B>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<B>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 2, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  // expected-error @+1 {{'dhlo.reverse' op micro-batches: expected rows of paths to be computed apart: it mixes rows}}
  %0 = dhlo.reverse %rows axes = [0] : tensor<?x1xi64, #dhlo.dims<B>>
  %y = cell.combine %0, %r last : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 2, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  return %y : tensor<?x1xi64, #dhlo.dims<B>>
}

// -----

dhlo.dim @B
dhlo.dim @K
func.func @path(%x: tensor<?x1xi64, #dhlo.dims<B>>) -> tensor<?x1xi64, #dhlo.dims<B>>
    attributes {dist.micro_batches = 2 : i64} {
  %r = cell.route(%x) : (tensor<?x1xi64, #dhlo.dims<B>>) -> !cell.routes<@B, 1, @B> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<B>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<B>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 1, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  // expected-error @+1 {{'cell.switch' op micro-batches: expected rows to be computed apart, found a path that may read several}}
  %0 = cell.switch %r counts [@K] (%rows)
      : (!cell.routes<@B, 1, @B>, tensor<?x1xi64, #dhlo.dims<B>>) -> tensor<?x1xi64, #dhlo.dims<B>> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<K>>):
    %1 = dhlo.reverse %a axes = [0] : tensor<?x1xi64, #dhlo.dims<K>>
    dhlo.yield %1 : tensor<?x1xi64, #dhlo.dims<K>>
  }
  %y = cell.combine %0, %r last : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 1, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  return %y : tensor<?x1xi64, #dhlo.dims<B>>
}

// -----

dhlo.dim @B
dhlo.dim @K
func.func @sizes(%x: tensor<?x1xi64, #dhlo.dims<B>>) -> tensor<?x1xi64, #dhlo.dims<B>>
    attributes {dist.micro_batches = 2 : i64} {
  %r = cell.route(%x) : (tensor<?x1xi64, #dhlo.dims<B>>) -> !cell.routes<@B, 1, @B> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<B>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<B>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 1, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  // expected-error @+1 {{'cell.switch' op micro-batches: expected paths that do not depend on the batch}}
  %0 = cell.switch %r counts [@K] (%rows)
      : (!cell.routes<@B, 1, @B>, tensor<?x1xi64, #dhlo.dims<B>>) -> tensor<?x1xi64, #dhlo.dims<B>> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<K>>):
    %1 = dhlo.from_dims [@B] : tensor<1xi64>
    %2 = dhlo.broadcast %1 axes = [1] : (tensor<1xi64>) -> tensor<?x1xi64, #dhlo.dims<K>>
    dhlo.yield %2 : tensor<?x1xi64, #dhlo.dims<K>>
  }
  %y = cell.combine %0, %r last : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 1, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  return %y : tensor<?x1xi64, #dhlo.dims<B>>
}

// -----

dhlo.dim @B
func.func @two(%x: tensor<?x1xi64, #dhlo.dims<B>>) -> tensor<?x1xi64, #dhlo.dims<B>>
    attributes {dist.micro_batches = 2 : i64} {
  %r = cell.route(%x) : (tensor<?x1xi64, #dhlo.dims<B>>) -> !cell.routes<@B, 2, @B> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<B>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<B>>
  }
  %q = cell.route(%x) : (tensor<?x1xi64, #dhlo.dims<B>>) -> !cell.routes<@B, 2, @B> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<B>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<B>>
  }
  %a = cell.dispatch %x, %r : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 2, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  %b = cell.dispatch %x, %q : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 2, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  // expected-error @+1 {{'dhlo.add' op micro-batches: expected rows of paths to be computed apart: it reads other rows than those of cells}}
  %c = dhlo.add %a, %b : tensor<?x1xi64, #dhlo.dims<B>>
  %y = cell.combine %c, %r last : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 2, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  %z = cell.combine %c, %q last : (tensor<?x1xi64, #dhlo.dims<B>>, !cell.routes<@B, 2, @B>) -> tensor<?x1xi64, #dhlo.dims<B>>
  %s = dhlo.add %y, %z : tensor<?x1xi64, #dhlo.dims<B>>
  return %s : tensor<?x1xi64, #dhlo.dims<B>>
}

// -----

// Nothing says which rows of the last states come from which of the gates.
dhlo.dim @T
dhlo.dim @B
func.func @last(%gates: tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, %r: tensor<1x2x8xf32>)
    -> tensor<1x?x2xf32, #dhlo.dims<B>> attributes {dist.micro_batches = 2 : i64} {
  // expected-error @+1 {{'dhlo.lstm' op micro-batches: expected rows to be computed apart, found that they are read together along axis 0 of an operand}}
  %y, %h, %c = dhlo.lstm forward %gates, %r : (tensor<?x?x1x8xf32, #dhlo.dims<T, B>>, tensor<1x2x8xf32>)
      -> (tensor<?x1x?x2xf32, #dhlo.dims<T, B>>, tensor<1x?x2xf32, #dhlo.dims<B>>, tensor<1x?x2xf32, #dhlo.dims<B>>)
  return %h : tensor<1x?x2xf32, #dhlo.dims<B>>
}
