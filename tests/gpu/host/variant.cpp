// All kernels for one scalar type (REAL, USE_DOUBLE) and dimension (DIM), compiled as C++.
#include <bit>
#include <cstddef>
#include <math.h>

#include "kernels.hpp"

#define KERNELS_ON_HOST
#define KITH_TEXT2(x) #x
#define KITH_TEXT(x) KITH_TEXT2(x)
#define KITH_JOINED2(a, b, c) a##b##_##c
#define KITH_JOINED(a, b, c) KITH_JOINED2(a, b, c)
#if defined(KITH_HOST_RACES)
#define HOST_LOCAL thread_local
static const kith::host::LocalMemory kLocal{};
#elif defined(__SANITIZE_ADDRESS__)
#define HOST_LOCAL  // the sanitizer puts guards between variables, but not in sections
static const kith::host::LocalMemory kLocal{};
#else
// The linker knows where a section begins and ends.
#define HOST_LOCAL __attribute__((section("local_" KITH_TEXT(REAL) "_" KITH_TEXT(DIM))))
#define LOCAL_BEGIN KITH_JOINED(__start_local_, REAL, DIM)
#define LOCAL_END KITH_JOINED(__stop_local_, REAL, DIM)
extern "C" __attribute__((visibility("hidden"))) char LOCAL_BEGIN[], LOCAL_END[];
static const kith::host::LocalMemory kLocal{LOCAL_BEGIN, LOCAL_END};
#endif

#include "gpu/portable.h"

#define KITH_KERNEL(name) kith::host::Call<&name>::kernel(#name, kLocal)
using KernelList = std::vector<kith::host::Kernel>;

#if DIM == 1 && !defined(USE_DOUBLE)
namespace scan_program {
#include "gpu/scan.cl"
static KernelList kernels() {
  return {KITH_KERNEL(scan_uint), KITH_KERNEL(scan_ulong), KITH_KERNEL(add_uint),
          KITH_KERNEL(add_ulong), KITH_KERNEL(fill_uint),  KITH_KERNEL(fill_ulong)};
}
}  // namespace scan_program
namespace sort_program {
#include "gpu/sort.cl"
static KernelList kernels() {
  return {KITH_KERNEL(sort_count_uint),   KITH_KERNEL(sort_count_ulong),
          KITH_KERNEL(sort_scatter_uint), KITH_KERNEL(sort_scatter_ulong),
          KITH_KERNEL(sort_gather_uint),  KITH_KERNEL(sort_gather_ulong),
          KITH_KERNEL(sort_copy_uint),    KITH_KERNEL(sort_copy_ulong),
          KITH_KERNEL(sort_identity)};
}
}  // namespace sort_program
#endif

namespace order_program {
#include "gpu/input.cl"
#include "gpu/order.cl"
static KernelList kernels() {
  return {KITH_KERNEL(extent),           KITH_KERNEL(join_boxes),     KITH_KERNEL(prepare),
          KITH_KERNEL(make_grids),       KITH_KERNEL(make_keys),      KITH_KERNEL(find_large),
          KITH_KERNEL(count_top_cells),  KITH_KERNEL(clear_low_bits), KITH_KERNEL(range_boxes),
          KITH_KERNEL(place_rows),       KITH_KERNEL(mark_heads),     KITH_KERNEL(start_runs),
          KITH_KERNEL(keep_runs),        KITH_KERNEL(next_round),     KITH_KERNEL(sort_short_runs),
          KITH_KERNEL(mark_heads_of_one)};
}
}  // namespace order_program

namespace planes_program {
#include "gpu/planes.cl"
static KernelList kernels() {
  return {KITH_KERNEL(fill_blocks), KITH_KERNEL(fill_leaves), KITH_KERNEL(fill_nodes)};
}
}  // namespace planes_program

#include "gpu/geometry.cl"

namespace walk_program {
#include "gpu/walk.cl"
static KernelList kernels() {
  return {KITH_KERNEL(walk_room), KITH_KERNEL(walk_step), KITH_KERNEL(reach_of_groups),
          KITH_KERNEL(fill_reach), KITH_KERNEL(reach_of_nodes)};
}
}  // namespace walk_program

