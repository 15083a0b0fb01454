# From a clone of kith, on Linux: brew install --HEAD --formula packaging/homebrew/kith.rb
class Kith < Formula
  desc "Exact nearest neighbors and friends-of-friends groups in huge point sets"
  license "BSD-3-Clause"
  head "file://#{File.expand_path("../..", __dir__)}", using: :git, branch: "main"

  depends_on "cmake" => :build
  depends_on "cli11" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "xxhash" => :build
  depends_on "fmt"
  depends_on "hdf5"
  depends_on "highway"
  depends_on "libpng"
  depends_on :linux
  depends_on "tbb"
  depends_on "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DKITH_TESTS=OFF", "-DKITH_EXAMPLES=OFF",
           "-DKITH_MPI=OFF", "-DKITH_GPU=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"kith", "sample", "uniform", "-n", "1000", "-o", "points.npy"
    system bin/"kith", "knn", "points.npy", "-k", "4", "-o", "neighbors.hdf5"
    system bin/"kith", "verify", "points.npy", "neighbors.hdf5"
  end
end
