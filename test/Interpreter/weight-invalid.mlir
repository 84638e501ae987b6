// RUN: rm -rf %t && mkdir -p %t/model && printf 'abcdefgh' > %t/model/w.bin && cp %t/model/w.bin %t/out.bin
// RUN: dyn-opt %s --dhlo-interpret=weights=%t/model -split-input-file -verify-diagnostics -o /dev/null
// A model says names and offsets of weights: none may lead out of its folder or file.

func.func @parent() {
  // expected-error @+1 {{'dhlo.weight' op weights in '../out.bin': the name leaves the model's folder}}
  %0 = dhlo.weight <"../out.bin", offset = 0, length = 4, key = "w"> : tensor<f32>
  return
}

// -----

func.func @absolute() {
  // expected-error @+1 {{'dhlo.weight' op weights in '/etc/hostname': the name leaves the model's folder}}
  %0 = dhlo.weight <"/etc/hostname", offset = 0, length = 4, key = "w"> : tensor<f32>
  return
}

// -----

func.func @nothing() {
  // expected-error @+1 {{'dhlo.weight' op weights in '': expected the name of a file}}
  %0 = dhlo.weight <"", offset = 0, length = 4, key = "w"> : tensor<f32>
  return
}

// -----

func.func @beyond() {
  // expected-error @+1 {{'dhlo.weight' op weights in 'w.bin': expected 8 bytes at offset 1, and the file has 8}}
  %0 = dhlo.weight <"w.bin", offset = 1, length = 8, key = "w"> : tensor<2xf32>
  return
}

// -----

// The end of the bytes does not wrap around.
func.func @wraps() {
  // expected-error @+1 {{'dhlo.weight' op weights in 'w.bin': expected 4 bytes at offset 18446744073709551613, and the file has 8}}
  %0 = dhlo.weight <"w.bin", offset = 18446744073709551613, length = 4, key = "w"> : tensor<f32>
  return
}

// -----

func.func @folder() {
  // expected-error @+1 {{'dhlo.weight' op weights in '.': }}
  %0 = dhlo.weight <".", offset = 0, length = 4, key = "w"> : tensor<f32>
  return
}
