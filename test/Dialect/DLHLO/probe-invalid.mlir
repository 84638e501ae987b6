// RUN: dyn-opt %s -split-input-file -verify-diagnostics

func.func @probe_c1(%a: !dlhlo.buffer, %n: index) {
  // expected-error @+1 {{'dlhlo.probe' op expected two or three buffers, found 1}}
  dlhlo.probe 0 cells %n choices %n buffers (%a)
  return
}
