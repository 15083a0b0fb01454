// Round by round: the recursion of the CPU (tree/order.cpp, tree/order_any.cpp), for all runs of a
// depth at once; see order.cl.
#include "gpu/order.hpp"

#include <algorithm>
#include <bit>

namespace kith::gpu {
namespace {

constexpr std::uint32_t kInCache = 65536;  // IN_CACHE of the kernels, kInCache of the CPU
constexpr std::size_t kNoScatter = 2048;   // of the CPU
constexpr std::size_t kTopCells = 4096;
constexpr std::size_t kPiece = 4096;  // slots of one group when a large segment is measured

/// Key: of 32 bits in two and three dimensions, as on the CPU, else of 64.
template <class T, class Key>
class Order {
 public:
  Order(const RowsInFrame<T>& from, const Workers& workers)
      : from_(from),
        device_(from.device),
        workers_(workers),
        n_(from.size),
        program_{"order", sizeof(T) == 8, from.dimension},
        has_tables_(from.dimension == 2 || from.dimension == 3),
        order_(device_, n_),
        sort_(device_, n_),
        row_(device_, n_),
        position_(device_, n_),
        segment_(device_, n_),
        run_of_(device_, n_ + 1) {}

  Uints run() {
    device_.launch(kIdentity, "sort_identity", n_, row_, u64(n_));
    device_.launch(kIdentity, "sort_identity", n_, position_, u64(n_));
    fill(device_, segment_, 0, n_);
    begin_ = Uints(device_, 2);
    const std::uint32_t ends[] = {0, static_cast<std::uint32_t>(n_)};
    begin_.write(ends, 2);
    std::size_t active = n_;
    for (segments_ = 1, is_root_ = true; active > 0; is_root_ = false) {
      workers_.check_cancelled();
      active = round(active);
    }
    return std::move(order_);
  }

 private:
  static std::uint64_t u64(std::size_t n) { return n; }
  static inline const ProgramKey kIdentity{"sort"};
  std::uint32_t is_hilbert() const { return from_.is_hilbert; }
  /// The first round of a larger set has long keys, at any size.
  std::uint32_t is_long() const { return has_tables_ && is_root_ && n_ > kNoScatter; }

  /// Sorts `active` slots; returns how many are left for the next round.
  std::size_t round(std::size_t active) {
    measure(active);
    make_grids();
    if (segments_ > 1) keys_ = Buffer<Key>(device_, active);
    Buffer<Key>& keys = segments_ > 1 ? keys_ : sort_.keys();
    device_.launch(program_, "make_keys", active, from_.rows, row_, segment_, begin_, u64(active),
                   is_long(), is_hilbert(), lo_, scale_, facts_, keys);
    if (has_tables_ && active > kInCache) clear_low_bits(keys, active);
    sort_slots(active);
    return next_round(active);
  }

  // ---- grids

  void measure(std::size_t active) {
    const auto d = static_cast<std::size_t>(from_.dimension);
    lo_ = Buffer<T>(device_, segments_ * d);
    hi_ = Buffer<T>(device_, segments_ * d);
    if (is_long()) {
      lo_.write(from_.bounds.lo, d);
      hi_.write(from_.bounds.hi, d);
      return;
    }
    device_.launch(program_, "range_boxes", segments_ * kGroupSize, from_.rows, row_, begin_,
                   std::uint32_t{0}, kInCache, lo_, hi_);
    if (active > kInCache)
      for (const std::uint32_t segment : large_segments(active)) measure_large(segment);
  }

  /// Numbers of the segments beyond kInCache; slot_of_ has the place of each in this list.
  std::vector<std::uint32_t> large_segments(std::size_t active) {
    const std::size_t most = active / kInCache + 1;
    Uints large(device_, most), count(device_, 1);
    slot_of_ = Uints(device_, segments_);
    fill(device_, count, 0, 1);
    device_.launch(program_, "find_large", segments_, begin_, segments32(), large, slot_of_, count);
    std::vector<std::uint32_t> numbers(count.value(0));
    large.read(numbers.data(), numbers.size());
    return numbers;
  }

  std::uint32_t segments32() const { return static_cast<std::uint32_t>(segments_); }

  /// Measures the pieces of a large segment first, one group each, then their boxes.
  void measure_large(std::uint32_t segment) {
    std::uint32_t ends[2];
    begin_.read(ends, 2, segment);
    std::vector<std::uint32_t> cuts;
    for (std::size_t at = ends[0]; at < ends[1]; at += kPiece)
      cuts.push_back(static_cast<std::uint32_t>(at));
    cuts.push_back(ends[1]);
    const std::size_t pieces = cuts.size() - 1, d = static_cast<std::size_t>(from_.dimension);
    Uints piece_begin(device_, cuts.size());
    piece_begin.write(cuts.data(), cuts.size());
    Buffer<T> lo(device_, pieces * d), hi(device_, pieces * d);
    device_.launch(program_, "range_boxes", pieces * kGroupSize, from_.rows, row_, piece_begin,
                   std::uint32_t{0}, kInCache, lo, hi);
    device_.launch(program_, "join_boxes", kGroupSize, lo, hi, u64(0), u64(pieces), lo_, hi_,
                   u64(segment));
  }

