// RUN: mkdir -p %t
// RUN: dyn-opt %s -cell-apply-profile=file=%S/Inputs/profile.json -verify-diagnostics=only-expected | FileCheck %s
// RUN: dyn-opt %s -cell-apply-profile=file=%S/Inputs/profile.json 2>&1 | FileCheck %s --check-prefix=WARN

// Shares are in 1024ths and sum to 1024; the largest remainders get the rest.

// WARN-DAG: warning: {{.*}}profile.json: router 'damaged': window 0: expected a load of 2 paths, found 3
// WARN-DAG: warning: {{.*}}profile.json: router 'elsewhere': the program has none

dhlo.dim @N

// CHECK-LABEL: func.func @main(
func.func @main(%n: tensor<?x1xi64, #dhlo.dims<N>>) {
  // expected-remark @+2 {{router 'matched': 12 rows of 4 calls in the profile}}
  // CHECK: cell.route(%arg0) key = "matched" {{.*}} -> !cell.routes<@N, 3, @N> {
  %0 = cell.route(%n) key = "matched" : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  // CHECK: {{\{.*}}dhlo.load = #dhlo.load<rows = 3, shares = [341, 683, 0]>}
  cell.probe "matched" %0 {fingerprint = "aa"} : !cell.routes<@N, 3, @N>
  // expected-warning @+1 {{router 'paths' of the profile is refused: paths: 5 in the program, 3 in}}
  %1 = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 5, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  // CHECK-NOT: dhlo.load
  cell.probe "paths" %1 {fingerprint = "aa"} : !cell.routes<@N, 5, @N>
  // expected-warning @+1 {{router 'fingerprint' of the profile is refused: fingerprint: 'ab' in the program, 'aa' in}}
  %2 = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "fingerprint" %2 {fingerprint = "ab"} : !cell.routes<@N, 3, @N>
  // expected-remark @+1 {{router 'new': not in the profile}}
  %3 = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "new" %3 {fingerprint = "ab"} : !cell.routes<@N, 3, @N>
  // expected-remark @+1 {{router 'empty': no rows in the profile}}
  %4 = cell.route(%n) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%a: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %a : tensor<?x1xi64, #dhlo.dims<N>>
  }
  cell.probe "empty" %4 {fingerprint = "aa"} : !cell.routes<@N, 3, @N>
  return
}