namespace radius_program {
#include "gpu/radius.cl"
static KernelList kernels() {
  return {KITH_KERNEL(radius_count), KITH_KERNEL(radius_fill),  KITH_KERNEL(radius_sort),
          KITH_KERNEL(long_rows),    KITH_KERNEL(long_entries), KITH_KERNEL(long_keys),
          KITH_KERNEL(long_places),  KITH_KERNEL(query_indices)};
}
}  // namespace radius_program

namespace fof_program {
#include "gpu/fof.cl"
static KernelList kernels() {
  return {KITH_KERNEL(fof_units),     KITH_KERNEL(fof_start), KITH_KERNEL(fof_room),
          KITH_KERNEL(fof_step),      KITH_KERNEL(fof_link),  KITH_KERNEL(fof_flatten),
          KITH_KERNEL(fof_measure),   KITH_KERNEL(fof_mark),  KITH_KERNEL(fof_list),
          KITH_KERNEL(fof_size_keys), KITH_KERNEL(fof_most),  KITH_KERNEL(fof_name),
          KITH_KERNEL(fof_labels)};
}
}  // namespace fof_program

namespace rows_program {
#include "gpu/rows.cl"
static KernelList kernels() {
  return {KITH_KERNEL(fill_rows), KITH_KERNEL(store_rows), KITH_KERNEL(check_roots)};
}
}  // namespace rows_program

#ifdef USE_DOUBLE
namespace catalogue_program {
#include "gpu/catalogue.cl"
#undef TILE
static KernelList kernels() {
  return {KITH_KERNEL(count_blocks), KITH_KERNEL(label_keys),  KITH_KERNEL(first_members),
          KITH_KERNEL(add_members),  KITH_KERNEL(add_moments), KITH_KERNEL(join_blocks),
          KITH_KERNEL(find_massless)};
}
}  // namespace catalogue_program
#endif

#if DIM == 1
namespace check_program {
#include "gpu/check.cl"
static KernelList kernels() {
  return {KITH_KERNEL(check_reals), KITH_KERNEL(check_integers), KITH_KERNEL(check_atomics)};
}
}  // namespace check_program
#endif

#define KITH_KNN(k) \
  static KernelList kernels() { return {KITH_KERNEL(knn), KITH_KERNEL(query_indices)}; }

namespace knn8_program {
#define K 8
#include "gpu/knn.cl"
KITH_KNN(8)
#undef K
#undef TILE
#undef NODES
#undef HELD
#undef MERGED
}  // namespace knn8_program
namespace knn16_program {
#define K 16
#include "gpu/knn.cl"
KITH_KNN(16)
#undef K
#undef TILE
#undef NODES
#undef HELD
#undef MERGED
}  // namespace knn16_program
namespace knn32_program {
#define K 32
#include "gpu/knn.cl"
KITH_KNN(32)
#undef K
}  // namespace knn32_program

namespace {

constexpr bool kIsDouble = sizeof(real) == 8;

[[maybe_unused]] const bool kAdded = [] {
  const kith::host::Variant all{kIsDouble, DIM, 0};
#if DIM == 1 && !defined(USE_DOUBLE)
  kith::host::add(all, scan_program::kernels());
  kith::host::add(all, sort_program::kernels());
#endif
#if DIM == 1
  kith::host::add(all, check_program::kernels());
#endif
#ifdef USE_DOUBLE
  kith::host::add(all, catalogue_program::kernels());
#endif
  kith::host::add(all, order_program::kernels());
  kith::host::add(all, planes_program::kernels());
  kith::host::add(all, walk_program::kernels());
  kith::host::add(all, radius_program::kernels());
  kith::host::add(all, fof_program::kernels());
  kith::host::add(all, rows_program::kernels());
  kith::host::add({kIsDouble, DIM, 8}, knn8_program::kernels());
  kith::host::add({kIsDouble, DIM, 16}, knn16_program::kernels());
  kith::host::add({kIsDouble, DIM, 32}, knn32_program::kernels());
  return true;
}();

}  // namespace
