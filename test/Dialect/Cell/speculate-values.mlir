// Whatever is predicted, results have the bits of the program without predictions, which `sed` makes.
// Here a router of two choices is before one of the best score, and an early exit is inside of a path.
// RUN: sed -e 's/ {cell.speculate.*}//' %s > %t.plain.mlir
// RUN: dyn-compile %t.plain.mlir --isa=v3 -o %t.plain.so
// RUN: dyn-run %t.plain.so --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --output %t.npz
// RUN: dyn-run %t.plain.so --input x=random:0x20 --input ids=random:0x2:-1:3 --output %t.0.npz
// RUN: dyn-run --reference %t.plain.mlir --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --output %t.meaning.npz

// RUN: sed -e 's/FIRST/majority, share = 9, paths = [0]/' -e 's/INNER/0/' -e 's/SECOND/majority, share = 9, paths = [1]/' %s > %t.0.mlir
// RUN: dyn-compile %t.0.mlir --isa=v3 -o %t.0.so 2>&1 | FileCheck %s
// RUN: dyn-run %t.0.so --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.npz --tolerance 0
// RUN: dyn-run %t.0.so --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.npz --tolerance 0 --threads=3
// RUN: dyn-run %t.0.so --input x=random:0x20 --input ids=random:0x2:-1:3 --check %t.0.npz
// RUN: dyn-opt %t.0.mlir -cell-insert-probes -cell-speculate -o %t.0.rewritten.mlir
// RUN: dyn-run --reference %t.0.rewritten.mlir --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.meaning.npz --tolerance 0

// RUN: sed -e 's/FIRST/majority, share = 9, paths = [2]/' -e 's/INNER/1/' -e 's/SECOND/after of "first", share = 9, paths = [1, 0, 1]/' %s > %t.1.mlir
// RUN: dyn-compile %t.1.mlir --isa=v3 -o %t.1.so 2>&1 | FileCheck %s
// RUN: dyn-run %t.1.so --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.npz --tolerance 0
// RUN: dyn-run %t.1.so --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.npz --tolerance 0 --threads=3
// RUN: dyn-run %t.1.so --input x=random:0x20 --input ids=random:0x2:-1:3 --check %t.0.npz
// RUN: dyn-opt %t.1.mlir -cell-insert-probes -cell-speculate -o %t.1.rewritten.mlir
// RUN: dyn-run --reference %t.1.rewritten.mlir --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.meaning.npz --tolerance 0

// RUN: sed -e 's/FIRST/majority, share = 9, paths = [2, 1]/' -e 's/INNER/0/' -e 's/SECOND/after of "first", share = 9, paths = [0, 0, 0]/' %s > %t.2.mlir
// RUN: dyn-compile %t.2.mlir --isa=v3 -o %t.2.so 2>&1 | FileCheck %s
// RUN: dyn-run %t.2.so --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.npz --tolerance 0
// RUN: dyn-run %t.2.so --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.npz --tolerance 0 --threads=3
// RUN: dyn-run %t.2.so --input x=random:0x20 --input ids=random:0x2:-1:3 --check %t.0.npz
// RUN: dyn-opt %t.2.mlir -cell-insert-probes -cell-speculate -o %t.2.rewritten.mlir
// RUN: dyn-run --reference %t.2.rewritten.mlir --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.meaning.npz --tolerance 0

// RUN: sed -e 's/FIRST/majority, share = 9, paths = [1, 2, 0]/' -e 's/INNER/1/' -e 's/SECOND/majority, share = 9, paths = [0, 1]/' %s > %t.3.mlir
// RUN: dyn-compile %t.3.mlir --isa=v3 -o %t.3.so 2>&1 | FileCheck %s
// RUN: dyn-run %t.3.so --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.npz --tolerance 0
// RUN: dyn-run %t.3.so --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.npz --tolerance 0 --threads=3
// RUN: dyn-run %t.3.so --input x=random:0x20 --input ids=random:0x2:-1:3 --check %t.0.npz
// RUN: dyn-opt %t.3.mlir -cell-insert-probes -cell-speculate -o %t.3.rewritten.mlir
// RUN: dyn-run --reference %t.3.rewritten.mlir --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.meaning.npz --tolerance 0

