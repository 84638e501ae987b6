// RUN: dyn-opt %s --split-input-file --verify-diagnostics

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @launch_many_c1_kind(%x: tensor<4xf32>) {
  // expected-error @below {{expected operations 'dlhlo.launch' alone, found 'dhlo.neg'}}
  %m:2 = dlhlo.launch_many : tensor<4xf32>, tensor<4xf32> {
    %a = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = dhlo.neg %x : tensor<4xf32>
    dlhlo.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @launch_many_c1_count(%x: tensor<4xf32>) {
  // expected-error @below {{expected 2 to 64 kernels, found 1}}
  %m:1 = dlhlo.launch_many : tensor<4xf32> {
    %a = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    dlhlo.yield %a : tensor<4xf32>
  }
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @launch_many_c2(%x: tensor<4xf32>) {
  // expected-error @below {{expected launches that wait for nothing of each other, found that @copy takes a result of another}}
  %m:2 = dlhlo.launch_many : tensor<4xf32>, tensor<4xf32> {
    %a = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = dlhlo.launch @copy dims [] (%a) : (tensor<4xf32>) -> tensor<4xf32>
    dlhlo.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @launch_many_c3_order(%x: tensor<4xf32>) {
  // expected-error @below {{expected to yield the launches' results, in order}}
  %m:2 = dlhlo.launch_many : tensor<4xf32>, tensor<4xf32> {
    %a = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    dlhlo.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @launch_many_c3_types(%x: tensor<4xf32>) {
  // expected-error @below {{expected yielded values with the results' types}}
  %m:2 = dlhlo.launch_many : tensor<4xf32>, tensor<5xf32> {
    %a = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    dlhlo.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @dispatch_many_c1_kind(%x: !dlhlo.buffer, %y: !dlhlo.buffer) {
  // expected-error @below {{expected operations 'dlhlo.dispatch' alone, found 'dlhlo.check'}}
  dlhlo.dispatch_many {
    dlhlo.dispatch @copy dims () buffers (%x, %y) site_base = 0
    dlhlo.check
  }
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @dispatch_many_c1_count(%x: !dlhlo.buffer, %y: !dlhlo.buffer) {
  // expected-error @below {{expected 2 to 64 kernels, found 1}}
  dlhlo.dispatch_many {
    dlhlo.dispatch @copy dims () buffers (%x, %y) site_base = 0
  }
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @launch_many_c4(%x: tensor<4xf32>) {
  // expected-error @below {{expected the number of a chain, from 1 on, of each launch}}
  %m:2 = dlhlo.launch_many : tensor<4xf32>, tensor<4xf32> attributes {dlhlo.chains = array<i64: 1, 0>} {
    %a = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    dlhlo.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @launch_many_c4_count(%x: tensor<4xf32>) {
  // expected-error @below {{expected the number of a chain, from 1 on, of each launch}}
  %m:2 = dlhlo.launch_many : tensor<4xf32>, tensor<4xf32> attributes {dlhlo.chains = array<i64: 1>} {
    %a = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    dlhlo.yield %a, %b : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @launch_many_c2_chains(%x: tensor<4xf32>) {
  // expected-error @below {{expected launches that wait for nothing of each other, found that @copy takes a result of another}}
  %m:3 = dlhlo.launch_many : tensor<4xf32>, tensor<4xf32>, tensor<4xf32> attributes {dlhlo.chains = array<i64: 1, 1, 2>} {
    %a = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = dlhlo.launch @copy dims [] (%a) : (tensor<4xf32>) -> tensor<4xf32>
    %c = dlhlo.launch @copy dims [] (%b) : (tensor<4xf32>) -> tensor<4xf32>
    dlhlo.yield %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return
}
