// Arguments that calls over ranks refuse as those of one process do.
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <string>

#include <kith/error.hpp>

#include "mpi/world.hpp"

namespace kith::test {

/// The message of what f throws.
inline std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("no error of kith: ") + error.what();
  }
  return "no error";
}

/// Without the words before the fact: "rank 1 of 3: " and the name of the call.
inline std::string fact_of(const std::string& message) {
  std::string fact = message;
  if (fact.starts_with("rank ")) fact = fact.substr(fact.find(": ") + 2);
  return fact.substr(fact.find(": ") + 1);
}

/// Arguments that one rank or all pass wrongly: over_ranks(is_wrong) throws the same on all ranks,
/// with the text of alone(). `is_shared`: ranks compare these arguments before they check them.
struct Refusal {
  std::string name;
  std::function<void()> alone;
  std::function<void(bool is_wrong)> over_ranks;
  bool is_shared = false;
};

inline void expect_refused(MPI_Comm comm, const Refusal& refusal) {
  const std::string alone = error_of(refusal.alone);
  EXPECT_NE(alone, "no error") << refusal.name;
  for (const bool everywhere : {false, true}) {
    const bool is_wrong = everywhere || rank_of(comm) == size_of(comm) - 1;
    const std::string found = error_of([&] { refusal.over_ranks(is_wrong); });
    const std::string where = refusal.name + (everywhere ? " everywhere" : " on one rank");
    EXPECT_TRUE(found.starts_with("rank ")) << where << ": " << found;
    if (everywhere || !refusal.is_shared) {
      EXPECT_EQ(fact_of(found), fact_of(alone)) << where;
    }
    char first[1200] = "";
    found.copy(first, sizeof first - 1);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, comm);
    EXPECT_EQ(found, first) << where;
  }
}

}  // namespace kith::test
