#include <algorithm>
#include <bit>
#include <limits>

#include "base/fail.hpp"
#include "gpu/batches.hpp"
#include "gpu/calls.hpp"
#include "gpu/packed_tree.hpp"

namespace kith::gpu {
namespace {

/// The tree joined with itself, and the labels of connected points.
template <class T>
class Fof {
 public:
  Fof(OpenDevice& device, const AnyTree::Impl& tree, T reach2)
      : device_(device),
        tree_(tree_on<T>(device, tree)),
        n_(tree_->points()),
        reach2_(reach2),
        sides_(device, static_cast<std::size_t>(tree.dimension)),
        parent_(device, n_) {
    const Frame<T>& frame = std::get<TreeData<T>>(tree.data).frame;
    sides_.write(frame.side, sides_.size());
  }

  void link(Workers& workers) {
    const Stage stage(workers, "link", n_);
    find_units();
    constexpr std::size_t kListBytes = 1024;  // of a receiver on all planes, usually
    Batches batches(device_, tree_->plane(1).nodes, kListBytes);
    batches.run([&](std::uint32_t begin, std::uint32_t end) {
      workers.check_cancelled();
      if (!join(begin, end, batches.list_room())) return false;
      device_.finish();
      workers.advance(std::min(n_, end * kGroupSize) - begin * kGroupSize);
      return true;
    });
    device_.launch(program(), "fof_flatten", n_, parent_, u64(n_));
  }

  void read_sets(std::uint32_t* parent) const { parent_.read(parent, n_); }

  /// Labels of the points that are in the tree; the others are -1.
  void name(std::size_t input_size, DeviceGroups& groups, Workers& workers) {
    const Stage stage(workers, "labels", n_);
    Uints size(device_, n_), lowest(device_, n_), number(device_, n_ + 1);
    fill(device_, size, 0, n_);
    fill(device_, lowest, kNoIndex, n_);
    device_.launch(program(), "fof_measure", n_, tree_->blocks(), parent_, u64(n_), size, lowest);
    if (groups.root) write_roots(input_size, lowest, groups);
    device_.launch(program(), "fof_mark", n_ + 1, size, u64(groups.min_size), u64(n_), number);
    exclusive_scan(device_, number, n_ + 1);
    const std::size_t count = number.value(n_);
    check_count(count);
    Uints label_of(device_, n_);
    fill(device_, label_of, kNoIndex, n_);
    if (count > 0) number_groups(count, number, size, lowest, label_of, groups);
    write_input_order(input_size, label_of, reinterpret_cast<std::uint32_t*>(groups.label));
  }

 private:
  static std::uint64_t u64(std::size_t n) { return n; }
  ProgramKey program() const { return tree_->program("fof"); }

  void find_units() {
    std::vector<std::uint64_t> at;
    std::uint64_t room = 0;
    for (int p = 0; p <= tree_->top(); ++p) {
      at.push_back(room);
      room += tree_->plane(p).nodes;
    }
    unit_ = Uints(device_, room);
    unit_at_ = at;
    for (int p = 0; p <= tree_->top(); ++p)
      device_.launch(program(), "fof_units", tree_->plane(p).nodes, tree_->boxes(),
                     tree_->plane(p).box, tree_->plane(p).nodes, at[static_cast<std::size_t>(p)],
                     reach2_, unit_);
    Ulongs on_device(device_, at.size());
    on_device.write(at.data(), at.size());
    device_.launch(program(), "fof_start", n_, unit_, on_device,
                   static_cast<std::uint32_t>(at.size()), u64(n_), parent_);
  }

  /// Links the points of receivers (nodes of plane 1) with all later ones.
  bool join(std::uint32_t begin, std::uint32_t end, std::size_t room) {
    Ulongs first(device_, 1);
    Uints size(device_, 1), list(device_, 1);
    const std::uint64_t start = 0;
    const std::uint32_t root = 0, one = 1;
    first.write(&start, 1);
    size.write(&one, 1);
    list.write(&root, 1);
    std::uint32_t above_first = 0;
    for (int p = tree_->top() - 1; p >= 1; --p) {
      const int shift = 3 * (p - 1);
      const std::uint32_t r_first = begin >> shift, r_last = ((end - 1) >> shift) + 1;
      const std::size_t count = r_last - r_first;
      Ulongs new_first(device_, count + 1);
      device_.launch(program(), "fof_room", count + 1, r_first, above_first, u64(count), size,
                     new_first);
      exclusive_scan(device_, new_first, count + 1);
      const std::size_t total = new_first.value(count);
      if (total * sizeof(std::uint32_t) > room) return false;
      Uints new_size(device_, count), new_list(device_, total);
      const PlaneAt& at = tree_->plane(p);
      device_.launch(program(), "fof_step", count * kGroupSize, tree_->boxes(), at.box, unit_,
                     unit_at_[static_cast<std::size_t>(p)], at.nodes,
                     static_cast<std::uint32_t>(3 * (p + 1)), r_first, above_first, first, size,
                     list, reach2_, sides_, parent_, new_first, new_size, new_list);
      first = std::move(new_first);
      size = std::move(new_size);
      list = std::move(new_list);
      above_first = r_first;
    }
    device_.launch(program(), "fof_link", (end - begin) * kGroupSize, tree_->blocks(),
                   tree_->boxes(), tree_->block_count(), u64(n_), unit_, begin, first, size, list,
                   reach2_, sides_, parent_);
    return true;
  }

