// What the interpreter's side of dyn-run refuses: a message that names the option, the input or
// the file, exit status 1, and no output that is half there.

// A model has a function, of tensors alone, and the file has a model.
// RUN: echo 'module {}' > %t.empty.mlir
// RUN: not dyn-run --reference %t.empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: dyn-run: error: the module has no function
// RUN: echo 'func.func private @f(tensor<f32>)' > %t.external.mlir
// RUN: not dyn-run --reference %t.external.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: echo 'func.func @f(%%x: index) { return }' > %t.index.mlir
// RUN: not dyn-run --reference %t.index.mlir 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: dyn-run: error: expected tensors alone in the signature
// RUN: not dyn-run --reference %t.none.mlir 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: dyn-run: error: {{.*}}could not open input file {{.*}}none.mlir
// RUN: echo 'func.func @f(' > %t.syntax.mlir
// RUN: not dyn-run --reference %t.syntax.mlir 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: dyn-run: error: {{.*}}syntax.mlir":{{.*}}expected

// A dynamic size needs a name, also in a program that has nothing else of dhlo.
// RUN: echo 'func.func @f(%%x: tensor<?xf32>) -> tensor<?xf32> { return %%x : tensor<?xf32> }' > %t.sizes.mlir
// RUN: not dyn-run --reference %t.sizes.mlir --input=input0=random:2 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: sizes.mlir":1:1): input 'input0', axis 0: expected a name for the dynamic size in 'tensor<?xf32>'

// Options of compiled models.
// RUN: not dyn-run --reference %s --entry=same --input=x=random:3 --profile-raw=%t.jsonl 2>&1 | FileCheck %s --check-prefix=RAW
// RUN: not ls %t.jsonl
// RAW: dyn-run: error: --profile-raw: expected a compiled model, not --reference
// RUN: not dyn-run --reference %s --stats 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: not dyn-run --reference %s --stats=json 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: dyn-run: error: --stats: expected a compiled model, not --reference
// RUN: not dyn-run --reference %s --trace=%t.json 2>&1 | FileCheck %s --check-prefix=TRACE
// TRACE: dyn-run: error: --trace: expected a compiled model, not --reference
// RUN: not dyn-run --reference %s --threads=2 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: dyn-run: error: --threads: expected a compiled model, not --reference
// RUN: not dyn-run --reference %s --timeout-ms=5 2>&1 | FileCheck %s --check-prefix=TIMEOUT
// TIMEOUT: dyn-run: error: --timeout-ms: expected a compiled model, not --reference
// RUN: not dyn-run --reference %s --isa=v3 2>&1 | FileCheck %s --check-prefix=ISA
// ISA: dyn-run: error: --isa: expected a compiled model, not --reference
// RUN: not dyn-run --reference %s --stream-from=1 2>&1 | FileCheck %s --check-prefix=STREAM
// STREAM: dyn-run: error: --stream-from: expected a compiled model, not --reference
// RUN: not dyn-run --reference %s --gemm-library=none 2>&1 | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: dyn-run: error: --gemm-library: expected a compiled model, not --reference
// RUN: not dyn-run --reference %s --exchange-library=none 2>&1 | FileCheck %s --check-prefix=EXCHANGE
// EXCHANGE: dyn-run: error: --exchange-library: expected a compiled model, not --reference
// RUN: not dyn-run --reference %s --gemm-table=%t.txt 2>&1 | FileCheck %s --check-prefix=TABLE
// TABLE: dyn-run: error: --gemm-table: expected a compiled model, not --reference
// RUN: not dyn-run --reference %s --tune-gemms=3 2>&1 | FileCheck %s --check-prefix=TUNE
// TUNE: dyn-run: error: --tune-gemms: expected a compiled model, not --reference
// RUN: not dyn-run --reference %s --device=emu 2>&1 | FileCheck %s --check-prefix=EMU
// EMU: dyn-run: error: --device: expected a compiled model, not --reference
// RUN: not dyn-run --reference %s --device=tpu 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: dyn-run: error: --device: expected cpu, cuda or emu, found 'tpu'

// Inputs that do not fit the signature, in the runtime's words.
// RUN: not dyn-run --reference %s --entry=same 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: dyn-run: error: input 'x' is missing: expected tensor<?xf32, #dhlo.dims<N>>
// RUN: not dyn-run --reference %s --entry=same --input=x=random:3x4 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: input 'x': expected rank 1, f32[N], got rank 2
// RUN: not dyn-run --reference %s --entry=same --input=x=random: 2>&1 | FileCheck %s --check-prefix=NO-SIZES
// NO-SIZES: input 'x': expected rank 1, f32[N], got rank 0
// RUN: not dyn-run --reference %s --entry=same --input=x=random:0 2>&1 | FileCheck %s --check-prefix=LOW
// LOW: input 'x', axis 0: expected N in [2, 8], got 0
// RUN: not dyn-run --reference %s --entry=same --input=x=random:3 2>&1 | FileCheck %s --check-prefix=MULTIPLE
// MULTIPLE: input 'x', axis 0: expected N to be a multiple of 2, got 3
// RUN: not dyn-run --reference %s --entry=both --input=x=random:2 --input=y=random:4 2>&1 | FileCheck %s --check-prefix=AGREE
// AGREE: input 'y', axis 0: expected N = 2 as in input 'x', axis 0, got 4
// RUN: not dyn-run --reference %s --entry=fixed --input=x=random:2 2>&1 | FileCheck %s --check-prefix=STATIC
// STATIC: input 'x', axis 0: expected {{.*}}3{{.*}}got 2

