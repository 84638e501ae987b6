// RUN: not dyn-opt %s --dist-place-routes=homes=%S/Inputs/rank0.json 2>&1 | FileCheck %s
// RUN: not dyn-opt %s --dist-place-routes=homes=%S/Inputs/rank0.json,%S/Inputs/none.json 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: error: expected a profile of each of 2 ranks, found 1
// NONE:  error: {{.*}}none.json
dist.mesh @mesh ["expert" = 2]
