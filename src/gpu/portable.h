// The common subset of OpenCL C 1.2, CUDA C and C++ in which the kernels are written. As C++
// (KERNELS_ON_HOST, tests/gpu/host) they run on fibers, in orders that no driver uses.
//
// REAL (float or double) and DIM (axes) come from the command line. Groups are one-dimensional and
// have GROUP_SIZE work-items. No sub-groups, and no assumption that groups make progress at once.
//
// A flag_uint may get one and the same value from several work-items at once.
//
// COUNT(section, key) marks a piece of work for the count of warps; work-items with the same key
// since the last barrier do it together.
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
// One distance: products and sums are rounded one by one.
#pragma OPENCL FP_CONTRACT OFF
#if defined(USE_DOUBLE) || defined(DIVIDE_IN_DOUBLE)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define KERNEL __kernel
#define DEVICE static inline
#define GLOBAL __global
#define LOCAL __local
#define SHARED __local
// Arrays of a work-item stay in registers only if loops over them are unrolled; to compile that for
// a CPU takes many seconds and gains nothing. The hint is one of OpenCL C 2.0, which compilers
// for 1.2 need not know; without any (NO_UNROLL), arrays may be in memory, and results are the
// same.
#ifndef NO_UNROLL
#ifdef __has_attribute
#if __has_attribute(opencl_unroll_hint)
#ifdef FOR_GPU
#define UNROLL __attribute__((opencl_unroll_hint))
#else
#define UNROLL __attribute__((opencl_unroll_hint(1)))
#endif
#endif
#endif
#if !defined(UNROLL) && defined(FOR_GPU)
#define UNROLL _Pragma("unroll")
#endif
#endif
#ifndef UNROLL
#define UNROLL
#endif
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define BARRIER_FOR_ALL_MEMORY() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define GROUP() ((uint)get_group_id(0))
#define LANE() ((uint)get_local_id(0))
#define THREAD() ((ulong)get_global_id(0))
#define THREADS() ((ulong)get_global_size(0))
#define LEADING_ZEROS(x) ((int)clz((uint)(x)))
#define LEADING_ZEROS_LONG(x) ((int)clz((ulong)(x)))
#define POPCOUNT(x) popcount((uint)(x))
#define FLOAT_BITS(x) as_uint(x)
#define FLOAT_OF(x) as_float(x)
#define DOUBLE_BITS(x) as_ulong(x)
#define DOUBLE_OF(x) as_double(x)
#define ATOMIC_ADD(p, v) atomic_add(p, v)
#define ATOMIC_MIN(p, v) atomic_min(p, v)
#define ATOMIC_OR(p, v) atomic_or(p, v)
#define ATOMIC_CAS(p, seen, value) atomic_cmpxchg(p, seen, value)
#define COUNT(section, key)
typedef volatile uint racing_uint;
typedef uint flag_uint;
#elif defined(KERNELS_ON_HOST)
#define FOR_GPU  // they run the code for GPUs
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define KERNEL static
#define DEVICE static inline
#define GLOBAL
#define LOCAL
#define SHARED static HOST_LOCAL
#define UNROLL
#define BARRIER() kith::host::barrier(__LINE__)
#define BARRIER_FOR_ALL_MEMORY() BARRIER()
#define GROUP() (kith::host::item.group)
#define LANE() (kith::host::item.lane)
#define THREAD() ((ulong)GROUP() * GROUP_SIZE + LANE())
#define THREADS() ((ulong)kith::host::item.groups * GROUP_SIZE)
#define LEADING_ZEROS(x) std::countl_zero((uint)(x))
#define LEADING_ZEROS_LONG(x) std::countl_zero((ulong)(x))
#define POPCOUNT(x) ((uint)std::popcount((uint)(x)))
#define FLOAT_BITS(x) std::bit_cast<uint>((float)(x))
#define FLOAT_OF(x) std::bit_cast<float>((uint)(x))
#define DOUBLE_BITS(x) std::bit_cast<ulong>((double)(x))
#define DOUBLE_OF(x) std::bit_cast<double>((ulong)(x))
#define ATOMIC_ADD(p, v) kith::host::atomic_add(p, v)
#define ATOMIC_MIN(p, v) kith::host::atomic_min(p, v)
#define ATOMIC_OR(p, v) kith::host::atomic_or(p, v)
#define ATOMIC_CAS(p, seen, value) kith::host::atomic_cas(p, seen, value)
#define COUNT(section, key) \
  if (kith::host::item.counts) kith::host::count(kith::host::Section::section, key)
