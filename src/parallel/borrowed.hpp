// Scratch memory for the bodies of loops.
#pragma once

#include <mutex>
#include <utility>

namespace kith {

/// Objects that loop bodies borrow and return. A body that waits inside a nested loop may be
/// suspended for another body on the same thread, so scratch memory cannot belong to a thread. Free
/// objects form an intrusive list: returning one takes no memory and cannot fail.
template <class T>
class Borrowed {
  struct Item {
    T object;
    Item* next = nullptr;
  };

 public:
  Borrowed() = default;
  ~Borrowed() {
    while (first_) delete std::exchange(first_, first_->next);
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  class Loan {
   public:
    explicit Loan(Borrowed& owner) : owner_(owner), item_(owner.take()) {
      if (!item_) item_ = new Item;
    }
    ~Loan() { owner_.give(item_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    T& operator*() const { return item_->object; }
    T* operator->() const { return &item_->object; }

   private:
    Borrowed& owner_;
    Item* item_;
  };

 private:
  Item* take() {
    const std::lock_guard lock(mutex_);
    return first_ ? std::exchange(first_, first_->next) : nullptr;
  }
  void give(Item* item) noexcept {
    const std::lock_guard lock(mutex_);
    item->next = std::exchange(first_, item);
  }

  std::mutex mutex_;
  Item* first_ = nullptr;
};

}  // namespace kith