// RUN: sed -e 's/FIRST/majority, share = 9, paths = [2]/' -e 's/INNER/0/' -e 's/SECOND/early, share = 9/' %s > %t.4.mlir
// RUN: dyn-compile %t.4.mlir --isa=v3 -o %t.4.so 2>&1 | FileCheck %s
// RUN: dyn-run %t.4.so --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.npz --tolerance 0
// RUN: dyn-run %t.4.so --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.npz --tolerance 0 --threads=3
// RUN: dyn-run %t.4.so --input x=random:0x20 --input ids=random:0x2:-1:3 --check %t.0.npz
// RUN: dyn-opt %t.4.mlir -cell-insert-probes -cell-speculate -o %t.4.rewritten.mlir
// RUN: dyn-run --reference %t.4.rewritten.mlir --input x=random:37x20 --input ids=random:37x2:-1:3 --seed=3 --check %t.meaning.npz --tolerance 0

// CHECK-COUNT-3: remark: paths run by a prediction before this router has chosen

dhlo.dim @N in [0, 512]
dhlo.dim @R = 2 * @N
dhlo.dim @K0
dhlo.dim @K1
dhlo.dim @K2
dhlo.dim @L0
dhlo.dim @L1
dhlo.dim @M0
dhlo.dim @M1

func.func @main(%x: tensor<?x20xf32, #dhlo.dims<N>> {dhlo.name = "x"}, %ids: tensor<?x2xi64, #dhlo.dims<N>> {dhlo.name = "ids"})
    -> (tensor<?x20xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w = dhlo.rng normal low = 0.0 high = 0.25 stream = 1 seed = 1 : tensor<20x20xf32>
  %g = dhlo.rng normal low = 0.0 high = 1.0 stream = 2 seed = 1 : tensor<20xf32>
  // Paths that differ, two rows a cell, and cells without a path.
  %r = cell.route(%ids) key = "first" : (tensor<?x2xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @R> {
  ^bb0(%i: tensor<?x2xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x2xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<FIRST>}
  %rows = cell.dispatch %x, %r : (tensor<?x20xf32, #dhlo.dims<N>>, !cell.routes<@N, 3, @R>) -> tensor<?x20xf32, #dhlo.dims<R>>
  %y = cell.switch %r counts [@K0, @K1, @K2] (%rows) : (!cell.routes<@N, 3, @R>, tensor<?x20xf32, #dhlo.dims<R>>) -> tensor<?x20xf32, #dhlo.dims<R>> {
  ^bb0(%a: tensor<?x20xf32, #dhlo.dims<K0>>):
    %0 = dhlo.dot_general %a, %w batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x20xf32, #dhlo.dims<K0>>, tensor<20x20xf32>) -> tensor<?x20xf32, #dhlo.dims<K0>>
    %1 = dhlo.rms_norm %0, %g axis = 1 eps = 1.0e-5 : (tensor<?x20xf32, #dhlo.dims<K0>>, tensor<20xf32>) -> tensor<?x20xf32, #dhlo.dims<K0>>
    dhlo.yield %1 : tensor<?x20xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x20xf32, #dhlo.dims<K1>>):
    %0 = dhlo.gelu erf %a : tensor<?x20xf32, #dhlo.dims<K1>>
    dhlo.yield %0 : tensor<?x20xf32, #dhlo.dims<K1>>
  }, {
  // An early exit inside of a path.
  ^bb0(%a: tensor<?x20xf32, #dhlo.dims<K2>>):
    %e = cell.route(%a) key = "exit" : (tensor<?x20xf32, #dhlo.dims<K2>>) -> !cell.routes<@K2, 2, @K2> {
    ^bb0(%b: tensor<?x20xf32, #dhlo.dims<K2>>):
      %n = dhlo.slice %b starts = [0, 0] strides = [1, 1] : (tensor<?x20xf32, #dhlo.dims<K2>>) -> tensor<?x2xf32, #dhlo.dims<K2>>
      %best, %i = dhlo.top_k %n axis = 1 largest : (tensor<?x2xf32, #dhlo.dims<K2>>) -> (tensor<?x1xf32, #dhlo.dims<K2>>, tensor<?x1xi64, #dhlo.dims<K2>>)
      cell.choose %i : tensor<?x1xi64, #dhlo.dims<K2>>
    } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [INNER]>}
    %c = cell.dispatch %a, %e : (tensor<?x20xf32, #dhlo.dims<K2>>, !cell.routes<@K2, 2, @K2>) -> tensor<?x20xf32, #dhlo.dims<K2>>
    %d = cell.switch %e counts [@L0, @L1] (%c) : (!cell.routes<@K2, 2, @K2>, tensor<?x20xf32, #dhlo.dims<K2>>) -> tensor<?x20xf32, #dhlo.dims<K2>> {
    ^bb0(%f: tensor<?x20xf32, #dhlo.dims<L0>>):
      dhlo.yield %f : tensor<?x20xf32, #dhlo.dims<L0>>
    }, {
    ^bb0(%f: tensor<?x20xf32, #dhlo.dims<L1>>):
      %0 = dhlo.dot_general %f, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x20xf32, #dhlo.dims<L1>>, tensor<20x20xf32>) -> tensor<?x20xf32, #dhlo.dims<L1>>
      dhlo.yield %0 : tensor<?x20xf32, #dhlo.dims<L1>>
    }
    %h = cell.combine %d, %e last : (tensor<?x20xf32, #dhlo.dims<K2>>, !cell.routes<@K2, 2, @K2>) -> tensor<?x20xf32, #dhlo.dims<K2>>
    dhlo.yield %h : tensor<?x20xf32, #dhlo.dims<K2>>
  }
  %z = cell.combine %y, %r sum : (tensor<?x20xf32, #dhlo.dims<R>>, !cell.routes<@N, 3, @R>) -> tensor<?x20xf32, #dhlo.dims<N>>

  // Paths that are stacked, with a weight of each cell and a priority.
  %s = cell.route(%z, %w) key = "second" : (tensor<?x20xf32, #dhlo.dims<N>>, tensor<20x20xf32>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%b: tensor<?x20xf32, #dhlo.dims<N>>, %v: tensor<20x20xf32>):
    %m = dhlo.dot_general %b, %v batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x20xf32, #dhlo.dims<N>>, tensor<20x20xf32>) -> tensor<?x20xf32, #dhlo.dims<N>>
    %n = dhlo.slice %m starts = [0, 0] strides = [1, 1] : (tensor<?x20xf32, #dhlo.dims<N>>) -> tensor<?x2xf32, #dhlo.dims<N>>
    %best, %i = dhlo.top_k %n axis = 1 largest : (tensor<?x2xf32, #dhlo.dims<N>>) -> (tensor<?x1xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<N>>)
    %p = dhlo.reshape %best : (tensor<?x1xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
    cell.choose %i weights(%best : tensor<?x1xf32, #dhlo.dims<N>>) priorities(%p : tensor<?xf32, #dhlo.dims<N>>) : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.speculate = #cell.prediction<SECOND>}
  %more = cell.dispatch %z, %s : (tensor<?x20xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x20xf32, #dhlo.dims<N>>
  %u = cell.switch %s counts [@M0, @M1] (%more) : (!cell.routes<@N, 2, @N>, tensor<?x20xf32, #dhlo.dims<N>>) -> tensor<?x20xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x20xf32, #dhlo.dims<M0>>):
    %v = dhlo.rng normal low = 0.0 high = 0.25 stream = 3 seed = 1 : tensor<20x20xf32>
    %0 = dhlo.dot_general %a, %v batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x20xf32, #dhlo.dims<M0>>, tensor<20x20xf32>) -> tensor<?x20xf32, #dhlo.dims<M0>>
    dhlo.yield %0 : tensor<?x20xf32, #dhlo.dims<M0>>
  }, {
  ^bb0(%a: tensor<?x20xf32, #dhlo.dims<M1>>):
    %v = dhlo.rng normal low = 0.0 high = 0.25 stream = 4 seed = 1 : tensor<20x20xf32>
    %0 = dhlo.dot_general %a, %v batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x20xf32, #dhlo.dims<M1>>, tensor<20x20xf32>) -> tensor<?x20xf32, #dhlo.dims<M1>>
    dhlo.yield %0 : tensor<?x20xf32, #dhlo.dims<M1>>
  }
  %o = cell.combine %u, %s, %z sum : (tensor<?x20xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>, tensor<?x20xf32, #dhlo.dims<N>>) -> tensor<?x20xf32, #dhlo.dims<N>>
  return %o : tensor<?x20xf32, #dhlo.dims<N>>
}