using kith::host::racing_uint;
typedef racing_uint flag_uint;
#else
#define FOR_GPU
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
#ifdef _WIN64  // where unsigned long has 32 bits
typedef unsigned long long ulong;
#else
typedef unsigned long ulong;
#endif
#ifdef __HIP__  // else it assumes groups of 1024, and there are fewer registers for each work-item
#define KERNEL extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 64)))
#else
#define KERNEL extern "C" __global__
#endif
#define DEVICE static __device__ inline
#define GLOBAL
#define LOCAL
#define SHARED __shared__
#define UNROLL _Pragma("unroll")
#define BARRIER() __syncthreads()
#define BARRIER_FOR_ALL_MEMORY() BARRIER()
#define GROUP() (blockIdx.x)
#define LANE() (threadIdx.x)
#define THREAD() ((ulong)blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS() ((ulong)gridDim.x * blockDim.x)
#define LEADING_ZEROS(x) __clz((int)(x))
#define LEADING_ZEROS_LONG(x) __clzll((long long)(x))
#define POPCOUNT(x) ((uint)__popc(x))
#define FLOAT_BITS(x) __float_as_uint(x)
#define FLOAT_OF(x) __uint_as_float(x)
#define DOUBLE_BITS(x) ((ulong)__double_as_longlong(x))
#define DOUBLE_OF(x) __longlong_as_double((long long)(x))
#define ATOMIC_ADD(p, v) atomicAdd((uint*)(p), v)
#define ATOMIC_MIN(p, v) atomicMin((uint*)(p), v)
#define ATOMIC_OR(p, v) atomicOr((uint*)(p), v)
#define ATOMIC_CAS(p, seen, value) atomicCAS((uint*)(p), seen, value)
#define COUNT(section, key)
typedef volatile uint racing_uint;
typedef uint flag_uint;
#endif

#define GROUP_SIZE 64u
#define LANES 8u
#define NO_INDEX 0xffffffffu

typedef REAL real;
#ifdef USE_DOUBLE
typedef ulong real_bits;
#define BITS_OF(x) DOUBLE_BITS(x)
#define REAL_OF(x) DOUBLE_OF(x)
#define REAL_INFINITY REAL_OF(0x7ff0000000000000ul)
#define REAL_NAN REAL_OF(0x7ff8000000000000ul)
#define REAL_MOST REAL_OF(0x7feffffffffffffful)
#define MANTISSA 52
#define BIAS 1023
#define WIDTH 64
#define LEADING_ZEROS_REAL(x) LEADING_ZEROS_LONG(x)
#define INDEX_ROOM (LANES / 2u)
#else
typedef uint real_bits;
#define BITS_OF(x) FLOAT_BITS(x)
#define REAL_OF(x) FLOAT_OF(x)
#define REAL_INFINITY REAL_OF(0x7f800000u)
#define REAL_NAN REAL_OF(0x7fc00000u)
#define REAL_MOST REAL_OF(0x7f7fffffu)
#define MANTISSA 23
#define BIAS 127
#define WIDTH 32
#define LEADING_ZEROS_REAL(x) LEADING_ZEROS(x)
#define INDEX_ROOM LANES
#endif

// A block of 8 points, in scalars; a chunk of 8 boxes.
#define BLOCK_STRIDE (LANES * DIM + INDEX_ROOM)
#define CHUNK_STRIDE (2u * LANES * DIM)

// Rounded once, also where the device divides floats only nearly.
DEVICE real quotient(real a, real b) {
#ifdef DIVIDE_IN_DOUBLE
  return (real)((double)a / (double)b);
#else
  return a / b;
#endif
}

// fmod, which drivers get wrong for subnormal numbers: exact, by long division of the digits.
DEVICE real remainder_of(real x, real y) {
  real_bits sign = (real_bits)1 << (WIDTH - 1), leading = (real_bits)1 << MANTISSA;
  real_bits endless = BITS_OF(REAL_INFINITY);
  real_bits a = BITS_OF(x) & ~sign, b = BITS_OF(y) & ~sign, is_negative = BITS_OF(x) & sign;
  if (b == 0 || a >= endless || b > endless) return REAL_NAN;
  if (a < b) return x;
  int a_exponent = (int)(a >> MANTISSA), exponent = (int)(b >> MANTISSA);
  real_bits rest = a_exponent > 0 ? (a & (leading - 1)) | leading : a;
  real_bits divisor = exponent > 0 ? (b & (leading - 1)) | leading : b;
  a_exponent = a_exponent > 0 ? a_exponent : 1;
  exponent = exponent > 0 ? exponent : 1;
  rest %= divisor;
  for (; a_exponent > exponent && rest != 0; --a_exponent) {
    rest <<= 1;
    if (rest >= divisor) rest -= divisor;
  }
  for (; rest < leading && rest != 0 && exponent > 1; --exponent) rest <<= 1;
  if (rest >= leading) rest += (real_bits)(exponent - 1) << MANTISSA;
  return REAL_OF(is_negative | rest);
}
