// RUN: dyn-opt %s -split-input-file -verify-diagnostics

dhlo.dim @G in [0, 1]
func.func @guess_c1() {
  // expected-error @+1 {{'dhlo.guess' op expected a key that is not empty}}
  dhlo.guess @G = "" pays_from 1
  return
}

// -----

dhlo.dim @G in [0, 1]
func.func @guess_c2() {
  // expected-error @+1 {{'dhlo.guess' op expected to pay from 0 to 1024, found 1025}}
  dhlo.guess @G = "a" pays_from 1025
  return
}

// -----

func.func @guessed_c1(%offsets: tensor<3xi64>) {
  // expected-error @+1 {{'dhlo.guessed' op expected a key that is not empty}}
  dhlo.guessed "" (%offsets, %offsets, %offsets) : tensor<3xi64>
  return
}

// -----

func.func @guessed_c2(%offsets: tensor<1xi64>) {
  // expected-error @+1 {{'dhlo.guessed' op expected a static number of at least two offsets, found 'tensor<1xi64>'}}
  dhlo.guessed "a" (%offsets, %offsets, %offsets) : tensor<1xi64>
  return
}
