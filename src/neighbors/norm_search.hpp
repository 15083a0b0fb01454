// Searches by norms other than the Euclidean one. The kernels serve p = 1 and infinity too; for
// powers there is plain code.
#pragma once

#include <memory>

#include "neighbors/search_job.hpp"

namespace kith {

/// A worker for job.p, which is not 2. The job must outlive it.
std::unique_ptr<SearchWorker> make_norm_worker(const KnnJob<float>& job);
std::unique_ptr<SearchWorker> make_norm_worker(const KnnJob<double>& job);
std::unique_ptr<SearchWorker> make_norm_worker(const RadiusJob<float>& job);
std::unique_ptr<SearchWorker> make_norm_worker(const RadiusJob<double>& job);

/// The same for p = 1 and infinity, for the SIMD target in force.
std::unique_ptr<SearchWorker> make_difference_worker(const KnnJob<float>& job);
std::unique_ptr<SearchWorker> make_difference_worker(const KnnJob<double>& job);
std::unique_ptr<SearchWorker> make_difference_worker(const RadiusJob<float>& job);
std::unique_ptr<SearchWorker> make_difference_worker(const RadiusJob<double>& job);

}  // namespace kith