  static void check_count(std::size_t count) {
    if (count > std::size_t{std::numeric_limits<std::int32_t>::max()})
      fail(ErrorCode::too_large,
           "fof: {} groups; labels have 32 bits: leave out the single points with min_size = 2",
           count);
  }

  /// By falling size, then by lowest member: sorted by the second first, since the sort is stable.
  void number_groups(std::size_t count, const Uints& number, const Uints& size, const Uints& lowest,
                     Uints& label_of, DeviceGroups& groups) {
    KeySort<std::uint32_t> sort(device_, count);
    Uints roots(device_, count), least(device_, 1);
    device_.launch(program(), "fof_list", n_, number, lowest, u64(n_), roots, sort.keys());
    fill(device_, least, kNoIndex, 1);
    device_.launch(program(), "fof_most", std::min<std::size_t>(count, 65536), size, roots,
                   u64(count), least);
    const std::uint32_t most = kNoIndex - least.value(0);
    sort.reset(count);
    sort.sort(count, 32);
    device_.launch(program(), "fof_size_keys", count, sort.items(), roots, size, most, u64(count),
                   sort.keys());
    sort.sort(count, static_cast<int>(std::bit_width(most)));
    Uints out_size(device_, count), out_lowest(device_, count);
    device_.launch(program(), "fof_name", count, sort.items(), roots, size, lowest, u64(count),
                   out_size, out_lowest, label_of);
    groups.size.resize(count);
    groups.lowest.resize(count);
    out_size.read(groups.size.data(), count);
    out_lowest.read(groups.lowest.data(), count);
  }

  void write_input_order(std::size_t input_size, const Uints& value_of, std::uint32_t* to) {
    Uints out(device_, input_size);
    fill(device_, out, kNoIndex, input_size);
    device_.launch(program(), "fof_labels", n_, tree_->blocks(), parent_, value_of, u64(n_), out);
    out.read(to, input_size);
  }

  void write_roots(std::size_t input_size, const Uints& lowest, DeviceGroups& groups) {
    std::vector<std::uint32_t> roots(input_size);
    write_input_order(input_size, lowest, roots.data());
    std::transform(roots.begin(), roots.end(), groups.root, [](std::uint32_t root) {
      return root == kNoIndex ? std::int64_t{-1} : std::int64_t{root};
    });
  }

  OpenDevice& device_;
  std::shared_ptr<const PackedTree<T>> tree_;
  std::size_t n_;
  T reach2_;
  Buffer<T> sides_;
  Uints parent_, unit_;
  std::vector<std::uint64_t> unit_at_;
};

}  // namespace

template <class T>
void Calls<T>::fof(const AnyTree::Impl& tree, T reach2, DeviceGroups& groups, Workers& workers) {
  const std::size_t points = tree.facts([](const auto& data) { return data.planes.points; });
  std::fill_n(groups.label, points == 0 ? tree.input_size : 0, -1);
  if (groups.root) std::fill_n(groups.root, points == 0 ? tree.input_size : 0, std::int64_t{-1});
  if (points == 0) return;
  Fof<T> job(device_, tree, reach2);
  job.link(workers);
  job.name(tree.input_size, groups, workers);
}

template <class T>
void Calls<T>::join(const AnyTree::Impl& tree, T reach2, std::uint32_t* parent, Workers& workers) {
  Fof<T> job(device_, tree, reach2);
  job.link(workers);
  job.read_sets(parent);
}

template void Calls<float>::join(const AnyTree::Impl&, float, std::uint32_t*, Workers&);
template void Calls<double>::join(const AnyTree::Impl&, double, std::uint32_t*, Workers&);
template void Calls<float>::fof(const AnyTree::Impl&, float, DeviceGroups&, Workers&);
template void Calls<double>::fof(const AnyTree::Impl&, double, DeviceGroups&, Workers&);

}  // namespace kith::gpu
