// Kernels with matmuls of bf16 have code of v4-bf16 and v4-amx, those of f16 and f32
// do not. Pairs that are no whole step of registers of rows run what v4 does there.

// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "open(r'%t/w.bin', 'wb').write(bytes(63 if i % 2 else i * i % 251 for i in range(2 * 65 * 33)))"
// RUN: sed 's/bf16/f16/g' %t/m.mlir > %t/half.mlir && sed 's/64/65/g; s/4224/4290/' %t/m.mlir > %t/odd.mlir
// RUN: dyn-compile %t/m.mlir -o %t/m.so --isa=v3,v4,v4-vnni,v4-bf16,v4-amx
// RUN: dyn-compile --describe %t/m.so | FileCheck %s --check-prefix=PAIRS
// RUN: dyn-compile %t/half.mlir -o %t/half.so --isa=v3,v4,v4-vnni,v4-bf16,v4-amx
// RUN: dyn-compile --describe %t/half.so | FileCheck %s --check-prefix=HALF
// RUN: dyn-compile %t/odd.mlir -o %t/odd.so
// RUN: dyn-compile --describe %t/odd.so | FileCheck %s --check-prefix=HALF
// REQUIRES: venv, avx512bf16
// RUN: dyn-run --reference %t/m.mlir --input=x=random:70x64 --seed=3 --output=%t/o.npz
// RUN: dyn-run %t/m.so --isa=v4 --stats --input=x=random:70x64 --seed=3 --check=%t/o.npz --tolerance=1e-5
// RUN: dyn-run %t/m.so --isa=v4-vnni --stats --input=x=random:70x64 --seed=3 | FileCheck %s --check-prefix=V4
// RUN: dyn-run %t/m.so --isa=v4-bf16 --stats --input=x=random:70x64 --seed=3 --check=%t/o.npz --tolerance=1e-5 | FileCheck %s --check-prefix=ISA

// PAIRS: kernels: {{[0-9]+}} for x86-64-v3 x86-64-v4 x86-64-v4-bf16 x86-64-v4-amx{{$}}
// HALF: kernels: {{[0-9]+}} for x86-64-v3 x86-64-v4{{$}}
// V4: isa: x86-64-v4{{$}}
// ISA: isa: x86-64-v4-bf16
dhlo.dim @N in [0, ?]
func.func @main(%x: tensor<?x64xbf16, #dhlo.dims<N>> {dhlo.name = "x"}) -> (tensor<?x33xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 4224, key = "w"> : tensor<64x33xbf16>
  %2 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xbf16, #dhlo.dims<N>>, tensor<64x33xbf16>) -> tensor<?x33xf32, #dhlo.dims<N>>
  return %2 : tensor<?x33xf32, #dhlo.dims<N>>
}
