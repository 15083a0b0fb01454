// What HIP's compiler declares for kernels, in terms of clang's builtins: enough to compile them
// for AMD's cards where there is no ROCm (hip_test.py).
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

struct KithSize {
  unsigned x;
};
#define blockIdx (KithSize{__builtin_amdgcn_workgroup_id_x()})
#define threadIdx (KithSize{__builtin_amdgcn_workitem_id_x()})
#define blockDim (KithSize{64})
#define gridDim (KithSize{__builtin_amdgcn_grid_size_x() / 64})

#define KITH_SHIM static __device__ inline
KITH_SHIM void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
}
KITH_SHIM int __clz(int x) { return x ? __builtin_clz(x) : 32; }
KITH_SHIM int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
KITH_SHIM int __popc(unsigned x) { return __builtin_popcount(x); }
KITH_SHIM unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
KITH_SHIM float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
KITH_SHIM long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
KITH_SHIM double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
KITH_SHIM unsigned atomicAdd(unsigned* p, unsigned v) {
  return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}
KITH_SHIM unsigned atomicMin(unsigned* p, unsigned v) {
  return __atomic_fetch_min(p, v, __ATOMIC_RELAXED);
}
KITH_SHIM unsigned atomicOr(unsigned* p, unsigned v) {
  return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);
}
KITH_SHIM unsigned atomicCAS(unsigned* p, unsigned seen, unsigned value) {
  __atomic_compare_exchange_n(p, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return seen;
}
KITH_SHIM float fabs(float x) { return __builtin_fabsf(x); }
KITH_SHIM double fabs(double x) { return __builtin_fabs(x); }
KITH_SHIM float floor(float x) { return __builtin_floorf(x); }
KITH_SHIM double floor(double x) { return __builtin_floor(x); }
KITH_SHIM float sqrt(float x) { return __builtin_sqrtf(x); }
KITH_SHIM double sqrt(double x) { return __builtin_sqrt(x); }
KITH_SHIM float ldexp(float x, int e) { return __builtin_ldexpf(x, e); }
KITH_SHIM double ldexp(double x, int e) { return __builtin_ldexp(x, e); }