  void make_grids() {
    scale_ = Buffer<T>(device_, segments_);
    facts_ = Buffer<std::int32_t>(device_, 4 * segments_);
    device_.launch(program_, "make_grids", segments_, lo_, hi_, begin_, segments32(), is_long(),
                   is_hilbert(), scale_, facts_);
  }

  // ---- keys and sorting

  /// On the CPU a top cell with too many points for the cache is sorted again in its own grid.
  void clear_low_bits(Buffer<Key>& keys, std::size_t active) {
    const std::size_t large = large_segments(active).size();
    if (large == 0) return;
    Uints counts(device_, large * kTopCells);
    fill(device_, counts, 0, large * kTopCells);
    device_.launch(program_, "count_top_cells", active, keys, segment_, slot_of_, u64(active),
                   counts);
    device_.launch(program_, "clear_low_bits", active, keys, segment_, slot_of_, u64(active),
                   counts);
  }

  int key_bits() const {
    if (has_tables_) return 30;
    return from_.dimension * std::max(1, std::min(60, 64 / from_.dimension));
  }

  void sort_slots(std::size_t active) {
    sort_.reset(active);
    if (segments_ > 1) sort_.copy_keys(keys_, active);
    sort_.sort(active, key_bits());
    if (segments_ == 1) return;
    sort_.gather(segment_, active);
    sort_.sort(active, static_cast<int>(std::bit_width(segments_ - 1)));
  }

  // ---- the next round

  std::size_t next_round(std::size_t active) {
    const Uints& item = sort_.items();
    Uints new_row(device_, active);
    device_.launch(program_, "place_rows", active, item, row_, position_, u64(active), new_row,
                   order_);
    if (segments_ == 1)
      device_.launch(program_, "mark_heads_of_one", active + 1, sort_.keys(), u64(active), run_of_);
    else
      device_.launch(program_, "mark_heads", active + 1, item, segment_, keys_, u64(active),
                     run_of_);
    exclusive_scan(device_, run_of_, active + 1);
    const std::uint32_t runs = run_of_.value(active);
    Uints run_begin(device_, runs + std::size_t{1}), kept(device_, runs + std::size_t{1}),
        length(device_, runs + std::size_t{1});
    device_.launch(program_, "start_runs", active + 1, run_of_, u64(active), run_begin);
    if (!from_.is_hilbert)
      device_.launch(program_, "sort_short_runs", runs, from_.rows, run_begin, runs, position_,
                     order_);
    device_.launch(program_, "keep_runs", runs + std::size_t{1}, run_begin, item, segment_, facts_,
                   runs, kept, length);
    exclusive_scan(device_, kept, runs + std::size_t{1});
    exclusive_scan(device_, length, runs + std::size_t{1});
    segments_ = kept.value(runs);
    const std::size_t left = length.value(runs);
    if (left == 0) return 0;
    Uints next_row(device_, left), next_position(device_, left), next_segment(device_, left),
        next_begin(device_, segments_ + 1);
    device_.launch(program_, "next_round", active, run_of_, run_begin, kept, length, new_row,
                   position_, u64(active), next_row, next_position, next_segment, next_begin);
    row_ = std::move(next_row);
    position_ = std::move(next_position);
    segment_ = std::move(next_segment);
    begin_ = std::move(next_begin);
    return left;
  }

  const RowsInFrame<T>& from_;
  OpenDevice& device_;
  const Workers& workers_;
  std::size_t n_;
  ProgramKey program_;
  bool has_tables_;
  Uints order_;
  KeySort<Key> sort_;
  Buffer<Key> keys_;                // by slot, if there are several segments
  Uints row_, position_, segment_;  // of each slot
  Uints run_of_, begin_, slot_of_;
  Buffer<T> lo_, hi_, scale_;
  Buffer<std::int32_t> facts_;
  std::size_t segments_ = 0;
  bool is_root_ = false;
};

}  // namespace

template <class T>
Uints order_rows(const RowsInFrame<T>& rows, const Workers& workers) {
  if (rows.dimension == 2 || rows.dimension == 3)
    return Order<T, std::uint32_t>(rows, workers).run();
  return Order<T, std::uint64_t>(rows, workers).run();
}

template Uints order_rows(const RowsInFrame<float>&, const Workers&);
template Uints order_rows(const RowsInFrame<double>&, const Workers&);

}  // namespace kith::gpu