// Texts of random inputs.
// RUN: not dyn-run --reference %s --entry=same --input==random:2 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: dyn-run: error: --input =random:2: expected NAME=FILE.npy or NAME=random:SIZES
// RUN: not dyn-run --reference %s --entry=same --input=x=random:-2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: dyn-run: error: --input x=random:-2: expected sizes such as 1x3x224x224, got '-2'
// RUN: not dyn-run --reference %s --entry=same --input=x=random:2:a:b 2>&1 | FileCheck %s --check-prefix=LETTERS
// LETTERS: expected a range LO:HI with LO < HI, got 'a:b'
// RUN: not dyn-run --reference %s --entry=same --input=x=random:2:nan:1 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: expected a range LO:HI with LO < HI, got 'nan:1'

// Ranges hold numbers of the input's type: elements beyond it would be infinite, or whatever a
// conversion that C++ does not define makes of them.
// RUN: not dyn-run --reference %s --entry=same --input=x=random:2:1:inf 2>&1 | FileCheck %s --check-prefix=INFINITE
// INFINITE: --input x=random:2:1:inf: expected a range of finite numbers of f32, got '1:inf'
// RUN: not dyn-run --reference %s --entry=same --input=x=random:2:-inf:1 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: expected a range of finite numbers of f32, got '-inf:1'
// RUN: not dyn-run --reference %s --entry=same --input=x=random:2:0:1e39 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: expected a range of finite numbers of f32, got '0:1e39'
// RUN: not dyn-run --reference %s --entry=wide --input=x=random:2:-1e308:1e308 2>&1 | FileCheck %s --check-prefix=LENGTH
// LENGTH: expected a range of finite numbers of f64, got '-1e308:1e308'
// RUN: not dyn-run --reference %s --entry=bytes --input=i=random:2:0:257 2>&1 | FileCheck %s --check-prefix=BYTE
// BYTE: expected a range of finite numbers of u8, got '0:257'
// RUN: not dyn-run --reference %s --entry=bytes --input=i=random:2:-1:2 2>&1 | FileCheck %s --check-prefix=SIGN
// SIGN: expected a range of finite numbers of u8, got '-1:2'
// RUN: not dyn-run --reference %s --entry=half --input=i=random:2:0.5:1.5 2>&1 | FileCheck %s --check-prefix=FRACTION
// FRACTION: expected a range of finite numbers of i64, got '0.5:1.5'
// RUN: dyn-run --reference %s --entry=bytes --input=i=random:2:255:256 | FileCheck %s --check-prefix=MOST
// MOST: = 255 255

// The last one of several --input of a name counts.
// RUN: dyn-run --reference %s --entry=same --input=x=random:8 --input=x=random:2:5:5.0000001 | FileCheck %s --check-prefix=LAST
// LAST: same: f32[2] = 5 5

// A data error is the result of the call: nothing is printed and nothing written, though other
// results are fine.
// RUN: rm -f %t.npz
// RUN: not dyn-run --reference %s --entry=half --input=i=random:2:0:1 --output %t.npz 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: not ls %t.npz
// DATA: dyn-run: error: dhlo.rem at {{.*}}dyn-run-reference-errors.mlir":{{.*}}: integer division by zero
// DATA-NOT: =

// Calls after the first one have the same result; no count is a call, too.
// RUN: dyn-run --reference %s --entry=same --input=x=random:2:5:5.0000001 --repeat=3 | FileCheck %s --check-prefix=REPEAT
// REPEAT: first call: {{.*}} of 2
// REPEAT: same: f32[2] = 5 5
// RUN: dyn-run --reference %s --entry=same --input=x=random:2:5:5.0000001 --repeat=0 | FileCheck %s --check-prefix=ZERO
// ZERO-NOT: first call
// ZERO: same: f32[2] = 5 5

dhlo.dim @N in [2, 8] multiple_of 2

func.func @same(%x: tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "x"})
    -> (tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "same"}) {
  return %x : tensor<?xf32, #dhlo.dims<N>>
}

func.func @both(%x: tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "x"},
                %y: tensor<?xf32, #dhlo.dims<N>> {dhlo.name = "y"}) -> tensor<?xf32, #dhlo.dims<N>> {
  %0 = dhlo.add %x, %y : tensor<?xf32, #dhlo.dims<N>>
  return %0 : tensor<?xf32, #dhlo.dims<N>>
}

func.func @fixed(%x: tensor<3xf32> {dhlo.name = "x"}) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}

func.func @half(%i: tensor<2xi64> {dhlo.name = "i"})
    -> (tensor<2xi64> {dhlo.name = "good"}, tensor<2xi64> {dhlo.name = "bad"}) {
  %0 = dhlo.add %i, %i : tensor<2xi64>
  %1 = dhlo.rem %i, %i : tensor<2xi64>
  return %0, %1 : tensor<2xi64>, tensor<2xi64>
}

func.func @wide(%x: tensor<2xf64> {dhlo.name = "x"}) -> tensor<2xf64> {
  return %x : tensor<2xf64>
}

func.func @bytes(%i: tensor<2xui8> {dhlo.name = "i"}) -> tensor<2xui8> {
  return %i : tensor<2xui8>
}
