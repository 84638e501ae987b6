// On a device a router and a path that take long on few multiprocessors run beside each other.
// RUN: dyn-opt %s -cell-choose-rules=device -verify-diagnostics=only-expected -mlir-print-local-scope | FileCheck %s
// With one multiprocessor one of them waits for the other.
// RUN: echo '{"gpu": {"multiprocessors": 1}}' > %t.json
// RUN: dyn-opt %s -cell-choose-rules="device target-info=%t.json" 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: on devices, router 'slow': leave: not speculated: majority (path 1), right for 97.7 %

dhlo.dim @N
dhlo.dim @K0
dhlo.dim @K1

// CHECK: cell.rules = [{router = "slow", rule = "speculate", why = "speculated by majority (path 1)
func.func @main(%s: tensor<?x48000xf32, #dhlo.dims<N>>) {
  // CHECK: cell.pays_from = 31 : i64, {{.*}}cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>
  // expected-remark @+1 {{on devices, router 'slow': speculate: speculated by majority (path 1), right for 97.7 %}}
  %0 = cell.route(%s) key = "slow" : (tensor<?x48000xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%c: tensor<?x48000xf32, #dhlo.dims<N>>):
    %c0, %c1 = dhlo.sort %c axis = 1 : tensor<?x48000xf32, #dhlo.dims<N>>, tensor<?x48000xi64, #dhlo.dims<N>>
    %a = dhlo.arg_reduce max %c0 axis = 1 : (tensor<?x48000xf32, #dhlo.dims<N>>) -> tensor<?xi64, #dhlo.dims<N>>
    %i = dhlo.reshape %a : (tensor<?xi64, #dhlo.dims<N>>) -> tensor<?x1xi64, #dhlo.dims<N>>
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  } {cell.predictions = [#cell.prediction<majority, share = 1000, paths = [1]>],
     dhlo.load = #dhlo.load<rows = 1, shares = [24, 1000]>}
  cell.probe "slow" %0 : !cell.routes<@N, 2, @N>
  %r = cell.dispatch %s, %0 : (tensor<?x48000xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x48000xf32, #dhlo.dims<N>>
  %y = cell.switch %0 counts [@K0, @K1] (%r) : (!cell.routes<@N, 2, @N>, tensor<?x48000xf32, #dhlo.dims<N>>) -> tensor<?x48000xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x48000xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?x48000xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x48000xf32, #dhlo.dims<K1>>):
    %c0, %c1 = dhlo.sort %a axis = 1 : tensor<?x48000xf32, #dhlo.dims<K1>>, tensor<?x48000xi64, #dhlo.dims<K1>>
    dhlo.yield %c0 : tensor<?x48000xf32, #dhlo.dims<K1>>
  }
  return
}
